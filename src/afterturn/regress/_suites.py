"""Reads the suites that come with the package: an agent, what it is asked, and what must hold for each turn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from afterturn.errors import UsageError
from afterturn.turns import JsonObject, JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteTurn:
    """Is one message of a suite.

    Attributes:
        message: What the customer writes.
        passages: What a search finds for it; None where none is made.
        checks: What must hold: the argument of each check, by its name.
    """

    message: str
    passages: tuple[JsonObject, ...] | None
    checks: Mapping[str, JsonValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class Suite:
    """Is a conversation with an agent, to be had with any model.

    Attributes:
        name: Its name.
        told: What it is about, in one sentence.
        agent: Id of the agent.
        instructions: The agent's system prompt.
        categories: The closed list of the agent's categories.
        opening: What the agent said before the first message; empty where it said nothing.
        turns: The messages, in order.
    """

    name: str
    told: str
    agent: str
    instructions: str
    categories: tuple[str, ...]
    opening: str
    turns: tuple[SuiteTurn, ...]


def suite_names() -> tuple[str, ...]:
    """Names the suites there are."""
    return tuple(_suites())


def load_suites(names: Sequence[str] = ()) -> tuple[Suite, ...]:
    """Reads suites of the package.

    Args:
        names: Their names; all where none is given.

    Raises:
        UsageError: There is no suite of a name.

    Example:
        >>> [len(suite.turns) for suite in load_suites(["rag", "large_prompt"])]
        [1, 4]
    """
    known = _suites()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"no suite is named {', '.join(map(repr, unknown))}; there are {', '.join(known)}")
    return tuple(_suite(name, known[name]) for name in dict.fromkeys(names or known))


def portal_prompt() -> str:
    """Gives the system prompt of the agent of `large_prompt`."""
    return _text("portal_prompt.txt")


@lru_cache(maxsize=1)
def _suites() -> dict[str, Any]:
    return json.loads(_text("suites.json"))


def _suite(name: str, written: Mapping[str, Any]) -> Suite:
    agent = written["agent"]
    file = agent.get("instructions_file")
    return Suite(
        name=name,
        told=written["told"],
        agent=agent["id"],
        instructions=_text(file) if file else agent["instructions"],
        categories=tuple(agent["categories"]),
        opening=written.get("opening", ""),
        turns=tuple(_turn(turn) for turn in written["turns"]),
    )


def _turn(written: Mapping[str, Any]) -> SuiteTurn:
    file = written.get("passages")
    return SuiteTurn(
        message=written["message"],
        passages=tuple(json.loads(_text(file))) if file else None,
        checks=written["checks"],
    )


def _text(file: str) -> str:
    return files("afterturn.regress").joinpath("suites", file).read_text(encoding="utf-8")
