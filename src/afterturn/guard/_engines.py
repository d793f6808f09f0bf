"""Is what both engines share: what they answer, and where in a long text a pattern is worth trying."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from afterturn.guard._kernel import Kernel
from afterturn.guard._rules import Pattern

SHORT = 12_000
"""In a shorter text, looking everywhere is cheaper than looking where the words are."""


_MOST_PLACES = 32
"""Where the rarest words stand in more places, looking everywhere is cheaper."""

_FEW_PLACES = 8
"""Where words stand in so few places, no other group need be rarer."""

_MANY_TIMES = _MOST_PLACES // _FEW_PLACES
"""A word whose first few places are in so small a part of the text will be in too many."""


class Way(NamedTuple):
    """Is a way that a pattern may match in: groups of words, the rarest first, of each of which the text holds one.

    Attributes:
        groups: The words, or what stands for them.
        present: Those that the text holds.
        spell: Says which word it is.
    """

    groups: tuple[frozenset[Any], ...]
    present: set[Any]
    spell: Callable[[Any], str]

    def words(self, group: int) -> list[str]:
        """Lists the words of one group that the text holds."""
        return list(map(self.spell, self.groups[group] & self.present))


class Candidate(NamedTuple):
    """Is a pattern that may match.

    Attributes:
        at: Its index.
        near: The ways in which it may; none for a short text.
    """

    at: int
    near: tuple[Way, ...]


class PatternEngine(Protocol):
    """Finds patterns in a normalised text; the two engines give the same answers."""

    def candidates(self, text: str) -> list[Candidate]:
        """Lists the patterns that may match, in their order."""
        ...

    def spans(self, text: str, at: int, start: int, end: int) -> Iterable[tuple[int, int]]:
        """Finds the places where one pattern matches between two places, in code points, from left to right."""
        ...

    def kernels(self, text: str, at: int) -> Iterable[tuple[int, int]]:
        """Finds the places of the kernel of a pattern that has one, in code points, from left to right."""
        ...


class Windows:
    """Says where in one text a candidate is worth trying: where its words are near enough to each other.

    Args:
        text: The normalised text.
        engine: What finds kernels in it.
    """

    def __init__(self, text: str, engine: PatternEngine) -> None:
        self._text = text
        self._engine = engine
        self._flat = ""
        self._places: dict[str, list[int] | None] = {}

    def of(self, candidate: Candidate, pattern: Pattern) -> list[tuple[int, int]]:
        """Lists the stretches of the text that can hold a match, apart from each other and in order."""
        length = len(self._text)
        if length <= SHORT or not candidate.near:
            return [(0, length)]
        reach = pattern.width + 1
        found: set[int] = set()
        for way in candidate.near:
            rarest, places = self._fewest(way)
            if places is None or len(places) * 2 * reach > length:
                return self._around(candidate.at, pattern.kernel)
            others = [way.words(group) for group in range(len(way.groups)) if group != rarest]
            found.update(place for place in places if self._near(place, reach, others))
        return _merged(sorted(found), reach, reach, length)

    def _around(self, at: int, kernel: Kernel | None) -> list[tuple[int, int]]:
        """Lists the stretches around the kernels of a pattern whose words stand everywhere."""
        length = len(self._text)
        if kernel is None:
            return [(0, length)]
        before, after = kernel.before + 1, kernel.after + 1
        found: list[int] = []
        for start, end in self._engine.kernels(self._text, at):
            found += (start, end)  # what reaches both has them and what is between in one stretch
            if len(found) > 2 * _MOST_PLACES or (len(found) == 2 * _FEW_PLACES and start * _MANY_TIMES < length):
                return [(0, length)]
        return _merged(found, before, after, length)

    def _fewest(self, way: Way) -> tuple[int, list[int] | None]:
        """Gives the group that is rarest in this text, with its places; None where all are in many."""
        rarest, fewest = 0, self._all(way.words(0))
        for group in range(1, len(way.groups)):
            if fewest is not None and len(fewest) <= _FEW_PLACES:
                break
            places = self._all(way.words(group))
            if places is not None and (fewest is None or len(places) < len(fewest)):
                rarest, fewest = group, places
        return rarest, fewest

    def _near(self, place: int, reach: int, groups: Sequence[Sequence[str]]) -> bool:
        around = self._flat[max(0, place - reach) : place + reach]
        return all(any(word in around for word in group) for group in groups)

    def _all(self, words: Sequence[str]) -> list[int] | None:
        """Lists the places of words; None where they are more than are worth a look."""
        places: list[int] = []
        for word in words:
            found = self._of_word(word)
            if found is None:
                return None
            places += found
            if len(places) > _MOST_PLACES:
                return None
        return places

    def _of_word(self, word: str) -> list[int] | None:
        if word in self._places:
            return self._places[word]
        self._flat = flat = self._flat or self._text.replace("\n", " ")
        places: list[int] = []
        place = flat.find(word)
        while place >= 0:
            places.append(place)
            if len(places) > _MOST_PLACES or (len(places) == _FEW_PLACES and place * _MANY_TIMES < len(flat)):
                self._places[word] = None
                return None
            place = flat.find(word, place + 1)
        self._places[word] = places
        return places


def _merged(places: list[int], before: int, after: int, length: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - before), min(length, place + after)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
