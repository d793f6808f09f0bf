"""`afterturn simulate`: simulated customers talk to an agent; one as a dry run, or many as a run of conversations."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._agent_options import (
    Instructions,
    MaxCost,
    MaxSteps,
    MinCoverage,
    MinPassRate,
    Model,
    PriceFile,
    RealTool,
    Tools,
    target_options,
)
from afterturn.cli._common import configured, json_line, note
from afterturn.cli._exit import keeping_exit_code
from afterturn.cli._resume import begun_by
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.evals import Dataset, RunFile
    from afterturn.turns import JsonValue


def simulate_command(
    context: typer.Context,
    scenarios: Annotated[
        Path, typer.Argument(metavar="SCENARIOS", help="Scenarios: rows, JSONL or YAML (docs/simulate.md).")
    ],
    target: Annotated[
        str, typer.Option(help="The agent: module:callable, a URL, 'command:PROGRAM …', or a file of recorded turns.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Play one scenario, print it, check its assertions, write no file.")
    ] = False,
    only: Annotated[
        str | None, typer.Option("--id", help="Play only the scenario, or conversation, of this id.")
    ] = None,
    personas: Annotated[
        str | None,
        typer.Option(help="Who plays: a YAML file, ids of `afterturn personas list` with commas between, or all."),
    ] = None,
    simulator: Annotated[
        str | None,
        typer.Option(help="The model that plays the personas: provider:model, llama:PATH. Without: their scripts."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Who grades whole conversations: provider:model, or llama:PATH.")
    ] = None,
    rubric: Annotated[
        list[str] | None, typer.Option(help="A rubric by name or file, in place of `conversation`; may be given again.")
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option("--assert", help="What must hold of every conversation, e.g. ended:goal_reached|handoff."),
    ] = None,
    max_turns: Annotated[int, typer.Option(min=1, max=100, help="Replies of the agent a conversation, at most.")] = 12,
    threshold: Annotated[int, typer.Option(min=0, max=100, help="The score from which a conversation passes.")] = 70,
    max_cost: MaxCost = None,
    prices: PriceFile = None,
    repeat: Annotated[int, typer.Option(min=1, max=1000, help="How often each conversation is had.")] = 1,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, max=256, help="Conversations at once, at most.")] = 5,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The run's file; by default named by the time.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the file of --out.")] = False,
    retry_errors: Annotated[
        bool,
        typer.Option("--retry-errors", help="With --resume: have those conversations again that ended in an error."),
    ] = False,
    turns: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the conversations as turns: JSONL or Parquet.")
    ] = None,
    classify: Annotated[
        bool, typer.Option("--classify", help="Have the local encoder judge every turn: frustration, advice, …")
    ] = False,
    deadline: Annotated[
        float,
        typer.Option(min=0.001, help="Seconds that the agent has for a turn, and simulator and judge for an answer."),
    ] = 120,
    min_coverage: MinCoverage = 0.9,
    min_pass_rate: MinPassRate = None,
    format: Annotated[str | None, typer.Option(help="The scenarios' format; by default Afterturn's own rows.")] = None,
    model: Model = None,
    tools: Tools = None,
    instructions: Instructions = None,
    real_tool: RealTool = None,
    max_steps: MaxSteps = 10,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON line with the figures, also on a terminal.")
    ] = False,
) -> None:
    """Lets simulated customers talk to an agent; each conversation is checked, graded and kept.

    The run's file is an eval run: `eval report`, `eval compare` and `gate promote` read it. Exit codes: 0 passed; 1 the
    mean is below the threshold or an assertion does not hold; 3 inconclusive.
    """
    from afterturn.cli._evals import refuse_overwriting, started_or_resumed
    from afterturn.cli._prices import check_prices
    from afterturn.cli._simulation import dry, opened, single
    from afterturn.evals import new_header

    if (resume and (dry_run or out is None)) or (retry_errors and not resume):
        raise UsageError("--resume goes on with the run in a file; name it: --out FILE --resume")
    config = configured(judge=judge)
    options = target_options(model, tools, instructions, real_tool, max_steps)
    cast: Dataset
    cast, parts = opened(
        scenarios,
        target,
        options,
        personas=personas,
        simulator=simulator,
        judge=config.judge if judge or rubric else None,
        rubrics=tuple(rubric or ()),
        asked=tuple(check or ()),
        prices=prices,
        max_turns=max_turns,
        deadline_s=deadline,
        format=format,
        dry_run=dry_run,
    )
    check_prices(parts, model=model, simulator=parts.model and parts.model.name, capped=max_cost is not None)
    if only is not None or dry_run:
        cast = single(cast, only, first=dry_run)
    header = new_header(
        parts,
        cast,
        threshold=threshold,
        repeat=repeat,
        concurrency=jobs,
        max_cost_usd=max_cost,
        deadline_s=deadline,
        command=begun_by(context),
    )
    if dry_run:
        raise typer.Exit(asyncio.run(dry(parts, header, cast, as_json=as_json)))
    path = out or Path(f"simulation-{datetime.now(UTC):%Y%m%d-%H%M%S}-{header.run}.jsonl")
    refuse_overwriting(turns, "--turns", {"the scenarios": scenarios, "the run": path})
    going = started_or_resumed(
        header, parts, cast, path, resume=resume, retry_errors=retry_errors, noun="conversations"
    )
    run = asyncio.run(going)
    further = _further(run, turns, classify=classify)
    _end(run, further, min_coverage, min_pass_rate, as_json=as_json)


def _further(run: RunFile, turns: Path | None, *, classify: bool) -> Mapping[str, JsonValue]:
    """Writes the conversations as turns and has them judged, as far as that was asked for."""
    from afterturn.cli._simulation import classified
    from afterturn.evals.simulate import transcripts
    from afterturn.formats import write_any

    if turns is not None:
        note(f"{write_any(transcripts(run.results()), turns)} turns written to {turns}")
    return {"classified": asyncio.run(classified(run)).to_json()} if classify else {}


def _end(
    run: RunFile,
    further: Mapping[str, JsonValue],
    min_coverage: float,
    min_pass_rate: float | None,
    *,
    as_json: bool,
) -> None:
    """Shows the figures and ends with the exit code of what the run comes to."""
    from afterturn.cli._evals import show_rows, show_summary
    from afterturn.cli._simulation import show_personas
    from afterturn.evals import outcome, summary_to_json
    from afterturn.evals.simulate import conversation_figures

    header, summary = run.header, run.summary()
    found = outcome(summary, threshold=header.threshold, min_coverage=min_coverage, min_pass_rate=min_pass_rate)
    figures = conversation_figures(run.results())
    with keeping_exit_code():
        if as_json or not sys.stdout.isatty():
            told = {"run": header.run, "file": str(run.path), "outcome": found.verdict, "reason": found.reason}
            played = {"simulation": {name: one.to_json() for name, one in figures.items()}}
            typer.echo(json_line({**told, **summary_to_json(summary), **played, **further}))
        else:
            show_rows(run, 20)
            show_summary(header, summary)
            show_personas(figures, further)
    note(f"{found.verdict}: {found.told}")
    if figures["all"].simulator_leaks:
        note(f"simulator_leak: in {figures['all'].simulator_leaks} conversations the customer quoted what is hidden")
    if summary.stop is not None:
        note(f"go on with: afterturn eval resume {run.path}")
    raise typer.Exit(found.exit_code)
