"""Brings a text into the one form that the rules are written in, and finds the way back to the original.

Each step is one call into C over the whole text. Which place of the original a place of the result came from is worked
out only when somebody asks, which is only when something was found.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice
from operator import add

from afterturn.guard._fold import FoldTable, look_alikes
from afterturn.guard._found import found_anywhere

_FOLD = FoldTable()
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}[0-9]{0,2});")
_JAMO = re.compile("[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?")
_BREAK_BLANK = re.compile(r"\n[ \n]")
_BREAKS = re.compile(r" \n[ \n]*|\n[ \n]+")
_BLANKS = re.compile(r" {2,}")
_FOREIGN = "\u0180-\u02af\u0370-\u058f\u10a0-\u10ff\u13a0-\u13ff\u1d00-\u1dbf\u2c80-\u2cff\ua4d0-\ua7ff\uab30-\uabbf"
_MIXED = re.compile(f"[a-z][{_FOREIGN}]|[{_FOREIGN}][a-z]")
_FOREIGN_RUN = re.compile(f"[{_FOREIGN}]+")
_FOREIGN_WORD = re.compile(f"(?<![a-z{_FOREIGN}])[a-z]*[{_FOREIGN}][a-z{_FOREIGN}]*")
_MIXED_WORD = re.compile(f"(?<![a-z{_FOREIGN}])(?:[a-z]+[{_FOREIGN}]|[{_FOREIGN}]+[a-z])[a-z{_FOREIGN}]*")
_TWINS = frozenset("асеорхуіјѕһӏԁԛԝοανιυρκχօոսհ")
"""Letters that look exactly like a Latin one: what a word of these alone says in a Latin text is Latin."""
_MANY = 3
"""In a text that mixes scripts so often, short words are disguised too."""
_CONTROLS = bytes([*range(10), *range(11, 32), 127])
_LOWER = bytes(range(256)).lower()
_LATIN_WORD = re.compile("[a-z]{3}")
_ASCII = bytes(range(128))
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_ASCII_FOLD = bytes.maketrans(bytes([*range(65, 91), 9, 11, 12, 13]), _LETTERS + b" \n\n\n")
_ODD_ASCII = "".join(map(chr, [*range(9), *range(14, 32), 127]))
_MANY_CHANGED = 100
"""So many different characters that change are folded by a table: each costs a look at the whole text."""

Replace = Callable[[re.Match[str]], str] | str


@dataclass(frozen=True, slots=True)
class _Step:
    """Is one rewriting that changed lengths: what it read, what it looked for, what it put there."""

    before: str
    pattern: re.Pattern[str]
    replace: Replace

    def edits(self) -> _Edits:
        spans = [match.span() for match in self.pattern.finditer(self.before)]
        replace = self.replace
        if isinstance(replace, str):
            put = [len(replace)] * len(spans)
        else:
            put = [len(replace(match)) for match in self.pattern.finditer(self.before)]
        shifts = [0, *accumulate(length - end + start for (start, end), length in zip(spans, put, strict=True))]
        old_starts, old_ends = [start for start, _ in spans], [end for _, end in spans]
        return _Edits(
            new_starts=list(map(add, old_starts, shifts)),
            new_ends=list(map(add, old_ends, shifts[1:])),
            old_starts=old_starts,
            old_ends=old_ends,
        )


@dataclass(frozen=True, slots=True)
class _Edits:
    """Holds where a step put something of another length, to go from its result back to what it read."""

    new_starts: list[int]
    new_ends: list[int]
    old_starts: list[int]
    old_ends: list[int]

    def start(self, index: int) -> int:
        """Goes back from the start of something: over what was deleted just before it."""
        at = bisect_right(self.new_starts, index) - 1
        if at < 0:
            return index
        if index < self.new_ends[at]:
            return self.old_starts[at]
        return self.old_ends[at] + index - self.new_ends[at]

    def end(self, index: int) -> int:
        """Goes back from the end of something: what was deleted just after it stays outside."""
        at = bisect_left(self.new_starts, index) - 1
        if at < 0:
            return index
        if index <= self.new_ends[at]:
            return self.old_ends[at]
        return self.old_ends[at] + index - self.new_ends[at]


class Normalized:
    """Is a text as the rules read it.

    Attributes:
        text: Lower case, one blank for several, no diacritics, nothing invisible, look-alikes as Latin letters.
        spaced: The same before runs of blanks became one; there, two blanks between spaced letters mean a new word.
    """

    __slots__ = ("_edits", "_steps", "spaced", "text")

    def __init__(self, text: str, spaced: str, steps: tuple[_Step, ...]) -> None:
        self.text = text
        self.spaced = spaced
        self._steps = steps
        self._edits: list[_Edits] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Says which span of the original a span of `text` came from."""
        for edits in self._back():
            start, end = edits.start(start), edits.end(end)
        return (start, max(start, end))

    def offset(self, index: int) -> int:
        """Says at which code point of the original the character at `index` of `text` came from."""
        for edits in self._back():
            index = edits.start(index)
        return index

    def rewritten(self, pattern: re.Pattern[str], replace: Callable[[str], str]) -> Normalized:
        """Gives the text with more of it rewritten, before its blanks become one; places still lead back."""
        steps = [step for step in self._steps if step.pattern not in (_BLANKS, _BREAKS)]
        known = _Known(replace)  # the way back asks for the same again
        return _collapsed(_rewrite(self.spaced, pattern, lambda match: known[match.group()], steps), steps)

    def replaced(self, text: str) -> Normalized:
        """Gives the same with another text of the same length, letter for letter."""
        return Normalized(text, text, self._steps)

    def _back(self) -> list[_Edits]:
        if self._edits is None:
            self._edits = [step.edits() for step in reversed(self._steps)]
        return self._edits


class _Known(dict[str, str]):
    """Remembers what was put for what."""

    def __init__(self, replace: Callable[[str], str]) -> None:
        super().__init__()
        self._replace = replace

    def __missing__(self, found: str) -> str:
        put = self[found] = self._replace(found)
        return put


def normalize(text: str) -> Normalized:
    """Normalises a text for matching.

    Args:
        text: Any text; NUL and lone surrogates are no trouble.

    Returns:
        The text to match on, and the way back.
    """
    steps: list[_Step] = []
    if "&" in text:
        text = _rewrite(text, _ENTITY, _character, steps)
    lower = text.encode().translate(_LOWER, _CONTROLS) if text.isascii() else b""
    text = lower.decode() if len(lower) == len(text) else _folded(text, steps)
    return _collapsed(text, steps)


def _collapsed(spaced: str, steps: list[_Step]) -> Normalized:
    text = spaced
    if text.rfind("  ") >= 0:  # from the end: `in` stops at each single blank, and takes four times as long
        text = _rewrite(text, _BLANKS, " ", steps)
    if "\n" in text and (_BREAK_BLANK.search(text) or " \n" in text):
        text = _rewrite(text, _BREAKS, "\n", steps)
    return Normalized(text, spaced, tuple(steps))


def _folded(text: str, steps: list[_Step]) -> str:
    if text.isascii():
        folded, odd = text.translate(_FOLD), _FOLD.odd.intersection(text)
    else:
        if found_anywhere(_JAMO, text):
            text = _rewrite(text, _JAMO, _syllable, steps)
        folded, odd = _folded_beyond(text)
    if odd:
        steps.append(_Step(text, re.compile(f"[{re.escape(''.join(sorted(odd)))}]+"), _translated))
    return folded if folded.isascii() else _latinised(folded)


def _folded_beyond(text: str) -> tuple[str, set[str]]:
    """Folds a text that is not ASCII, and says which of its characters stand for none or several.

    ASCII is folded byte by byte in UTF-8, and each other character that changes by itself: a table of characters is
    asked for each place of a text, which takes ten times as long.
    """
    data = text.encode("utf-8", "surrogatepass")
    chars = set(data.translate(None, _ASCII).decode("utf-8", "surrogatepass"))
    chars.update(char for char in _ODD_ASCII if char in text)
    changed = {char: folded for char in chars if (folded := _FOLD[ord(char)]) != char}
    odd = _FOLD.odd.intersection(changed)
    if len(changed) > _MANY_CHANGED or not changed.keys().isdisjoint("".join(changed.values())):
        return text.translate(_FOLD), odd
    folded = data.translate(_ASCII_FOLD).decode("utf-8", "surrogatepass")
    for char, put in changed.items():
        folded = folded.replace(char, put)
    return folded, odd


def _latinised(text: str) -> str:
    """Writes in Latin letters the words that mix scripts, and those of look-alikes alone within a Latin text.

    Every look-alike is one letter for one letter, so offsets stay.
    """
    mixed = 0
    if found_anywhere(_MIXED, text):
        mixed = sum(1 for _ in islice(_MIXED.finditer(text), _MANY))
        text = _unmixed(text)
        if text.isascii():
            return text
    if not _disguised(text):
        return text
    return _FOREIGN_WORD.sub(_disguised_word if mixed < _MANY else _twin_word, text)


def _unmixed(text: str) -> str:
    alike = look_alikes()
    latin = text
    for char in set(text):  # ten times as fast as translating word by word
        if ord(char) in alike:
            latin = latin.replace(char, alike[ord(char)])

    return _MIXED_WORD.sub(lambda match: latin[match.start() : match.end()], text)


def _disguised_word(match: re.Match[str]) -> str:
    return _twin_word(match) if len(match.group()) > 2 else match.group()


def _twin_word(match: re.Match[str]) -> str:
    word = match.group()
    return word.translate(look_alikes()) if _TWINS.issuperset(word) else word


def _disguised(text: str) -> bool:
    """Says whether foreign letters are so few within a Latin text that they may be there for their looks."""
    if not found_anywhere(_FOREIGN_RUN, text) or not _LATIN_WORD.search(text):
        return False
    data = text.encode("utf-8", "surrogatepass")
    beyond = data.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    foreign = sum(map(len, _FOREIGN_RUN.findall(beyond)))
    return foreign * 2 < len(data) - len(data.translate(None, _LETTERS))


def _rewrite(text: str, pattern: re.Pattern[str], replace: Replace, steps: list[_Step]) -> str:
    written = pattern.sub(replace, text)
    if written is not text:
        steps.append(_Step(text, pattern, replace))
    return written


def _character(match: re.Match[str]) -> str:
    return _named(match.group())


def _syllable(match: re.Match[str]) -> str:
    return _composed(match.group())


@lru_cache(maxsize=4096)
def _named(entity: str) -> str:
    return html.unescape(entity)


@lru_cache(maxsize=4096)
def _composed(jamo: str) -> str:
    lead, vowel, *tail = map(ord, jamo)
    return chr(0xAC00 + ((lead - 0x1100) * 21 + vowel - 0x1161) * 28 + (tail[0] - 0x11A7 if tail else 0))


def _translated(match: re.Match[str]) -> str:
    return match.group().translate(_FOLD)
