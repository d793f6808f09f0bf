"""Finds which tools a leaked call names, and the arguments as the model wrote them (rules T3, T4, T7)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple, cast

ARGUMENT_KEYS = ("arguments", "parameters", "input", "args")
NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name")

_BEGINS = re.compile(r"<[|｜]tool[_▁]call[_▁]begin[|｜]>")
_ARGUMENTS = re.compile(rf'"(?:{"|".join(ARGUMENT_KEYS)})"\s*:\s*')
_STEPS = {False: re.compile(r'["{}\[\]]'), True: re.compile(r'["\\]')}
_DECODER = json.JSONDecoder()


class Call(NamedTuple):
    """Is one leaked call.

    Attributes:
        name: The tool's name.
        arguments: The arguments as written; cut off where the reply was.
    """

    name: str
    arguments: str


class Balance:
    """Finds where an object or list ends: brackets balance, and in double-quoted strings they do not count.

    Goes on where it stopped when asked again with more text.

    Args:
        start: Where the opening bracket is.
        brackets: The kinds that count, opening and closing ones in turn.
    """

    def __init__(self, start: int, brackets: str = "{}") -> None:
        self._at = start
        self._openers, self._closers = brackets[::2], brackets[1::2]
        self._depth = 0
        self._quoted = False

    def end(self, text: str) -> int | None:
        """Gives the place after the last closing bracket, or None where it has not arrived."""
        while step := _STEPS[self._quoted].search(text, self._at):
            character = step[0]
            if character == "\\" and step.end() == len(text):
                self._at = step.start()  # what it escapes has not arrived
                return None
            self._at = step.end() + (character == "\\")
            if character == '"':
                self._quoted = not self._quoted
            elif character in self._openers:
                self._depth += 1
            elif character in self._closers:
                self._depth -= 1
                if self._depth == 0:
                    return self._at
        self._at = len(text)
        return None


def calls_in(body: str, names: re.Pattern[str], known: Collection[str]) -> list[Call]:
    """Finds the calls in what stands between the tags of a leak.

    Args:
        body: What stands between the tags.
        names: Matches a known name as a whole word.
        known: The known names.

    Returns:
        The calls in order; empty where no known name occurs.
    """
    calls = [call for call in _json_calls(body) if call.name in known]
    return calls or [
        Call(found[0], _arguments_after(part, found.end()))
        for part in _BEGINS.split(body)
        if (found := names.search(part))
    ]


def fenced_calls(body: str, known: Collection[str]) -> list[Call]:
    """Finds the calls in the body of a fence; empty unless the whole body is JSON that calls known tools (T4)."""
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        return []
    items = cast("list[Any]", value if isinstance(value, list) else [value])
    if not all(_is_call(item, known) for item in items):
        return []
    return list(_json_calls(body))


def _is_call(item: Any, known: Collection[str]) -> bool:
    if not isinstance(item, dict):
        return False
    return _name(cast("dict[str, Any]", item)) in known and any(key in item for key in ARGUMENT_KEYS)


def _name(item: dict[str, Any]) -> str:
    for key in NAME_KEYS:
        if isinstance(value := item.get(key), str):
            return value
    inner = item.get("function")
    return _name(cast("dict[str, Any]", inner)) if isinstance(inner, dict) else ""


def _json_calls(body: str) -> Iterator[Call]:
    """Reads JSON objects in a row, or a list of them; stops at what is neither."""
    at = _skip_space(body, 0)
    while at < len(body):
        start = at
        try:
            value, at = _DECODER.raw_decode(body, at)
        except (ValueError, RecursionError):
            return
        for item in cast("list[Any]", value if isinstance(value, list) else [value]):
            if not isinstance(item, dict):
                return
            arguments = ""
            if found := _ARGUMENTS.search(body, start, at):
                inner, start = _DECODER.raw_decode(body, found.end())
                arguments = inner if isinstance(inner, str) else body[found.end() : start]
            yield Call(_name(cast("dict[str, Any]", item)), arguments)
        at = _skip_space(body, at)


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def _arguments_after(text: str, at: int) -> str:
    """Gives the arguments that follow a name: an object if there is one, else what is there, JSON aside."""
    key = _ARGUMENTS.search(text, at)
    start = key.end() if key else text.find("{", at)
    if start >= 0 and text.startswith("{", start):
        return text[start : Balance(start).end(text)]
    if key:
        return text[start:].strip()
    return "" if text.lstrip().startswith(("{", "[")) else text[at:].lstrip('">').strip()
