"""Puts the commands together. Command modules import what is heavy only when they run."""

from __future__ import annotations

from typing import Annotated

import typer

import afterturn
from afterturn.cli.bench import bench_command
from afterturn.cli.calibrate import calibrate_command
from afterturn.cli.classify import classify_command
from afterturn.cli.clean import clean_command
from afterturn.cli.compare_designs import compare_designs_command
from afterturn.cli.demo import demo_command
from afterturn.cli.drift import drift_command
from afterturn.cli.eval import eval_app
from afterturn.cli.forget import forget_command
from afterturn.cli.gate import gate_app
from afterturn.cli.guard import guard_command
from afterturn.cli.modes import modes_app
from afterturn.cli.personas import personas_app
from afterturn.cli.policy import policy_app
from afterturn.cli.redteam import redteam_command
from afterturn.cli.regress import regress_command
from afterturn.cli.replay import replay_command
from afterturn.cli.review import review_command
from afterturn.cli.simulate import simulate_command
from afterturn.cli.transfer import export_command, import_command
from afterturn.cli.verdicts import verdicts_command
from afterturn.cli.worker import worker_command

app = typer.Typer(
    name="afterturn",
    help="What an agent platform needs to know about every turn. Answer first, judge after.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

for _name, _command in (
    ("demo", demo_command),
    ("guard", guard_command),
    ("clean", clean_command),
    ("classify", classify_command),
    ("import", import_command),
    ("export", export_command),
    ("verdicts", verdicts_command),
    ("review", review_command),
    ("calibrate", calibrate_command),
    ("replay", replay_command),
    ("drift", drift_command),
    ("forget", forget_command),
    ("worker", worker_command),
    ("redteam", redteam_command),
    ("simulate", simulate_command),
    ("regress", regress_command),
    ("compare-designs", compare_designs_command),
):
    app.command(_name)(_command)
_passed_on = {"allow_extra_args": True, "ignore_unknown_options": True}
app.command("bench", context_settings=_passed_on)(bench_command)
app.add_typer(policy_app, name="policy")
app.add_typer(eval_app, name="eval")
app.add_typer(modes_app, name="modes")
app.add_typer(gate_app, name="gate")
app.add_typer(personas_app, name="personas")


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
