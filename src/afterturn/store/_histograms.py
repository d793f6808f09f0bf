"""Counts verdicts by confidence, in the transaction that stores them, and reads the counts.

A verdict is counted where its row goes from open to done, and a row does so once. So what is delivered twice, finished
twice or rolled back is counted as often as it is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Integer, Select, bindparam, delete, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from afterturn.calibration import DayHistogram, Histogram, Series
from afterturn.errors import UsageError
from afterturn.store._direct import Read, Write
from afterturn.store._records import Filter
from afterturn.store._schema import histogram_bins, histogram_series
from afterturn.turns import Turn
from afterturn.verdicts import Verdict

_EPOCH = date(1970, 1, 1)
_EPOCH_DAY = _EPOCH.toordinal()
_NO_CONFIDENCE = -1

_ALWAYS = ("tenant", "agent", "classifier", "version", "status")
_KEY = tuple(column for column in histogram_series.c if column.name != "n")
_KNOW = Write(upsert(histogram_series).on_conflict_do_nothing(index_elements=[column.name for column in _KEY]))
_FIND = Read(select(histogram_series.c.n).where(*[column == bindparam(column.name) for column in _KEY]))
_upsert = upsert(histogram_bins).from_select(
    ["series_n", "day", "bin", "verdicts"],
    select(
        histogram_series.c.n,
        bindparam("day", type_=Integer),
        bindparam("bin", type_=Integer),
        bindparam("verdicts", type_=BigInteger),
    ).where(*[column == bindparam(column.name) for column in _KEY]),
)
_ADD = Write(
    _upsert.on_conflict_do_update(
        index_elements=["series_n", "day", "bin"],
        set_={"verdicts": histogram_bins.c.verdicts + _upsert.excluded.verdicts},
    )
)


def count(
    connection: Connection,
    turn: Turn,
    verdicts: Iterable[Verdict],
    *,
    replayed_by: str | None = None,
    at: datetime | None = None,
    by: int = 1,
) -> None:
    """Counts verdicts of a turn whose rows are given them in the same transaction.

    Args:
        connection: A connection in that transaction.
        turn: The turn.
        verdicts: Its verdicts.
        replayed_by: The judge of a replay; None for live traffic.
        at: On whose day they are counted, where that is not the day of the verdict.
        by: How much each counts; -1 takes back what was counted.
    """
    rows = [_row(turn, one, replayed_by or "", at or one.created_at, by) for one in verdicts]
    if _ADD.run(connection, rows) < len(rows):  # some are of series that were never counted
        new = [row for row in rows if not _FIND.rows(connection, row)]
        _KNOW.run(connection, [{name: row[name] for name in Series._fields} for row in new])
        _ADD.run(connection, new)
    if by < 0:
        connection.execute(delete(histogram_bins).where(histogram_bins.c.verdicts == 0))


def histograms(connection: Connection, narrow: Filter) -> tuple[DayHistogram, ...]:
    """Gives the histograms of each series and day, by series, then by day.

    Raises:
        UsageError: The filter asks for a session or a turn: counts know neither.
    """
    rows: Any = connection.execute(query(narrow))  # a year is hundreds of thousands of rows: little is done for each
    days: list[DayHistogram] = []
    for (key, day), group in groupby(rows, key=_series_and_day):
        bins: dict[int, int] = {row[-2]: row[-1] for row in group}
        histogram = Histogram(unscored=bins.pop(_NO_CONFIDENCE, 0), counts=bins)
        days.append(DayHistogram(series=_series_of(*key), day=_EPOCH + timedelta(days=day), histogram=histogram))
    return tuple(days)


def totals(connection: Connection) -> tuple[tuple[Series, int], ...]:
    """Gives the number of live verdicts of each series, of all days."""
    series, bins = histogram_series.c, histogram_bins.c
    count = select(func.sum(bins.verdicts)).where(bins.series_n == series.n).scalar_subquery()
    rows: Any = connection.execute(select(*_KEY, count).where(series.replayed_by == ""))
    return tuple((_series_of(*row[:-1]), row[-1]) for row in rows if row[-1])


def _series_and_day(row: Any) -> tuple[Any, int]:
    return row[:-3], row[-3]


def _series_of(
    tenant: str, agent: str, classifier: str, version: str, status: str, label: str, reason: str, replayed_by: str
) -> Series:
    return Series(tenant, agent, classifier, version, status, label or None, reason or None, replayed_by or None)


def query(narrow: Filter) -> Select[Any]:
    """Builds the query; it reads counts and nothing else, so its cost does not grow with the verdicts."""
    if narrow.session is not None or narrow.turn is not None:
        raise UsageError("histograms are counted by tenant and agent; leave the session and the turn out")
    if narrow.judge is not None and not narrow.replayed:
        raise UsageError("live verdicts are not counted by judge; leave the judge out")
    bins = histogram_bins.c
    return (
        select(*_KEY, bins.day, bins.bin, bins.verdicts)
        .select_from(histogram_series)
        .join(histogram_bins, bins.series_n == histogram_series.c.n)
        .where(*_conditions(narrow))
        .order_by(*_KEY, bins.day, bins.bin)
    )


def _conditions(narrow: Filter) -> list[ColumnElement[bool]]:
    pairs = ((histogram_series.c[name], getattr(narrow, name)) for name in _ALWAYS)
    conditions: list[ColumnElement[bool]] = [column == value for column, value in pairs if value is not None]
    replayed_by = histogram_series.c.replayed_by
    if narrow.judge is not None:
        conditions.append(replayed_by == narrow.judge)
    else:
        conditions.append(replayed_by != "" if narrow.replayed else replayed_by == "")
    if narrow.since is not None:
        conditions.append(histogram_bins.c.day >= _day(narrow.since))
    if narrow.until is not None:
        conditions.append(histogram_bins.c.day <= _day(narrow.until - timedelta(microseconds=1)))
    return conditions


def _row(turn: Turn, verdict: Verdict, replayed_by: str, at: datetime, by: int) -> dict[str, Any]:
    """Gives the series, the day and the bin of a verdict, and how much it counts."""
    return {
        "tenant": turn.tenant,
        "agent": turn.agent.id,
        "classifier": verdict.classifier,
        "version": verdict.version,
        "status": verdict.status,
        "label": verdict.label or "",
        "reason": verdict.reason or "",
        "replayed_by": replayed_by,
        "day": _day(at),
        "bin": _bin(verdict),
        "verdicts": by,
    }


def _bin(verdict: Verdict) -> int:
    return _NO_CONFIDENCE if verdict.confidence is None else verdict.confidence


def _day(at: datetime) -> int:
    """Gives the days since 1970 in UTC."""
    return (at if at.tzinfo in (UTC, None) else at.astimezone(UTC)).toordinal() - _EPOCH_DAY
