"""Reads the small fields of a turn: ids, texts, lists of names, the time."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from afterturn.formats._problem import FormatProblem, wrong_type
from afterturn.formats._values import is_list
from afterturn.turns import JsonValue

_MAX_ID_CHARS = 512
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TIME_HINT = "write ISO 8601, such as 2026-11-30T10:00:00Z, or seconds since 1970"


def read_id(value: JsonValue, path: str) -> str | None:
    """Reads an id: a string or an integer; None where there is none.

    Ids stand in logs, file names and URLs, so control characters and endless ids are refused.
    """
    if value is None or value == "":
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise wrong_type(path, value, "a string or an integer")
    if len(value) > _MAX_ID_CHARS or _CONTROL.search(value):
        raise FormatProblem(
            f"{path} is no id", f"an id has at most {_MAX_ID_CHARS} characters and no control characters"
        )
    return value


def read_text(value: JsonValue, path: str) -> str | None:
    """Reads a text that may be absent."""
    if value is None or isinstance(value, str):
        return value
    raise wrong_type(path, value, "a string")


def read_list(value: JsonValue, path: str) -> list[JsonValue]:
    """Reads a list that may be absent."""
    if value is None:
        return []
    if not is_list(value):
        raise wrong_type(path, value, "a list")
    return list(value)


def read_names(value: JsonValue, path: str) -> tuple[str, ...]:
    """Reads a list of strings that may be absent."""
    names: list[str] = []
    for index, name in enumerate(read_list(value, path)):
        if not isinstance(name, str):
            raise wrong_type(f"{path}[{index}]", name, "a string")
        names.append(name)
    return tuple(names)


def read_time(value: JsonValue, path: str) -> datetime | None:
    """Reads a time: ISO 8601 (without an offset it is UTC) or seconds since 1970."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return _from_iso(value, path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(path, value, "a time")
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        raise FormatProblem(f"{path} is out of range", "write seconds since 1970, not milliseconds") from None


def write_time(moment: datetime) -> str:
    """Writes a time as ISO 8601, `Z` for UTC; a time without an offset is UTC."""
    aware = moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)
    text = aware.isoformat()
    return f"{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else text


def _from_iso(text: str, path: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        aware.astimezone(UTC)  # the first and last day of the calendar have no UTC time in every zone
    except (ValueError, OverflowError):
        raise FormatProblem(f"{path} is no time", _TIME_HINT) from None
    return aware
