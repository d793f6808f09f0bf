"""Puts the commands together; each is loaded when it is asked for."""

from __future__ import annotations

from typing import Annotated

import typer

import afterturn
from afterturn.cli._lazy import Later, LazyGroup


class Commands(LazyGroup):
    """Is every command of Afterturn, in the order of its help."""

    later = (
        Later(
            name="demo",
            where="afterturn.cli.demo:demo_command",
            only_tells=True,
            line=(
                "Replays a recorded conversation: what the customer saw, sources, title, categories, verdicts, what "
                "each cost."
            ),
        ),
        Later(
            name="guard",
            where="afterturn.cli.guard:guard_command",
            only_tells=True,
            line="Checks texts: flagged, blocked, category, confidence and rules, a JSON line each.",
        ),
        Later(
            name="clean",
            where="afterturn.cli.clean:clean_command",
            only_tells=True,
            line=(
                "Cleans recorded replies: what the user would see, what was cited where, which calls leaked, a JSON "
                "line each."
            ),
        ),
        Later(
            name="classify",
            where="afterturn.cli.classify:classify_command",
            only_tells=True,
            line=(
                "Judges turns: title, categories, sources, conclusion, safety and one verdict a question, a line each."
            ),
        ),
        Later(
            name="import",
            where="afterturn.cli.transfer:import_command",
            line=(
                "Stores turns with their questions, to be judged by a worker. A turn that is stored already stays as "
                "it is."
            ),
        ),
        Later(
            name="export",
            where="afterturn.cli.transfer:export_command",
            only_tells=True,
            line="Writes stored turns to a file, in the order in which they were stored.",
        ),
        Later(
            name="verdicts",
            where="afterturn.cli.verdicts:verdicts_command",
            only_tells=True,
            line="Shows verdicts, oldest first: ids, enums and numbers, never text of a conversation.",
        ),
        Later(
            name="review",
            where="afterturn.cli.review:review_command",
            line="Shows judged turns to you, drawn by confidence, and stores what you say of them.",
        ),
        Later(
            name="calibrate",
            where="afterturn.cli.calibrate:calibrate_command",
            line=(
                "Chooses the threshold from which a verdict shall alert, and says what it finds, what it costs and "
                "what is proven."
            ),
        ),
        Later(
            name="replay",
            where="afterturn.cli.replay:replay_command",
            line=(
                "Judges stored turns anew under this version or another judge, beside the old verdicts; nothing is "
                "switched."
            ),
        ),
        Later(
            name="drift",
            where="afterturn.cli.drift:drift_command",
            line=(
                "Compares the scores of a recent period with those of the calibration period, and rings where they "
                "differ."
            ),
        ),
        Later(
            name="forget",
            where="afterturn.cli.forget:forget_command",
            line="Removes text from the database; ids and verdicts stay.",
        ),
        Later(
            name="worker",
            where="afterturn.cli.worker:worker_command",
            line="Judges stored turns until it is stopped (Ctrl-C); what is under way then falls due again.",
        ),
        Later(
            name="redteam",
            where="afterturn.cli.redteam:redteam_command",
            line=(
                "Attacks an agent: success by family and over-refusal on harmless look-alikes, with intervals and "
                "coverage."
            ),
        ),
        Later(
            name="simulate",
            where="afterturn.cli.simulate:simulate_command",
            line="Lets simulated customers talk to an agent; each conversation is checked, graded and kept.",
        ),
        Later(
            name="regress",
            where="afterturn.cli.regress:regress_command",
            line=(
                "Runs the live suites on models: a turn with passages, and a large prompt over four turns. One row a "
                "check."
            ),
        ),
        Later(
            name="compare-designs",
            where="afterturn.cli.compare_designs:compare_designs_command",
            line=(
                "Measures the designs on the same conversations: call rate, leaked calls, lost answers, tokens, "
                "seconds."
            ),
        ),
        Later(
            name="bench",
            where="afterturn.cli.bench:bench_command",
            line="Measures speed and quality, every figure beside its counterpart in the same run.",
            passes_on=True,
        ),
        Later(
            name="policy",
            where="afterturn.cli.policy:policy_app",
            line="Policies of the guard: what is forbidden, what passes, what is enforced.",
        ),
        Later(
            name="eval",
            where="afterturn.cli.eval:eval_app",
            line="Runs an agent over a dataset and scores each row (docs/evals.md).",
        ),
        Later(
            name="modes",
            where="afterturn.cli.modes:modes_app",
            line="What verdicts lead to: nothing yet (shadow), advice (advise), or that the host shall act (enforce).",
        ),
        Later(
            name="gate",
            where="afterturn.cli.gate:gate_app",
            line="Decides whether an agent is promoted. It fails closed.",
        ),
        Later(
            name="personas",
            where="afterturn.cli.personas:personas_app",
            line="Personas for `afterturn simulate` (docs/simulate.md).",
        ),
    )


app = typer.Typer(
    name="afterturn",
    cls=Commands,
    help="What an agent platform needs to know about every turn. Answer first, judge after.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"afterturn {afterturn.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """What an agent platform needs to know about every turn. Answer first, judge after."""
