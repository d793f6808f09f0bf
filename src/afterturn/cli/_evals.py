"""What the eval commands share: opening the parts of a run, the progress bar, the tables."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from afterturn.cli._common import note, output, printable
from afterturn.cli._exit import keeping_exit_code
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from afterturn.evals import Dataset, Mean, Outcome, Parts, RowResult, RunFile, RunHeader, RunSummary, Tally
    from afterturn.evals._spend import Spend
    from afterturn.evals.targets import TargetOptions

_BY_DEFAULT = "expected_tool_calls"
"""The assertion that every run makes of the rows that declare it (SPEC D4)."""

_PIPE_COLUMNS = 120
_TERMINAL = "terminal"


def assertion_specs(given: Sequence[str]) -> tuple[str, ...]:
    """The assertions of a run: those that were given, and the one about tool calls that rows declare."""
    from afterturn.evals.assertions import assertion_names

    named = {spec.partition(":")[0] for spec in given}
    default = _BY_DEFAULT in assertion_names() and _BY_DEFAULT not in named
    return (*given, _BY_DEFAULT) if default else tuple(given)


def opened_parts(
    target: str,
    options: TargetOptions,
    rubrics: Sequence[str],
    judge: str | None,
    assertions: Sequence[str],
    prices: Path | None,
    *,
    deadline_s: float,
) -> Parts:
    """Opens agent, rubrics, judge and prices; a judge is only opened where a rubric needs one.

    Args:
        target: The agent, as `--target` names it.
        options: What goes with it.
        rubrics: Names of rubrics, or files.
        judge: The judge's name.
        assertions: What must hold of every reply.
        prices: The file of prices.
        deadline_s: Seconds that the judge has for a row; its own default would end it sooner.

    Raises:
        UsageError: One of them is not there, or two rubrics have the same name.
    """
    from afterturn.evals import Parts, load_prices, load_rubric
    from afterturn.evals.targets import open_target
    from afterturn.judges import open_judge

    loaded = tuple(load_rubric(name) for name in rubrics)
    if len({rubric.name for rubric in loaded}) < len(loaded):
        raise UsageError("two rubrics have the same name; give each once, or rename one")
    if loaded and judge is None:
        raise UsageError("a rubric needs a judge; name one: --judge provider:model, or AFTERTURN_JUDGE")
    table = load_prices(prices)
    # The runner has its own way with rate limits, and must see every one of them.
    opened = open_judge(judge, deadline_s=deadline_s, retries=False) if loaded and judge else None
    return Parts(
        target=open_target(target, options),
        rubrics=loaded,
        judge=opened,
        assertions=tuple(assertions),
        prices=table,
    )


def checked(parts: Parts, rows: Dataset, asserted: Sequence[str]) -> None:
    """Refuses a run that would check nothing.

    Raises:
        UsageError: There is neither rubric nor assertion, and no row declares one.
    """
    if rows.format == "promptfoo":
        _tell_unsupported(rows, judged=bool(parts.rubrics))
    if parts.rubrics or asserted:
        return
    declared = (row.assertions or (parts.assertions and row.expected_tool_calls is not None) for row in rows.rows())
    if rows.count and not any(declared):
        raise UsageError("nothing to check: give --rubric or --assert, or rows with expected_tool_calls or assert")


def _tell_unsupported(rows: Dataset, *, judged: bool) -> None:
    """Says which assertions of promptfoo are not checked, so that nobody believes they hold."""
    from afterturn.evals.importers.promptfoo import UNSUPPORTED

    kinds: Counter[str] = Counter()
    criteria = 0
    for row in rows.rows():
        criteria += bool(row.criteria)
        found = row.metadata.get(UNSUPPORTED)
        kinds.update(map(str, found) if isinstance(found, list) else ())
    if criteria and not judged:
        note(f"{criteria} rows have criteria for a judge (llm-rubric), unchecked: give --rubric custom --judge NAME")
    for kind, count in kinds.items():
        note(f"{count} assertions of promptfoo of the type {kind} are not checked: Afterturn has none like it")


@contextmanager
def progress(planned: int, *, done: int = 0) -> Generator[Callable[[RowResult, Tally, Spend], None]]:
    """Shows a bar with pass rate, cost and the time that is left, on a terminal; nothing where it is piped."""
    if not sys.stderr.isatty():
        yield lambda result, tally, spend: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=planned, completed=done)

        def show(result: RowResult, tally: Tally, spend: Spend) -> None:
            passed = tally.passed
            rate = "–" if passed.mean is None else f"{passed.mean:.0%}"
            bar.update(task, advance=1, description=f"passed {rate} of {passed.count}  {spend.told}")

        yield show


async def started_or_resumed(
    header: RunHeader, parts: Parts, rows: Dataset, path: Path, *, resume: bool, retry_errors: bool = False, noun: str
) -> RunFile:
    """Runs into a new file, or goes on with the run in it; agent and judge are closed however it ends.

    Args:
        header: The header of the new run; of a resumed one only the cap counts.
        parts: The live parts.
        rows: The dataset.
        path: The run's file.
        resume: Whether the file is there.
        retry_errors: Whether results that ended in an error are done again.
        noun: What a result is called (`results`).
    """
    from afterturn.evals import RunFile, drop_errors, refuse_other, resume_run, start_run

    if resume:
        refuse_other(RunFile(path), parts)  # before a result is dropped
    if retry_errors:
        note(f"{drop_errors(path)} {noun} that ended in an error are done again")
    done = len(RunFile(path).done()) if resume else 0
    note(f"{header.planned - done} {noun} to come, in {path}")
    try:
        with progress(header.planned, done=done) as show:
            if resume:
                await resume_run(RunFile(path), parts, rows, show=show, max_cost_usd=header.max_cost_usd)
            else:
                await start_run(header, parts, rows, path, show=show)
    finally:
        await parts.close()
    return RunFile(path)


def show_summary(header: RunHeader, summary: RunSummary, stream: TextIO | None = None) -> None:
    """Prints the figures of a run as a table, to stdout where no stream is given."""
    from rich.table import Table
    from rich.text import Text

    from afterturn.evals import redact_secrets

    title = redact_secrets(f"{header.target} · {header.dataset}")  # a header that was just made holds them yet
    table = Table(title=Text(printable(title)), title_justify="left")
    for name in ("", "mean", "of", "coverage"):
        table.add_column(name, justify="left" if not name else "right")
    table.add_row("score", *_cells(summary.score, "{:.1f}"))
    table.add_row("pass rate", *_cells(summary.pass_rate, "{:.1%}"))
    for name, mean in summary.rubrics.items():
        table.add_row(Text(printable(f"  {name}")), *_cells(mean, "{:.1f}"))
    for name, mean in summary.assertions.items():
        table.add_row(Text(printable(f"  {name}")), *_cells(mean, "{:.1%}"))
    table.add_row("latency", *_cells(summary.latency_ms, "{:.0f} ms"))
    console = _console(stream)
    console.print(table)
    for line in _lines(summary):
        console.print(printable(line), markup=False, highlight=False)


def show_rows(run: RunFile, most: int, stream: TextIO | None = None) -> None:
    """Prints the rows that did not pass: id, state, reason, score; to stdout where no stream is given."""
    from rich.table import Table
    from rich.text import Text

    from afterturn.evals.reports._rows import broken

    others = (result for result in run.results() if result.state != "pass")
    table = Table("row", "state", "reason", "score", "message")
    for result in islice(others, most):
        score = "" if result.score is None else str(result.score)
        told = "; ".join(filter(None, (broken(result), result.message)))
        told = told or next((one.reasoning for one in result.scores), "")
        cells = (result.row.id, result.state, result.reason or "", score, told[:120])
        table.add_row(*(Text(printable(cell)) for cell in cells))  # no markup: a message may hold brackets
    if table.row_count:
        _console(stream).print(table)


def _console(stream: TextIO | None) -> Console:
    """Gives a console; one that is no terminal is wide enough for messages, and gets no colours."""
    from rich.console import Console

    out = stream or sys.stdout
    return Console(file=out, width=None if out.isatty() else _PIPE_COLUMNS)


def write_report(format: str, run: RunFile, summary: RunSummary, found: Outcome, out: Path | None, rows: int) -> None:
    """Writes a report to a file, which appears whole or not at all, or to stdout.

    Args:
        format: Which report.
        run: The run.
        summary: Its figures.
        found: What they come to.
        out: The file, or None for stdout.
        rows: How many of the rows that did not pass `terminal` lists.

    Raises:
        UsageError: There is no such format, or the report would overwrite the run.
    """
    from afterturn.evals.reports import open_writer, report_formats

    if format not in (_TERMINAL, *report_formats()):
        raise UsageError(f"no report is called {format!r}; there are {', '.join((_TERMINAL, *report_formats()))}")
    write = None if format == _TERMINAL else open_writer(format)
    refuse_overwriting(out, "the report", {"the run": run.path, "its dataset": Path(run.header.dataset)})
    with keeping_exit_code(), output(out) as stream:
        if write is not None:
            write(run, summary, found, stream)
        else:
            show_rows(run, rows, stream)
            show_summary(run.header, summary, stream)


def refuse_overwriting(out: Path | None, what: str, kept: Mapping[str, Path]) -> None:
    """Refuses an output that would take the place of what a run is made of.

    Raises:
        UsageError: It would.
    """
    for name, path in kept.items():
        if out is not None and (
            out.resolve() == path.resolve() or (out.exists() and path.exists() and out.samefile(path))
        ):
            raise UsageError(f"{what} would overwrite {name}; name another file")


def _cells(mean: Mean, form: str) -> tuple[str, str, str]:
    value = "–" if mean.mean is None else form.format(mean.mean)
    return value, str(mean.count), f"{mean.coverage:.0%}"


def _lines(summary: RunSummary) -> list[str]:
    states = "  ".join(f"{state} {count}" for state, count in summary.states.items() if count)
    lines = [f"{summary.done} of {summary.planned} results: {states or 'none'}"]
    if summary.reasons:
        lines.append("reasons: " + ", ".join(f"{reason} {count}" for reason, count in summary.reasons.items()))
    known = summary.agent_cost.known_usd + summary.judge_cost.known_usd
    unknown = summary.agent_cost.unknown + summary.judge_cost.unknown
    lines.append(f"cost: ${known:.4f}" + (f" known; {unknown} calls have no known price" if unknown else ""))
    agreement = summary.agreement
    if agreement is not None and agreement.pairwise is not None:
        lines.append(
            f"repeats agree on {agreement.pairwise:.0%} of pairs; {agreement.unanimous:.0%} of {agreement.rows} rows "
            "always end the same"
        )
    return lines
