"""What the tests of the stream filter share: running one text in several splits."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pytest

from afterturn.stream import StreamFilter


@dataclass(frozen=True)
class Outcome:
    text: str
    cited: list[str]
    unknown: list[str]
    marks: list[tuple[str, int, int]]
    leaks: list[str]
    reasoning: str
    calls: list[tuple[str, str]]


def run(deltas: Iterable[str], aliases: Sequence[str] | None, tools: Sequence[str]) -> Outcome:
    calls: list[tuple[str, str]] = []
    chain = StreamFilter(aliases, tools, lambda name, arguments: calls.append((name, arguments)))
    text = "".join(chain.feed(delta) for delta in deltas) + chain.close()
    marks = [(mark.alias, mark.offset_cp, mark.offset_utf16) for mark in chain.marks]
    return Outcome(text, chain.cited, chain.unknown, marks, chain.leaks, chain.reasoning, calls)


def splits(text: str, *, count: int = 6) -> Iterator[list[str]]:
    """Gives the text whole, by character, and cut at random places (the same ones in every run)."""
    yield [text]
    yield list(text)
    yield [text[at : at + 2] for at in range(0, len(text), 2)]
    places = random.Random(text.encode("utf-8", "surrogatepass").hex())
    for _ in range(count):
        cuts = sorted({0, len(text), *(places.randint(0, len(text)) for _ in range(places.randint(1, 9)))})
        yield [text[start:end] for start, end in pairwise(cuts)]


Filtered = Callable[..., Outcome]


@pytest.fixture
def filtered() -> Filtered:
    """Filters deltas, or a text, in many splits; all must come out the same."""

    def filter_in_every_split(
        deltas: str | list[str], *, aliases: Sequence[str] | None = None, tools: Sequence[str] = ()
    ) -> Outcome:
        given = [deltas] if isinstance(deltas, str) else deltas
        outcome = run(given, aliases, tools)
        for split in splits("".join(given)):
            assert run(split, aliases, tools) == outcome
        return outcome

    return filter_in_every_split
