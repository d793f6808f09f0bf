"""Says which words of a list a text holds, by google-re2: a Set of words for each script that they need.

A Set keeps a thread for every word that a place of a text may still become, and makes a state of them when it first
meets the place. Words of other scripts are threads for nothing (measured on texts not seen before: five times the
time), so that a text is read by the Sets of its own scripts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from afterturn.guard._rarity import EDGE

_Ask = Callable[[bytes], "list[int] | None"]

_NO_LEAD = bytes(range(0xC0))
"""Bytes that begin no character of UTF-8 beyond ASCII: ASCII, and what follows a lead byte."""

_MARKS = 0xE2
"""Leads general punctuation, which stands beside any script."""

_SCRIPTS = (
    (_MARKS, _MARKS),
    (0xC2, 0xCD),  # Latin
    (0xCE, 0xCF),  # Greek
    (0xD0, 0xD4),  # Cyrillic
    (0xD5, 0xDF),  # Hebrew, Arabic
    (0xE0, 0xE1),  # Devanagari and others of India
    (0xE3, 0xE9),  # Chinese, Japanese
    (0xEA, 0xED),  # Korean
    (0xEE, 0xF4),
)
"""First and last lead byte of each."""


class Re2Words:
    """Finds words by their numbers.

    Args:
        re2: The module.
        options: What every Set is made with.
        words: The words; an `EDGE` at an end says that a word begins or ends there.
    """

    def __init__(self, re2: Any, options: Any, words: Sequence[str]) -> None:
        plain: list[int] = []
        others: dict[tuple[int, int], list[int]] = {}
        for at, word in enumerate(words):
            if word.isascii():
                plain.append(at)
            else:
                others.setdefault(_script(word), []).append(at)
        order = [*plain, *(at for script in others.values() for at in script)]
        self.words = tuple(words[at] for at in order)
        patterns = [_pattern(re2, word) for word in self.words]
        self._plain = set_of(re2, options, patterns[: len(plain)])
        self._others: list[tuple[frozenset[int], int, _Ask]] = []
        first = len(plain)
        for (low, high), script in others.items():
            ask = set_of(re2, options, patterns[first : first + len(script)])
            self._others.append((frozenset(range(low, high + 1)), first, ask))
            first += len(script)

    def plain(self, data: bytes) -> list[int]:
        """Lists the numbers of the words of ASCII that a text holds, in no order.

        Args:
            data: The text in UTF-8, with blanks for its line breaks.
        """
        return self._plain(data) or []

    def beyond(self, data: bytes) -> list[int]:
        """Lists the numbers of the other words."""
        leads = data.translate(None, _NO_LEAD)
        found: list[int] = []
        for script, first, ask in self._others:
            if not script.isdisjoint(leads):
                found += [first + at for at in ask(data) or ()]
        return found


def _script(word: str) -> tuple[int, int]:
    """Says by which lead bytes the script of a word is known; by that of marks where it has no other."""
    leads = set(word.encode("utf-8", "replace").translate(None, _NO_LEAD))
    lead = max(leads - {_MARKS}, default=_MARKS)
    return next(script for script in _SCRIPTS if script[0] <= lead <= script[1])


def _pattern(re2: Any, word: str) -> str:
    edges = (r"\b" * word.startswith(EDGE), r"\b" * word.endswith(EDGE))
    return re2.escape(word.strip(EDGE)).join(edges)


def set_of(re2: Any, options: Any, patterns: Iterable[str]) -> Callable[[bytes], list[int] | None]:
    """Makes a Set of patterns, and gives what says which of them are in a text in UTF-8: none or None where none is.

    What the package wraps is asked where it is there: its wrapper takes a third of the time for a short text.
    """
    known = re2.Set.SearchSet(options)
    for pattern in patterns:
        known.Add(pattern)
    known.Compile()
    return getattr(known, "_set", known).Match
