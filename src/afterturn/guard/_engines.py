"""Is what both engines share: what they answer, and where in a long text a pattern is worth trying."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from afterturn.guard._rules import Pattern

_SHORT = 1500
"""In a shorter text, looking everywhere is cheaper than looking where the words are."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Is a pattern that may match.

    Attributes:
        at: Its index.
        near: For each group of words that it needs, the words of it that the text holds.
    """

    at: int
    near: tuple[tuple[str, ...], ...]


class PatternEngine(Protocol):
    """Finds patterns in a normalised text; the two engines give the same answers."""

    def candidates(self, text: str) -> list[Candidate]:
        """Lists the patterns that may match, in their order."""
        ...

    def spans(self, text: str, at: int, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Finds the places where one pattern matches between two places, in code points, from left to right."""
        ...


class Windows:
    """Says where in one text a candidate is worth trying: where its words are near enough to each other.

    Args:
        text: The normalised text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._flat = ""
        self._places: dict[str, list[int]] = {}

    def of(self, candidate: Candidate, pattern: Pattern) -> list[tuple[int, int]]:
        """Lists the stretches of the text that can hold a match, apart from each other and in order."""
        length = len(self._text)
        if length <= _SHORT or not candidate.near:
            return [(0, length)]
        reach = pattern.width
        found = self._all(candidate.near[0])
        if len(found) * 2 * reach > length * 2:
            return [(0, length)]
        if len(candidate.near) > 1:
            found = _near(found, self._all(candidate.near[1]), reach)
        return _merged(found, reach + 1, length)

    def _all(self, words: Sequence[str]) -> list[int]:
        if len(words) == 1:
            return self._of_word(words[0])
        return sorted({place for word in words for place in self._of_word(word)})

    def _of_word(self, word: str) -> list[int]:
        places = self._places.get(word)
        if places is None:
            self._flat = flat = self._flat or self._text.replace("\n", " ")
            places = self._places[word] = []
            place = flat.find(word)
            while place >= 0:
                places.append(place)
                place = flat.find(word, place + 1)
        return places


def _near(places: list[int], others: list[int], reach: int) -> list[int]:
    near: list[int] = []
    for place in places:
        at = bisect_left(others, place - reach)
        if at < len(others) and others[at] <= place + reach:
            near.append(place)
    return near


def _merged(places: list[int], reach: int, length: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - reach), min(length, place + reach)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
