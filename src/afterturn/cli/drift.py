"""`afterturn drift`: whether the scores of a recent period are still those that thresholds were chosen on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from afterturn.cli._common import configured, json_line, note, printable
from afterturn.cli._narrow import days_option
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.calibration import Drift
    from afterturn.store import Filter

ALARM, INCONCLUSIVE = 1, 3

_Period = tuple[datetime | None, datetime | None]

_WHY = {
    "psi": "the shares of the bands have shifted",
    "ks": "the scores have shifted, proven",
    "no_verdicts_then": "no answered verdict in the calibration period",
    "no_verdicts_now": "no answered verdict in the recent period",
    "few_verdicts_then": "too few answered verdicts in the calibration period",
    "few_verdicts_now": "too few answered verdicts in the recent period",
}


def drift_command(
    calibration: Annotated[
        Path | None,
        typer.Option(help="The calibration to compare with: a file that `afterturn calibrate --json` wrote."),
    ] = None,
    then_since: Annotated[str | None, typer.Option(help="Or its period: from then on; whole days in UTC.")] = None,
    then_until: Annotated[str | None, typer.Option(help="Before then; whole days in UTC.")] = None,
    since: Annotated[str, typer.Option(help="The recent period: from then on; whole days in UTC.")] = "7d",
    until: Annotated[str | None, typer.Option(help="Before then; whole days in UTC.")] = None,
    db: Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    classifier: Annotated[str | None, typer.Option(help="Only this classifier.")] = None,
    version: Annotated[str | None, typer.Option(help="Only this version of the classifier.")] = None,
    by: Annotated[
        Literal["agent", "tenant"], typer.Option(help="Compare each agent by itself, or all of a tenant's together.")
    ] = "agent",
    psi: Annotated[float, typer.Option(min=0, help="Ring from this population stability index on.")] = 0.25,
    watch: Annotated[float, typer.Option(min=0, help="Watch from this one on.")] = 0.1,
    ks: Annotated[
        float, typer.Option(min=0, max=1, help="Ring from this Kolmogorov-Smirnov distance on, if it is proven.")
    ] = 0.1,
    p_value: Annotated[float, typer.Option(min=0, max=1, help="Proven is a p-value of at most this, for all.")] = 0.01,
    least: Annotated[int, typer.Option(min=1, help="Fewest answered verdicts in each period.")] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, also on a terminal.")] = False,
) -> None:
    """Compares the scores of a recent period with those of the calibration period, and rings where they differ.

    A line for each tenant, agent (or with --by tenant all of them), classifier and version. It reads counts by day,
    never verdicts. Days that are in both periods are told; a recent period that lies wholly in the other is refused.
    Exit code 1: an alarm; 3: nothing could be compared.
    """
    from afterturn.calibration import Marks, drift
    from afterturn.store import Filter, open_store

    config = configured(db=db)
    narrow = Filter(tenant=tenant, agent=agent, classifier=classifier, version=version)
    recent = days_option(since, until)
    begin, end = _then(calibration, then_since, then_until)
    overlap = _overlap((begin, end), recent)
    if calibration is not None:
        narrow = _of_calibration(narrow, calibration)
    marks = Marks(watch=watch, alarm=psi, distance=ks, p_value=p_value, least=least)
    with open_store(config.db, create=False) as store:
        before = store.histograms(_during(narrow, begin, end))
        after = store.histograms(_during(narrow, *recent))
    found = drift(before, after, marks, by=by)
    if as_json or not sys.stdout.isatty():
        for one in found:
            sys.stdout.write(json_line(_json(one) | {"overlap": overlap}) + "\n")
    else:
        _print(found)
    if overlap is not None:
        note(
            f"the periods overlap: {overlap['from']} to {overlap['to']} is in both, and is compared with itself, which "
            "hides drift; give --since a later day"
        )
    _end(found, by)


def _end(found: Sequence[Drift], by: str) -> None:
    """Says how it stands, and ends with the code that a job can act on."""
    ringing = [one for one in found if one.state == "alarm"]
    compared = [one for one in found if one.state != "not_enough"]
    note(f"{len(compared)} compared, {len(ringing)} ring, {len(found) - len(compared)} without enough verdicts")
    if by == "agent" and not compared and len({one.group.tenant for one in found}) < len({*map(_owner, found)}):
        note("agents by themselves have too few; --by tenant takes those of a tenant together")
    if not found:
        note("no verdict in either period under these filters")
    if ringing:
        raise typer.Exit(ALARM)
    if not compared:
        raise typer.Exit(INCONCLUSIVE)


def _owner(one: Drift) -> tuple[str, str | None]:
    return one.group.tenant, one.group.agent


def _then(calibration: Path | None, since: str | None, until: str | None) -> tuple[datetime | None, datetime | None]:
    """Gives the calibration period."""
    if calibration is None:
        if since is None and until is None:
            raise UsageError("give --calibration FILE, or the period by --then-since and --then-until")
        return days_option(since, until, ("--then-since", "--then-until"))
    if since is not None or until is not None:
        raise UsageError("a calibration has its period; leave --then-since and --then-until out")
    from afterturn.cli._evidence import read_calibration

    report = read_calibration(calibration)
    first, last = (datetime.fromisoformat(report[name]).replace(tzinfo=UTC) for name in ("from", "to"))
    return first, last + timedelta(days=1)


def _overlap(then: _Period, recent: _Period) -> dict[str, str] | None:
    """Gives the first and the last day that are in both periods; a period without an end goes on until now.

    Raises:
        UsageError: The recent period lies wholly in the other.
    """
    (first, last), (since, until) = _closed(then), _closed(recent)
    if first <= since and until <= last:
        raise UsageError(
            f"the recent period lies wholly in the calibration period, which ends with {_day_before(last)}: it would "
            "be compared with itself; give --since a later day"
        )
    begin, end = max(first, since), min(last, until)
    return {"from": begin.date().isoformat(), "to": _day_before(end)} if begin < end else None


def _closed(period: _Period) -> tuple[datetime, datetime]:
    since, until = period
    begin = since or datetime.min.replace(tzinfo=UTC)
    return begin, until or max(begin, datetime.now(UTC))


def _day_before(end: datetime) -> str:
    """Gives the last day of a period that ends before a time."""
    return (end - timedelta(microseconds=1)).date().isoformat()


def _of_calibration(narrow: Filter, calibration: Path) -> Filter:
    """Looks at what the calibration is about, as far as no option says more."""
    from dataclasses import replace

    from afterturn.cli._evidence import read_calibration

    report = read_calibration(calibration)
    names = ("tenant", "agent", "classifier", "version")
    return replace(narrow, **{name: getattr(narrow, name) or report[name] for name in names})


def _during(narrow: Filter, since: datetime | None, until: datetime | None) -> Filter:
    from dataclasses import replace

    return replace(narrow, since=since, until=until)


def _json(one: Drift) -> dict[str, Any]:
    return one.group._asdict() | {
        name: getattr(one, name)
        for name in ("state", "why", "then", "now", "mean_then", "mean_now", "psi", "distance", "p_value")
    }


def _print(found: Sequence[Drift]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("tenant / agent", "classifier", "state", "verdicts", "mean", "PSI", "KS (p at most)", "why")
    for one in found:
        group = one.group
        table.add_row(
            printable(f"{group.tenant} / {group.agent or 'all'}"),
            printable(f"{group.classifier} {group.version}"),
            one.state,
            f"{one.then:,} → {one.now:,}",
            f"{_number(one.mean_then, 1)} → {_number(one.mean_now, 1)}",
            _number(one.psi, 3),
            "-" if one.p_value is None else f"{_number(one.distance, 3)} ({one.p_value:.2g})",
            _WHY[one.why] if one.why else "",
        )
    Console(markup=False, emoji=False, highlight=False).print(table)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
