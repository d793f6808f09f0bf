"""`afterturn eval check-judge`: how far a judge is moved by what should not move it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from afterturn.cli._agent_options import MaxCost, MinCoverage, PriceFile
from afterturn.cli._common import configured, json_line, note, printable
from afterturn.cli._exit import keeping_exit_code
from afterturn.cli._resume import begun_by
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.evals import RunFile
    from afterturn.evals.steadiness import Check, Moves

INCONCLUSIVE = 3

_COLUMNS = ("moved", "95 %", "replies", "rose", "fell", "to pass", "to fail", "shift")
_FEWER = ("moved", "95 %", "to pass", "to fail", "shift")
"""For the table whose first column is long: a terminal of 80 columns holds no more."""


def check_judge_command(
    context: typer.Context,
    judge: Annotated[str | None, typer.Option(help="The judge: provider:model, llama:PATH, or encoder.")] = None,
    rubric: Annotated[
        list[str] | None,
        typer.Option(help="A rubric by name, or a file NAME.md; may be given again. All that there are by default."),
    ] = None,
    checks: Annotated[
        str | None, typer.Option(help="Only these, with commas between: again, order, padded, control, planted.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many replies of each rubric.")] = None,
    moved_by: Annotated[int, typer.Option(min=1, max=100, help="From so many points on, a score has moved.")] = 10,
    max_moved: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Exit code 1 where order, padding or plants move a larger share of the scores."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run's file; by default named by the time.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the file of --out.")] = False,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="With --resume: do those rows again that ended in an error.")
    ] = False,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, max=256, help="Calls at once, at most.")] = 5,
    deadline: Annotated[float, typer.Option(min=0.001, help="Seconds that the judge has for a reply.")] = 120,
    max_cost: MaxCost = None,
    prices: PriceFile = None,
    min_coverage: MinCoverage = 0.9,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line, also on a terminal.")] = False,
) -> None:
    """Grades prepared replies again in another order, padded, and with planted verdicts: does the judge's score move?

    Exit codes: 0 measured; 1 a larger share than --max-moved moved; 3 inconclusive.
    """
    from afterturn.cli._evals import started_or_resumed
    from afterturn.cli._prices import check_prices
    from afterturn.evals import load_prices
    from afterturn.evals.steadiness import dataset_of, figures, header_of, open_check
    from afterturn.judges import open_judge

    config = configured(judge=judge)
    if config.judge is None:
        raise UsageError("name the judge: --judge provider:model, or AFTERTURN_JUDGE")
    if (resume or retry_errors) and (out is None or not resume):
        raise UsageError("--resume goes on with the run in a file; name it: --out FILE --resume")
    chosen = _chosen(checks)
    # The runner has its own way with rate limits, and must see every one of them.
    opened = open_judge(config.judge, deadline_s=deadline, retries=False)
    parts = open_check(opened, tuple(rubric or ()), prices=load_prices(prices))
    check_prices(parts, capped=max_cost is not None)
    rows = dataset_of(parts, checks=chosen, limit=limit)
    header = header_of(
        parts, rows, concurrency=jobs, deadline_s=deadline, max_cost_usd=max_cost, command=begun_by(context)
    )
    path = out or Path(f"check-judge-{datetime.now(UTC):%Y%m%d-%H%M%S}-{header.run}.jsonl")
    going = started_or_resumed(header, parts, rows, path, resume=resume, retry_errors=retry_errors, noun="grades")
    run = asyncio.run(going)
    found = figures(run.results(), moved_by=moved_by)
    with keeping_exit_code():
        _show(run, found, moved_by, as_json=as_json or not sys.stdout.isatty())
    raise typer.Exit(_ended(run, found, max_moved, min_coverage))


def _chosen(checks: str | None) -> Collection[Check]:
    from afterturn.evals.steadiness import CHECKS

    named = [name.strip() for name in (checks or "").split(",") if name.strip()]
    unknown = [name for name in named if name not in CHECKS]
    if unknown:
        raise UsageError(f"there is no check {unknown[0]!r}; there are {', '.join(CHECKS)}")
    return cast("list[Check]", named) or CHECKS


def _ended(run: RunFile, found: Mapping[str, Moves], max_moved: float | None, min_coverage: float) -> int:
    """Says what the figures come to, and gives the exit code."""
    from afterturn.evals.steadiness import CHECKS

    stop = run.summary().stop
    whole = {name: found[name] for name in CHECKS if name in found}
    if stop is not None:
        note(f"inconclusive: the run stopped before its end ({stop}); go on with: afterturn eval resume {run.path}")
        return INCONCLUSIVE
    if not whole or any(one.coverage < min_coverage for one in whole.values()):
        note(f"inconclusive: fewer than {min_coverage:.0%} of the pairs have two scores; see `eval report {run.path}`")
        return INCONCLUSIVE
    over = [name for name in ("order", "padded", "planted") if max_moved is not None and _above(whole, name, max_moved)]
    if over:
        note(f"failed: more than {max_moved:.0%} of the scores moved: {', '.join(over)}")
    return 1 if over else 0


def _above(found: Mapping[str, Moves], name: str, most: float) -> bool:
    rate = found[name].rate.rate if name in found else None
    return rate is not None and rate > most


def _show(run: RunFile, found: Mapping[str, Moves], moved_by: int, *, as_json: bool) -> None:
    summary = run.summary()
    if as_json:
        told = {"run": run.header.run, "file": str(run.path), "judge": run.header.judge, "moved_by": moved_by}
        cost = {"cost_usd": summary.cost_usd, "stop": summary.stop}
        typer.echo(json_line({**told, **cost, "checks": {name: one.to_json() for name, one in found.items()}}))
        for name, one in found.items():
            if ":" not in name:
                note(f"{name}: moved {one.moved} of {one.pairs} scores, {one.replies_moved} of {one.replies} replies")
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console()
    console.print(printable(f"{run.header.judge}: scores that moved by {moved_by} points or more"), markup=False)
    for detail in (False, True):
        shown = _COLUMNS if not detail else _FEWER
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("check", no_wrap=True)
        for name in shown:
            table.add_column(name, justify="right", no_wrap=True)
        for name, one in found.items():
            if (":" in name) is detail:
                cells = dict(zip(_COLUMNS, _cells(one), strict=True))
                table.add_row(printable(name), *(cells[column] for column in shown))
        console.print(table)


def _cells(one: Moves) -> tuple[str, ...]:
    rate, shift = one.rate, "–" if one.shift is None else f"{one.shift:+.1f}"
    bounds = "–" if rate.low is None or rate.high is None else f"{rate.low:.0%}–{rate.high:.0%}"
    counts = map(str, (one.rose, one.fell, one.to_pass, one.to_fail))
    return f"{one.moved}/{one.pairs}", bounds, f"{one.replies_moved}/{one.replies}", *counts, shift
