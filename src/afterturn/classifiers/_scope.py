"""Cuts long instructions of an agent to the parts that matter for one reply: the scope is shortened, never dropped."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from afterturn.calls import CUT
from afterturn.language import sentences, stems

SCOPE_CHARACTERS = 6_000
_PART_CHARACTERS = 600

_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")


class _Part(NamedTuple):
    text: str
    stems: frozenset[str]


def scope_of(instructions: str, reply: str, limit: int = SCOPE_CHARACTERS) -> str:
    r"""Cuts instructions to a number of characters: their beginning, then the parts that the reply has to do with.

    A third of the room is the beginning, which says who the agent is. The rest goes to the paragraphs (of long ones the
    lines, of long lines the sentences) that share most word stems with the reply, a rare stem counting more than one
    that is everywhere; where there is room left, to the first others. They stay in their order.

    Args:
        instructions: The agent's instructions.
        reply: What the agent said.
        limit: Most characters of the result, marks of cuts included.

    Example:
        >>> text = "You sell bikes.\n\nNever talk about cars.\n\nRefunds take ten days.\n\nBe brief."
        >>> scope_of(text, "Refunds are paid within ten days.", limit=60)
        'You sell bikes. … [cut]\nRefunds take ten days. … [cut]'
    """
    if len(instructions) <= limit:
        return instructions
    start = _end_of_beginning(instructions, limit // 3)
    parts = _parts(instructions[start:].lstrip())
    beginning = instructions[:start].rstrip()
    kept = _kept(parts, _worth(parts, stems(reply)), limit - len(beginning) - len(CUT))
    return _joined(beginning, parts, kept)


def _end_of_beginning(text: str, limit: int) -> int:
    """Ends the beginning after a line if there is one in its second half, else after a word."""
    for mark in ("\n", " "):
        place = text.rfind(mark, limit // 2, limit + 1)
        if place > 0:
            return place
    return limit


@lru_cache(maxsize=16)
def _parts(text: str) -> tuple[_Part, ...]:
    """Cuts a text once for all replies of an agent."""
    return tuple(_Part(part, stems(part)) for part in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    for paragraph in filter(str.strip, _PARAGRAPHS.split(text)):
        if len(paragraph) <= _PART_CHARACTERS:
            yield paragraph.strip()
            continue
        for line in filter(str.strip, paragraph.split("\n")):
            yield from [line.strip()] if len(line) <= _PART_CHARACTERS else _of_long_line(line.strip())


def _of_long_line(line: str) -> Iterator[str]:
    piece = ""
    for sentence in sentences(line) or [line]:
        if piece and len(piece) + len(sentence) >= _PART_CHARACTERS:
            yield piece
            piece = ""
        piece = f"{piece} {sentence}".strip()
        while len(piece) > _PART_CHARACTERS:  # a sentence without an end: a list of names, a script without stops
            yield piece[:_PART_CHARACTERS]
            piece = piece[_PART_CHARACTERS:]
    if piece:
        yield piece


def _worth(parts: Sequence[_Part], said: frozenset[str]) -> list[float]:
    """Weighs what each part shares with the reply: a stem that few parts have counts more."""
    spread = Counter(stem for part in parts for stem in part.stems & said)
    return [sum(math.log(1 + len(parts) / spread[stem]) for stem in part.stems & said) for part in parts]


def _kept(parts: Sequence[_Part], worth: Sequence[float], room: int) -> list[int]:
    """Takes the worthiest parts that fit, the earlier of two alike, and gives their places in order."""
    kept: list[int] = []
    for index in sorted(range(len(parts)), key=lambda index: (-worth[index], index)):
        cost = len(parts[index].text) + len(CUT) + 1
        if cost <= room:
            kept.append(index)
            room -= cost
    return sorted(kept)


def _joined(beginning: str, parts: Sequence[_Part], kept: Sequence[int]) -> str:
    """Writes the beginning and the kept parts a line each, and marks where something is missing after them."""
    followed_by = [*kept, len(parts)]
    lines = [beginning + (CUT if followed_by[0] != 0 else "")]
    for index, following in zip(kept, followed_by[1:], strict=True):
        lines.append(parts[index].text + (CUT if following != index + 1 else ""))
    return "\n".join(lines)
