"""Reads and writes the filtered reply, which a turn keeps beside the raw one."""

from __future__ import annotations

from afterturn.formats._fields import read_names
from afterturn.formats._problem import FormatProblem
from afterturn.formats._values import is_list, is_object
from afterturn.turns import JsonObject, JsonValue, Mark, Reply

_KEY = "filtered_reply"


def read_reply(extra: dict[str, JsonValue]) -> Reply | None:
    """Takes the filtered reply out of the keys of a turn; None where nobody has filtered it."""
    wire = extra.pop(_KEY, None)
    if wire is None:
        return None
    text, raw = (wire.get("text"), wire.get("raw")) if is_object(wire) else (None, None)
    if not is_object(wire) or not isinstance(text, str) or not isinstance(raw, str):
        raise FormatProblem(f"{_KEY} is no filtered reply", f"leave {_KEY} out; Afterturn writes it itself")
    marks = wire.get("marks")
    return Reply(
        text=text,
        raw=raw,
        cited=read_names(wire.get("cited"), f"{_KEY}.cited"),
        unknown=read_names(wire.get("unknown"), f"{_KEY}.unknown"),
        marks=tuple(_read_mark(mark) for mark in marks) if is_list(marks) else (),
        leaks=read_names(wire.get("leaks"), f"{_KEY}.leaks"),
        complete=wire.get("complete") is not False,
    )


def reply_to_json(reply: Reply) -> JsonObject:
    """Writes the filtered reply."""
    return {
        "text": reply.text,
        "raw": reply.raw,
        "cited": reply.cited,
        "unknown": reply.unknown,
        "marks": [list(mark) for mark in reply.marks],
        "leaks": reply.leaks,
        "complete": reply.complete,
    }


def _read_mark(value: JsonValue) -> Mark:
    if is_list(value) and len(value) == 3:
        alias, offset_cp, offset_utf16 = value
        if isinstance(alias, str) and isinstance(offset_cp, int) and isinstance(offset_utf16, int):
            return Mark(alias, offset_cp, offset_utf16)
    raise FormatProblem(f"{_KEY}.marks holds what is no mark", "a mark is [alias, offset_cp, offset_utf16]")
