"""Narrows commands that look at scores: to whole days, and to one version of a classifier."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from afterturn.cli._when import check_period, since_option
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterturn.calibration import DayHistogram


def from_day(text: str | None, option: str = "--since") -> datetime | None:
    """Gives the midnight (UTC) with which the day of a time begins: histograms know whole days, and labels follow."""
    return _midnight(since_option(text, option), timedelta())


def to_day(text: str | None, option: str = "--until") -> datetime | None:
    """Gives the midnight (UTC) with which the day of a time ends, or the time itself if it is one."""
    return _midnight(since_option(text, option), timedelta(days=1) - timedelta(microseconds=1))


def days_option(
    since: str | None, until: str | None, names: tuple[str, str] = ("--since", "--until")
) -> tuple[datetime | None, datetime | None]:
    """Reads both ends of a period of whole days; one without a day is refused."""
    begin, end = from_day(since, names[0]), to_day(until, names[1])
    check_period(begin, end, names)
    return begin, end


def one_version(days: Iterable[DayHistogram], classifier: str) -> str:
    """Gives the one version that was judged; scores of several are not one scale.

    Raises:
        UsageError: There is none, or there are several.
    """
    versions = sorted({one.series.version for one in days if one.series.status in ("finding", "no_finding")})
    if not versions:
        raise UsageError(f"no answered verdict of {classifier} under these filters; judge turns first, or widen them")
    if len(versions) > 1:
        raise UsageError(f"{classifier} has verdicts of versions {', '.join(versions)}; choose one by --version")
    return versions[0]


def _midnight(at: datetime | None, later: timedelta) -> datetime | None:
    return None if at is None else datetime.combine((at + later).astimezone(UTC).date(), time(), UTC)
