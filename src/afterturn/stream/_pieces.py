"""Names the pieces that every provider's stream is made of, and reads values that may be missing or odd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class Started:
    """Says that what follows belongs to this message."""

    id: str


@dataclass(frozen=True, slots=True)
class Said:
    """Is text for the user; a refusal comes in a channel of its own."""

    text: str
    refusal: bool = False


@dataclass(frozen=True, slots=True)
class Thought:
    """Is reasoning that the provider kept apart."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """Is a piece of a tool call; pieces of one call share the index."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Says that the message is complete, and why it ended."""

    reason: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Says that the provider ended the stream with an error."""


Piece = Started | Said | Thought | Called | Stopped | Broken


def get(of: object, name: str) -> Any:
    """Gives a value of a mapping or of an object; None where there is none."""
    if isinstance(of, Mapping):
        return cast("Mapping[str, Any]", of).get(name)
    return getattr(of, name, None)


def text_of(value: object) -> str:
    """Gives a text; anything else is none."""
    return value if isinstance(value, str) else ""


def number_of(value: object) -> int:
    """Gives an index; anything else is 0."""
    return value if isinstance(value, int) else 0


def items_of(value: object) -> Iterator[object]:
    """Gives the items of a list; anything else has none."""
    if isinstance(value, (list, tuple)):
        yield from cast("list[object]", value)
