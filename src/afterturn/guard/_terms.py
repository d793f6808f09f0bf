"""Finds words and phrases of a list in a text: whole words, in time that does not grow with the list.

The text is cut into words once, and each is looked up; only where the first word of a phrase stands is the phrase
compared. Scripts that write without blanks, and Korean with its particles, are searched for as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

# Vowel signs and points belong to their word; `\w` alone would cut हिन्दी in three.
_MARKS = "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u200c\u200d"
_WORD = rf"\w{_MARKS}"
_WORDS = re.compile(rf"[{_WORD}]+")
_BLANKLESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af]"
)
_GAP = r"[\s\-_\u2010-\u2015]{1,4}"
_APOSTROPHES = re.compile("['\u2018\u2019\u02bc]")
_BREAKS = re.compile(r"\s+")


class Hit(NamedTuple):
    """Is a place in a text where a term of the list with this key stands."""

    start: int
    end: int
    key: str


class _Phrase:
    """Is a term that begins with a certain word; its pattern is made when it is first needed, since lists are long."""

    __slots__ = ("_pattern", "key", "lead", "term")

    def __init__(self, term: str, lead: int, key: str) -> None:
        self.term = term
        self.lead = lead  # characters before its first word
        self.key = key
        self._pattern: re.Pattern[str] | None = None

    def at(self, text: str, word: re.Match[str]) -> Hit | None:
        """Gives the hit where the term stands at a word of the text that is its first."""
        if word[0] == self.term:
            return Hit(word.start(), word.end(), self.key)
        if self._pattern is None:
            self._pattern = _compiled(self.term)
        match = self._pattern.match(text, max(0, word.start() - self.lead))
        return Hit(match.start(), match.end(), self.key) if match else None


class Terms:
    """Is a list of words and phrases, ready to be found.

    Args:
        terms: Pairs of a term and the key that its hits carry. A `*` at the end of a word stands for any ending; a
            blank for blanks, line breaks or hyphens. Terms must be normalised as the text will be.

    Example:
        >>> terms = Terms([("wire transfer", "money"), ("krypto*", "coins")])
        >>> [text.key for text in terms.find("a wire-transfer of kryptowährung, no kilowire transfers")]
        ['money', 'coins']
    """

    def __init__(self, terms: Iterable[tuple[str, str]]) -> None:
        self._words: dict[str, list[_Phrase]] = {}
        self._stems: dict[int, dict[str, list[_Phrase]]] = {}
        self._anywhere: list[tuple[str, str]] = []
        for term, key in dict.fromkeys(terms):
            self._add(_BREAKS.sub(" ", term).strip(), key)

    def _add(self, term: str, key: str) -> None:
        first = _WORDS.search(term)
        if first is None or _BLANKLESS.search(term):
            self._anywhere.append((term.rstrip("*"), key))
            return
        phrase = _Phrase(term, first.start(), key)
        if term[first.end() : first.end() + 1] == "*":
            self._stems.setdefault(len(first[0]), {}).setdefault(first[0], []).append(phrase)
        else:
            self._words.setdefault(first[0], []).append(phrase)

    def find(self, text: str) -> list[Hit]:
        """Finds every term in a normalised text, in the order of the text."""
        hits = [Hit(start, start + len(term), key) for term, key in self._anywhere for start in _places(text, term)]
        if self._words or self._stems:
            words = _WORDS.findall(text)
            if self._stems or not self._words.keys().isdisjoint(words):
                hits += self._phrases(text)
        return sorted(hits)

    def _phrases(self, text: str) -> Iterator[Hit]:
        for word in _WORDS.finditer(text):
            for phrase in self._beginning(word[0]):
                hit = phrase.at(text, word)
                if hit is not None:
                    yield hit

    def _beginning(self, word: str) -> Sequence[_Phrase]:
        phrases = self._words.get(word, [])
        for length, stems in self._stems.items():
            stemmed = stems.get(word[:length])
            if stemmed:
                phrases = [*phrases, *stemmed]
        return phrases


def _compiled(term: str) -> re.Pattern[str]:
    """Makes the pattern of a phrase: whole words, `*` any ending, a blank any short gap."""
    parts = [_ending(part) for part in term.split(" ")]
    before = rf"(?<![{_WORD}])" if _is_word(term[0]) else ""
    after = rf"(?![{_WORD}])" if _is_word(term[-1]) or term[-1] == "*" else ""
    return re.compile(before + _GAP.join(parts) + after)


def _ending(part: str) -> str:
    pieces = (rf"[{_WORD}]{{0,40}}" if piece == "*" else re.escape(piece) for piece in re.split(r"(\*)", part))
    return _APOSTROPHES.sub(lambda _: _APOSTROPHES.pattern, "".join(pieces))


def _is_word(character: str) -> bool:
    return _WORDS.fullmatch(character) is not None


def _places(text: str, term: str) -> Iterator[int]:
    start = text.find(term) if term else -1
    while start >= 0:
        yield start
        start = text.find(term, start + len(term))
