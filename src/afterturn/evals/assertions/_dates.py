"""Reads dates and times, and says whether two mean the same.

ISO 8601, times with AM and PM, and dates with the month in English letters. `03/04/2026` is not read: it is two days.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time

Moment = tuple[date | None, time | None]
"""A day, a time of day, or both. A time with an offset is one in UTC."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WRITTEN = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_DAY} (?:of )?{_MONTH},? (?P<year>\d{{4}})",
        rf"{_MONTH} {_DAY},? (?P<year>\d{{4}})",
        r"(?P<year>\d{4})/(?P<number>\d{1,2})/(?P<day>\d{1,2})",
    )
)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?::(?P<second>\d{2}))? ?(?P<half>[ap])\.?m\.?")
_BETWEEN = re.compile(r"(?:,? at | ?t(?=\d)|, ?| )")
_LONGEST = 60


def same_moment(left: object, right: object) -> bool:
    """Says whether two texts name the same day, time or moment. A day is the same as its midnight.

    Example:
        >>> same_moment("2026-11-30T09:00:00Z", "2026-11-30 10:00+01:00"), same_moment("6:30 PM", "18:30:00")
        (True, True)
        >>> same_moment("2026-11-30", "30 November 2026"), same_moment("2026-11-30", "2026-12-01")
        (True, False)
    """
    one, other = read_moment(left), read_moment(right)
    return one is not None and other is not None and _filled(one) == _filled(other)


def read_moment(value: object) -> Moment | None:
    """Reads a date, a time or both; None where it is neither."""
    if not isinstance(value, str) or not 0 < len(value.strip()) <= _LONGEST:
        return None
    text = " ".join(value.split()).lower()
    if text.isdigit():
        return None  # a bare number is a number, though ISO 8601 lets a date be written so
    iso = _iso(text)
    if iso is not None:
        return iso
    day, rest = _written_day(text)
    if day is None:
        clock = _clock(text)
        return None if clock is None else (None, clock)
    if not rest:
        return day, None
    gap = _BETWEEN.match(rest)
    clock = _clock(rest[gap.end() :]) if gap else None
    return None if clock is None else (day, clock)


def _iso(text: str) -> Moment | None:
    upper = text.upper()
    with suppress(ValueError):
        return date.fromisoformat(upper), None
    with suppress(ValueError, OverflowError):
        found = datetime.fromisoformat(upper)
        moved = found.astimezone(UTC) if found.tzinfo else found
        return moved.date(), moved.timetz()
    return None


def _clock(text: str) -> time | None:
    found = _CLOCK.fullmatch(text)
    if found is None:
        if not re.match(r"\d{1,2}:\d", text):
            return None
        with suppress(ValueError):
            return time.fromisoformat(text.upper().zfill(len(text) + (text[1] == ":")))
        return None
    hour = int(found["hour"])
    if not 1 <= hour <= 12 or int(found["minute"] or 0) > 59 or int(found["second"] or 0) > 59:
        return None
    return time(hour % 12 + 12 * (found["half"] == "p"), int(found["minute"] or 0), int(found["second"] or 0))


def _written_day(text: str) -> tuple[date | None, str]:
    """Reads a day at the start of a text, and gives what is left of it."""
    if _ISO_DAY.match(text):
        with suppress(ValueError):
            return date.fromisoformat(text[:10]), text[10:]
    for pattern in _WRITTEN:
        found = pattern.match(text)
        if found is not None:
            parts = found.groupdict()
            month = int(parts["number"]) if "number" in parts else _MONTHS.index(parts["month"]) + 1
            with suppress(ValueError):
                return date(int(parts["year"]), month, int(parts["day"])), text[found.end() :]
    return None, text


def _filled(moment: Moment) -> Moment:
    day, clock = moment
    return day, clock or (time() if day is not None else None)
