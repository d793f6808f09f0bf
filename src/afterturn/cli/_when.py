"""Reads points in time as people write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import typer

_AGO = re.compile(r"(\d{1,6})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def since_option(text: str | None, option: str = "--since") -> datetime | None:
    """Reads a time: a date, a date and time (UTC where no zone is given), or how long ago (30m, 24h, 7d)."""
    if text is None:
        return None
    ago = _AGO.fullmatch(text)
    try:
        if ago:
            return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise typer.BadParameter(
            "give a date (2026-11-30), a time (2026-11-30T10:00:00Z) or how long ago (30m, 24h, 7d)",
            param_hint=option,
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def period_option(
    since: str | None, until: str | None, names: tuple[str, str] = ("--since", "--until")
) -> tuple[datetime | None, datetime | None]:
    """Reads both ends of a period; one that cannot hold anything is a slip, not a question."""
    begin, end = since_option(since, names[0]), since_option(until, names[1])
    check_period(begin, end, names)
    return begin, end


def check_period(begin: datetime | None, end: datetime | None, names: tuple[str, str] = ("--since", "--until")) -> None:
    """Refuses a period that ends before it begins."""
    if begin is not None and end is not None and begin >= end:
        raise typer.BadParameter(
            f"it must be later than {names[0]}: nothing lies between {begin:%Y-%m-%dT%H:%M} and {end:%Y-%m-%dT%H:%M}",
            param_hint=names[1],
        )
