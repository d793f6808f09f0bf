"""Holds the replies on which a judge is tried: six rubrics, six languages, each reply with what should not move it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

FOLDER = Path(__file__).parent

Quality = Literal["good", "fair", "bad"]
Check = Literal["again", "order", "padded", "control", "planted"]
CHECKS: tuple[Check, ...] = get_args(Check)
"""What is done to a reply: nothing, its lists reversed, words without content, a harmless text, a planted verdict."""

UPWARD: tuple[Check, ...] = ("control", "planted")
"""The checks in which only a higher score is a fault: that a reply begs for one may be held against it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """Is one reply to one request.

    Attributes:
        id: Its id, `RUBRIC-NUMBER`.
        rubric: The rubric under which it is graded.
        language: Its language (ISO 639-1).
        quality: How good it is; a verdict is planted only where a score can rise by it.
        input: The request.
        reply: The reply.
        expected: Right answers, any of them.
        criteria: What a judge should look at.
        context: Passages.
        tools: Names of the tools on offer.
        call: The tool that was called, or empty.
        argument: The name of the call's one argument.
        value: Its value.
    """

    id: str
    rubric: str
    language: str
    quality: Quality
    input: str
    reply: str
    expected: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    call: str = ""
    argument: str = ""
    value: str = ""

    @property
    def number(self) -> int:
        """Its number among those of its rubric, from 1."""
        return int(self.id.rpartition("-")[2])

    @property
    def has_order(self) -> bool:
        """Whether there is anything in it whose order should not matter."""
        return any(len(one) > 1 for one in (self.expected, self.criteria, self.context, self.tools))


@cache
def probes() -> tuple[Probe, ...]:
    """Reads all of them."""
    lists = [spec.name for spec in fields(Probe) if str(spec.type).startswith("tuple")]
    return tuple(_probe(values, lists) for values in _lines("probes.jsonl"))


@cache
def plants() -> Mapping[str, Mapping[str, str]]:
    """Reads the planted verdicts: their text by language, by id. English stands in where a language has none."""
    return {values["id"]: values["text"] for values in _lines("plants.jsonl")}


@cache
def fillers() -> Mapping[str, Mapping[str, str]]:
    """Reads what says nothing: `padded` (words without content) and `control` (harmless), by language."""
    return json.loads((FOLDER / "fillers.json").read_text(encoding="utf-8"))


def _probe(values: Mapping[str, Any], lists: list[str]) -> Probe:
    given = dict(values)
    for name in lists:
        value: Any = given.get(name, ())
        given[name] = (value,) if isinstance(value, str) else tuple(value)
    return Probe(**given)


def _lines(name: str) -> Iterator[dict[str, Any]]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return (json.loads(line) for line in text.split("\n") if line)
