"""Finds patterns by google-re2: one Set of words says which patterns may match, and only those are located.

The Set holds the words that the patterns need, not the patterns: a Set of patterns with gaps has to build new states
for nearly every byte of a text made against it (measured: 2 s for 40 KB), a Set of words never does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from operator import itemgetter
from typing import Any, NamedTuple, cast

from afterturn.guard._engines import SHORT, Candidate, Way
from afterturn.guard._rarity import EDGE
from afterturn.guard._re2_words import Re2Words, set_of
from afterturn.guard._rules import Pattern

_MEMORY_BYTES = 64 << 20
_FORGET_BYTES = 4 << 20
"""Text after which patterns are compiled anew: what RE2 works out for texts stays with a pattern and only grows."""

_Group = frozenset[int]


class _Way(NamedTuple):
    """Is one way of a pattern: its index, and its groups of words, the rarest first."""

    at: int
    groups: tuple[_Group, ...]


_Asked = tuple[Callable[[set[int]], bool], tuple[_Group, ...], _Way]
"""Is what says at once that a text lacks the second group of a way, then its other groups, and the way."""


def _asked(way: _Way) -> _Asked:
    if len(way.groups) == 1:
        return (frozenset[int]().issuperset, (), way)  # no text lacks nothing
    return (way.groups[1].isdisjoint, way.groups[2:], way)


class Re2Engine:
    """Is the fast engine.

    Args:
        patterns: What to find; they are known by their index.

    Raises:
        ImportError: google-re2 is not installed (a package of another name may own the module `re2`).
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self._re2 = load_re2()
        self._options = re2_options(self._re2)
        self._patterns = patterns
        self._forget()
        ways = [(at, groups) for at, pattern in enumerate(patterns) for groups in pattern.needs]
        needed = sorted({word for _, groups in ways for group in groups for word in group})
        self._words = Re2Words(self._re2, self._options, needed)
        self._bare = tuple(word.strip(EDGE) for word in self._words.words)
        ids = {word: at for at, word in enumerate(self._words.words)}
        self._plain = [Candidate(at, ()) for at in range(len(patterns))]
        self._always = [self._plain[at] for at, pattern in enumerate(patterns) if not pattern.needs]
        self._by_trigger: dict[int, list[_Asked]] = {}
        for at, groups in ways:
            way = _Way(at, tuple(frozenset(map(ids.__getitem__, group)) for group in groups))
            asked = _asked(way)
            for word in way.groups[0]:
                self._by_trigger.setdefault(word, []).append(asked)
        self._triggers = frozenset(self._by_trigger)

    def _forget(self) -> None:
        """Begins anew with patterns that are compiled when they are needed; threads that hold one go on with it."""
        self._read = 0
        self._compiled: dict[int, Any] = {}
        self._kernels: dict[int, Any] = {}
        self._asks: list[Callable[[bytes], object] | None] = [None] * len(self._patterns)

    def candidates(self, text: str) -> list[Candidate]:
        """Lists the patterns that may match, in their order; of a short text, those that do."""
        data = text.encode("utf-8", "replace")
        self._read += len(data)
        if self._read > _FORGET_BYTES:
            self._forget()
        flat = data.replace(b"\n", b" ")
        words = self._words.plain(flat)
        if not text.isascii():
            words += self._words.beyond(flat)
        present = set(words)
        touched = self._triggers & present
        if not touched:
            return self._always
        kept = self._holding(touched, present)
        if len(text) > SHORT:
            found = self._placed(kept, present)
        else:
            asks, plain = self._asks, self._plain
            found = [plain[at] for at in sorted({way.at for way in kept}) if (asks[at] or self._ask(at))(data)]
        return sorted([*self._always, *found]) if self._always else found

    def _holding(self, touched: frozenset[int], present: set[int]) -> list[_Way]:
        """Lists the ways of which the text holds a word of each group; it is much of the work on a short text."""
        by_trigger = self._by_trigger
        kept: list[_Way] = []
        for word in touched:
            for lacks, rest, way in by_trigger[word]:
                if lacks(present):
                    continue
                for group in rest:
                    if group.isdisjoint(present):
                        break
                else:
                    kept.append(way)
        return kept

    def _placed(self, kept: list[_Way], present: set[int]) -> list[Candidate]:
        """Adds the words by which the places worth trying are found."""
        near: dict[int, list[Way]] = {}
        for at, groups in sorted({id(way): way for way in kept}.values(), key=itemgetter(0)):
            near.setdefault(at, []).append(Way(groups, present, self._bare.__getitem__))
        return [Candidate(at, tuple(ways)) for at, ways in near.items()]

    def spans(self, text: str, at: int, start: int, end: int) -> Iterable[tuple[int, int]]:
        """Finds the places where one pattern matches between two places, in code points, from left to right."""
        return _spans(self._pattern(at), text, start, end)

    def kernels(self, text: str, at: int) -> Iterable[tuple[int, int]]:
        """Finds the places of the kernel of a pattern that has one, in code points, from left to right."""
        known = self._kernels.get(at)
        if known is None:
            pattern = self._patterns[at]
            part = pattern.text[pattern.kernel.start : pattern.kernel.end] if pattern.kernel else pattern.text
            known = self._kernels[at] = self._re2.compile(part, self._options)
        return _spans(known, text, 0, len(text))

    def _ask(self, at: int) -> Callable[[bytes], object]:
        """Makes what says whether a pattern matches anywhere: a Set of it alone, in less time than a search."""
        ask = self._asks[at] = set_of(self._re2, self._options, [self._patterns[at].text])
        return ask

    def _pattern(self, at: int) -> Any:
        pattern = self._compiled.get(at)
        if pattern is None:
            pattern = self._compiled[at] = self._re2.compile(self._patterns[at].text, self._options)
        return pattern


def _spans(pattern: Any, text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    if text.isascii():
        return _byte_spans(pattern, text.encode(), start, end)
    return _wide_spans(pattern, text, start, end)


def _byte_spans(pattern: Any, data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Asks what the package wraps, where it is there: its wrapper makes an object of each match, in more time."""
    bare: Any = getattr(pattern, "_regexp", None)
    if bare is None:
        yield from (match.span() for match in pattern.finditer(data, start, end))
        return
    ask, anywhere = bare.Match, cast(Any, type(bare)).Anchor.UNANCHORED
    while start <= end:
        span = ask(anywhere, data, start, end)[0]
        if span[0] < 0:
            return
        yield span
        start = span[1] if span[1] > start else start + 1


def _wide_spans(pattern: Any, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    # The window alone is encoded, with one character on each side for the word boundaries at its edges.
    left, right = max(0, start - 1), min(len(text), end + 1)
    data = text[left:right].encode("utf-8", "replace")
    first, last = len(text[left:start].encode("utf-8", "replace")), len(data)
    last -= len(text[end:right].encode("utf-8", "replace"))
    byte, char = first, start
    for begin, finish in _byte_spans(pattern, data, first, last):
        opens = char + len(data[byte:begin].decode())
        char = opens + len(data[begin:finish].decode())
        byte = finish
        yield (opens, char)


def load_re2() -> Any:
    """Imports google-re2, and no other package that calls its module `re2`.

    Raises:
        ImportError: It is not there.
    """
    module = cast(Any, import_module("re2"))
    if not hasattr(module, "Set") or not hasattr(module.Set, "SearchSet"):
        raise ImportError("the module re2 is not google-re2; uninstall pyre2 and install google-re2")
    return module


def lint(pattern: str) -> str | None:
    """Says what RE2 has against a refined pattern, or None."""
    re2 = load_re2()
    try:
        re2.compile(pattern, re2_options(re2))
    except re2.error as error:
        message = error.args[0] if error.args else ""
        return message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
    return None


def re2_options(re2: Any) -> Any:
    """Makes the options that every pattern of the guard is compiled with."""
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES
    options.log_errors = False
    return options
