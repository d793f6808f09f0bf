"""`afterturn eval`: runs an agent over a dataset, goes on with a run, reports on one."""

from __future__ import annotations

import asyncio
import sys
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
from afterturn.cli.eval_agreement import agreement_command
from afterturn.cli.eval_check_judge import check_judge_command
from afterturn.cli.eval_compare import compare_command
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.evals import Dataset, Outcome, Parts, RunFile, RunHeader, RunSummary

eval_app = typer.Typer(help="Runs an agent over a dataset and scores each row (docs/evals.md).", no_args_is_help=True)
eval_app.command("agreement")(agreement_command)
eval_app.command("check-judge")(check_judge_command)
eval_app.command("compare")(compare_command)

_Json = Annotated[bool, typer.Option("--json", help="One JSON line with the figures, also on a terminal.")]
_AtOnce = Annotated[int | None, typer.Option("-j", "--jobs", min=1, max=256, help="Rows at once, at most: 5.")]
_JUDGE = "Who scores: provider:model (openai:gpt-…), llama:PATH, or encoder for the rubrics it knows."


@eval_app.command("run")
def run_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Rows: JSONL, JSON, CSV, or promptfoo's YAML.")],
    target: Annotated[
        str,
        typer.Option(help="The agent: module:callable, a URL, 'command:PROGRAM …', or a file of recorded turns."),
    ],
    rubric: Annotated[
        list[str] | None, typer.Option(help="A rubric by name, or a file NAME.md; may be given again.")
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option("--assert", help="What must hold of every reply, e.g. contains:TEXT; may be given again."),
    ] = None,
    judge: Annotated[str | None, typer.Option(help=_JUDGE)] = None,
    threshold: Annotated[int, typer.Option(min=0, max=100, help="The score from which a row passes.")] = 70,
    max_cost: MaxCost = None,
    prices: PriceFile = None,
    repeat: Annotated[int, typer.Option(min=1, max=1000, help="How often each row is run.")] = 1,
    jobs: _AtOnce = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run's file; by default named by the time.")
    ] = None,
    deadline: Annotated[float, typer.Option(min=0.001, help="Seconds that agent and judge each have for a row.")] = 120,
    min_coverage: MinCoverage = 0.9,
    min_pass_rate: MinPassRate = None,
    format: Annotated[str | None, typer.Option(help="The dataset's format, where it is not found out.")] = None,
    model: Model = None,
    tools: Tools = None,
    instructions: Instructions = None,
    real_tool: RealTool = None,
    max_steps: MaxSteps = 10,
    as_json: _Json = False,
) -> None:
    """Runs an agent over a dataset; every row ends as pass, fail, agent_error, judge_error or skipped.

    Exit codes: 0 passed; 1 the mean is below the threshold or an assertion fails; 3 inconclusive.
    """
    from afterturn.cli._evals import assertion_specs, checked, opened_parts
    from afterturn.cli._prices import check_prices
    from afterturn.evals import new_header, open_dataset

    if judge is not None and not rubric:
        raise UsageError("--judge has nothing to grade by; name a rubric: --rubric correctness, or leave it out")
    options = target_options(model, tools, instructions, real_tool, max_steps)
    config = configured(judge=judge)
    rows = open_dataset(dataset, format=format, tell=lambda line: note(str(line)))
    asked = tuple(check or ())
    specs = assertion_specs(asked)
    parts = opened_parts(target, options, tuple(rubric or ()), config.judge, specs, prices, deadline_s=deadline)
    checked(parts, rows, asked)
    check_prices(parts, model=model, capped=max_cost is not None)
    header = new_header(
        parts,
        rows,
        threshold=threshold,
        repeat=repeat,
        concurrency=jobs or 5,
        max_cost_usd=max_cost,
        deadline_s=deadline,
    )
    path = out or Path(f"eval-{datetime.now(UTC):%Y%m%d-%H%M%S}-{header.run}.jsonl")
    summary = asyncio.run(_started(header, parts, rows, path))
    _end(header, summary, path, min_coverage, min_pass_rate, as_json=as_json)


@eval_app.command("resume")
def resume_command(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The file of a run.")],
    max_cost: MaxCost = None,
    prices: PriceFile = None,
    jobs: _AtOnce = None,
    retry_errors: Annotated[bool, typer.Option(help="Do the rows again that ended in an error.")] = False,
    judge: Annotated[str | None, typer.Option(help=f"{_JUDGE} It must be the run's.")] = None,
    target: Annotated[
        str | None,
        typer.Option(help="The run's agent once more; only where it held a secret, which no run's file keeps."),
    ] = None,
    min_coverage: MinCoverage = 0.9,
    min_pass_rate: MinPassRate = None,
    as_json: _Json = False,
) -> None:
    """Goes on with a run that was stopped: what is done stays, found by its content, and nothing is done twice.

    A run of `simulate`, `redteam` or `eval check-judge` goes on by the command that began it, from the same folder.
    """
    from afterturn.cli._evals import opened_parts
    from afterturn.cli._prices import check_prices
    from afterturn.cli._resume import go_on, whole_target
    from afterturn.evals import RunFile, drop_errors, open_dataset, refuse_other
    from afterturn.evals.targets import TargetOptions

    ended = go_on(context, RunFile(run))
    if ended is not None:
        raise typer.Exit(ended)
    file = RunFile(run)
    header = file.header
    configured(judge=judge)
    rows = open_dataset(Path(header.dataset), format=header.dataset_format, tell=lambda line: note(str(line)))
    options = TargetOptions.from_json(header.options)
    parts = opened_parts(
        whole_target(file, target),
        options,
        tuple(ref.path or ref.name for ref in header.rubrics),
        judge or header.judge,
        header.assertions,
        prices,
        deadline_s=header.deadline_s,
    )
    refuse_other(file, parts)  # before a result is dropped
    check_prices(parts, model=options.model, capped=(max_cost, header.max_cost_usd) != (None, None))
    if retry_errors:
        note(f"{drop_errors(run)} results that ended in an error are done again")
        file = RunFile(run)
    summary = asyncio.run(_resumed(file, parts, rows, max_cost, jobs))
    _end(RunFile(run).header, summary, run, min_coverage, min_pass_rate, as_json=as_json)


@eval_app.command("report")
def report_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The file of a run.")],
    format: Annotated[
        str | None,
        typer.Option(
            help="terminal, html, junit, markdown or jsonl; by default terminal, and JSON figures where it is piped."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where the report goes; by default stdout.")
    ] = None,
    rows: Annotated[int, typer.Option(min=0, help="How many of the rows that did not pass are listed.")] = 20,
    min_coverage: MinCoverage = 0.9,
    min_pass_rate: MinPassRate = None,
    as_json: _Json = False,
) -> None:
    """Shows the figures of a run, with the coverage beside every mean, and the rows that did not pass.

    The exit code is that of the run: 0 passed; 1 failed; 3 inconclusive.
    """
    from afterturn.cli._evals import show_rows, write_report
    from afterturn.evals import RunFile, outcome

    file = RunFile(run)
    if format is not None and as_json:
        raise UsageError("--json gives the figures and --format a report; give one of them")
    if format is not None:
        summary = file.summary()
        found = outcome(
            summary, threshold=file.header.threshold, min_coverage=min_coverage, min_pass_rate=min_pass_rate
        )
        write_report(format, file, summary, found, out, rows)
        note(f"{found.verdict}: {found.told}")
        raise typer.Exit(found.exit_code)
    if out is not None:
        raise UsageError("-o needs a format: --format terminal, html, junit, markdown or jsonl")
    if not as_json and sys.stdout.isatty():
        with keeping_exit_code():
            show_rows(file, rows)
    _end(file.header, file.summary(), run, min_coverage, min_pass_rate, as_json=as_json)


async def _started(header: RunHeader, parts: Parts, rows: Dataset, path: Path) -> RunSummary:
    from afterturn.cli._evals import progress
    from afterturn.evals import start_run

    note(f"{header.planned} results to come, in {path}")
    try:
        with progress(header.planned) as show:
            return await start_run(header, parts, rows, path, show=show)
    finally:
        await parts.close()


async def _resumed(run: RunFile, parts: Parts, rows: Dataset, max_cost: float | None, jobs: int | None) -> RunSummary:
    from afterturn.cli._evals import progress
    from afterturn.evals import resume_run

    planned = rows.planned * run.header.repeat
    try:
        with progress(planned, done=len(run.done())) as show:
            return await resume_run(run, parts, rows, show=show, max_cost_usd=max_cost, concurrency=jobs)
    finally:
        await parts.close()


def _end(
    header: RunHeader,
    summary: RunSummary,
    path: Path,
    min_coverage: float,
    min_pass_rate: float | None,
    *,
    as_json: bool,
) -> None:
    """Shows the figures and ends with the exit code of what the run comes to."""
    from afterturn.cli._evals import show_summary
    from afterturn.evals import outcome, summary_to_json

    found: Outcome = outcome(
        summary, threshold=header.threshold, min_coverage=min_coverage, min_pass_rate=min_pass_rate
    )
    with keeping_exit_code():
        if as_json or not sys.stdout.isatty():
            figures = {"run": header.run, "file": str(path), "outcome": found.verdict, "reason": found.reason}
            typer.echo(json_line({**figures, **summary_to_json(summary), "bad_lines": header.bad_lines}))
        else:
            show_summary(header, summary)
    note(f"{found.verdict}: {found.told}")
    if summary.stop is not None:
        more = " --max-cost MORE" if summary.stop == "cost_cap" else ""
        note(f"go on with: afterturn eval resume {path}{more}")
    raise typer.Exit(found.exit_code)
