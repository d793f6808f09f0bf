"""Spells a text as it was meant: leet digits as letters, letters written apart as words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product

from afterturn.guard._normalize import Normalized

_LEET = str.maketrans("0123456789@$", "oizeasgtbgas")
_INNER = {"1": "il", "|": "il", "!": "i", "+": "t"}
_TOKEN = re.compile(r"[a-z0-9@$!|+]*[1!|+][a-z0-9@$!|+]*|[a-z0-9@$!|+]+")
_APART = re.compile(r"(?<!\S)\S(?: {1,4}\S(?!\S)){3,}|(?<![^\W_])[^\W_](?:[.*_|-][^\W_]){3,}(?![^\W_])")
_BETWEEN = re.compile(r"[.*_|-]")
_MOST_DOUBTS = 3
_LONGEST_WORD = 18


class Speller:
    """Knows the words that rules look for, to choose between the readings of a spelling.

    Args:
        texts: Normalised texts that hold these words.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._words = frozenset(word for text in texts for word in re.findall(r"[^\W\d_]{2,18}", text))
        lengths: dict[str, set[int]] = {}
        for word in self._words:
            if len(word) > 2:
                lengths.setdefault(word[:3], set()).add(len(word))
        self._lengths = {start: sorted(of, reverse=True) for start, of in lengths.items()}

    def respell(self, normal: Normalized, *, leet: bool, apart: bool) -> Normalized:
        """Spells a text anew; its places still lead back to the original.

        Args:
            normal: The text, normalised.
            leet: Whether it may hold leet digits.
            apart: Whether it may hold letters written apart.
        """
        if apart:
            normal = normal.rewritten(_APART, self._joined)
        return normal.replaced(self._without_leet(normal.text)) if leet else normal

    def _joined(self, match: re.Match[str]) -> str:
        run = match.group()
        if " " not in run:
            return _BETWEEN.sub("", run)
        if "  " in run:  # wider gaps stand between words
            return re.sub(r" {2,}", "\0", run).replace(" ", "").replace("\0", " ")
        return self._split(run.replace(" ", ""))

    def _split(self, letters: str) -> str:
        """Puts blanks between the words of a run of letters: at each place the longest word that is known."""
        words: list[str] = []
        unknown = at = 0
        while at < len(letters):
            length = self._longest(letters, at)
            if not length:
                at += 1
                continue
            if unknown < at:
                words.append(letters[unknown:at])
            words.append(letters[at : at + length])
            at += length
            unknown = at
        words.append(letters[unknown:])
        return " ".join(filter(None, words))

    def _longest(self, letters: str, at: int) -> int:
        for length in self._lengths.get(letters[at : at + 3], ()):
            if letters[at : at + length] in self._words:
                return length
        return 0

    def _without_leet(self, text: str) -> str:
        return _TOKEN.sub(self._guessed, text).translate(_LEET)

    def _guessed(self, match: re.Match[str]) -> str:
        """Chooses what 1, |, ! and + stand for in one word: the reading that is a known word."""
        token = match.group()
        body = token.rstrip("!|+")
        doubts = sum(map(body.count, _INNER))
        if not doubts or len(body) > _LONGEST_WORD or body.isdigit():
            return token
        if doubts > _MOST_DOUBTS:
            return body.replace("!", "i").replace("|", "i").replace("+", "t") + token[len(body) :]
        readings = ["".join(parts).translate(_LEET) for parts in product(*(_INNER.get(char, char) for char in body))]
        read = next((reading for reading in readings if reading in self._words), readings[0])
        return read + token[len(body) :]
