"""Reads one figure from a JSON file of another command."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn, cast

from afterturn._unreadable import why_unreadable
from afterturn.errors import UnreadableInputError
from afterturn.gate._strict import AHEAD, Problem

MOST_BYTES = 64 * 2**20


def figure(path: Path, place: str, written_at: str, now: datetime, max_age_hours: float) -> float | Problem:
    """Reads a figure, or says why there is none that counts.

    Args:
        path: The file.
        place: Dotted path to the figure; a number in it is a place in a list.
        written_at: Dotted path to the time at which the file was written.
        now: The time.
        max_age_hours: How old the file may be.

    Raises:
        UnreadableInputError: The file cannot be read, or is no JSON object.
    """
    whole = _read(path)
    old = _age(_at(whole, written_at), written_at, now, timedelta(hours=max_age_hours))
    if old is not None:
        return old
    value = _at(whole, place)
    if value is None:
        return Problem(code="missing_metric", told=f"there is nothing at {place}; write the path as in the file")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return Problem(code="not_a_number", told=f"what stands at {place} is no number")
    return float(value)


def _age(value: object, place: str, now: datetime, most: timedelta) -> Problem | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        return Problem(code="no_time_zone", told=f"there is no time with a zone at {place}, so its age is unknown")
    if at > now + AHEAD:
        return Problem(code="future", told="it was written in the future; set the clocks and write it again")
    if now - at > most:
        hours = (now - at).total_seconds() / 3600
        return Problem(code="stale", told=f"it is {hours:.0f} hours old; write it again")
    return None


def _at(value: Any, place: str) -> Any:
    for step in place.split("."):
        if isinstance(value, Mapping):
            value = cast(Mapping[str, Any], value).get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(cast(list[Any], value)):
            value = cast(list[Any], value)[int(step)]
        else:
            return None
    return value


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UnreadableInputError(f"{path} is too large for a file of figures; name the right file")
        value: Any = json.loads(path.read_bytes(), parse_constant=_refuse)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read: {why_unreadable(error)}") from None
    except (ValueError, RecursionError):
        raise UnreadableInputError(f"{path} is no JSON, or half of it; write it again") from None
    if not isinstance(value, dict):
        raise UnreadableInputError(f"{path} is no JSON object; name a file that is one")
    return cast(dict[str, Any], value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
