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
