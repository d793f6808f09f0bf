"""Spells a text as it was meant: leet digits as letters, letters written apart as words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import ne
from typing import cast

from afterturn.guard._normalize import Normalized

_LEET = str.maketrans("0123456789@$!|+", "oizeasgtbgasiit")
_DIGITS = {ord(digit): letter for digit, letter in zip("0134578", "oieastb", strict=True)}
_LEET_L = {**_LEET, ord("1"): ord("l"), ord("|"): ord("l")}
_TOKEN = re.compile(r"([a-z0-9@$!|+]+)")
_APART = re.compile(r"(?<!\S)\S(?: {1,4}\S(?!\S)){3,}|(?<![^\W_])[^\W_](?:[.*_|-][^\W_]){3,}(?![^\W_])")
_BETWEEN = re.compile(r"[.*_|-]")
_MOSTLY = 5
_LONGEST_WORD = 18
_SHORTEST_LEET = 4
_LONGEST_TAIL = 3
_SOME = 3
_NUMBERED = re.compile(r"(?<![a-z])[a-z]{3,}+[0-9]{1,3}(?![a-z0-9])")
"""A word that keeps its number: base64, sha256."""

_CAREFULLY = 500
"""So many different words of one text are read with care; the others by the commonest letters, which is quick."""

_NUMBER = re.compile(r"(?<![\w.,:/-])[0134578]{3,10}(?![\w.,:/-])")


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

    def _joined(self, run: str) -> str:
        if " " not in run:
            return _BETWEEN.sub("", run)
        if "  " in run:  # wider gaps stand between words
            return re.sub(r" {2,}", "\0", run).replace(" ", "").replace("\0", " ")
        letters = run.replace(" ", "")
        return letters if "://" in letters else self._split(letters)

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
        pieces = _TOKEN.split(text)
        tokens = pieces[1::2]
        pieces[1::2] = map(self._read(tokens).__getitem__, tokens)
        read = "".join(pieces)
        differs = cast(Iterator[bool], map(ne, text, read))
        changed = sum(islice(filter(None, differs), _MOSTLY + 1)) if read != text else 0
        if changed > _MOSTLY:
            return _without_digits(read)  # then 15 is "is" and 1 is "i"
        return _NUMBER.sub(self._number, read) if changed >= _SOME else read

    def _read(self, tokens: Iterable[str]) -> dict[str, str]:
        """Says how words read, of letters alone and of letters and digits."""
        words = dict.fromkeys(tokens)  # texts say the same words again and again
        different = [token for token in words if not token.isalpha()]
        known = dict(zip(words, words, strict=True))
        known |= {token: self._unleeted(token) for token in different[:_CAREFULLY]}
        if rest := different[_CAREFULLY:]:
            known.update(zip(rest, " ".join(rest).translate(_LEET).split(" "), strict=True))
        return known

    def _number(self, match: re.Match[str]) -> str:
        """Reads a number as a word, where it is one that is known: 531 is "sei"."""
        return next((word for word in _readings(match.group()) if word in self._words), match.group())

    def _unleeted(self, token: str) -> str:
        """Reads a word of letters and digits: as a known word, or by the commonest letters where it is mostly leet."""
        if not token.isalnum() and (whole := token.translate(_LEET)) in self._words:
            return whole
        body = token.strip("!|+")
        if len(body) > _LONGEST_WORD or body.upper() == body:
            return token
        before, after = token[: token.index(body)], token[token.index(body) + len(body) :]
        return before + self._word(body) + after

    def _word(self, body: str) -> str:
        readings = _readings(body)
        for reading in readings:
            if reading in self._words:
                return reading
        digits = len(body) - len(body.rstrip("0123456789"))
        longest = min(digits, _LONGEST_TAIL, len(body) - _SHORTEST_LEET)
        for tail in range(1, longest + 1):  # base64, sha256
            stem, number = body[:-tail], body[-tail:]
            for reading in _readings(stem):
                if reading in self._words:
                    return reading + number
        letters = sum(map(str.isalpha, body))
        leet = len(body) - letters
        return readings[0] if letters > 1 < leet and len(body) > _SHORTEST_LEET else body


def _without_digits(text: str) -> str:
    """Reads each digit that is left as a letter."""
    if not any(map(text.__contains__, "0134578")):
        return text
    pieces: list[str] = []
    at = 0
    for match in _NUMBERED.finditer(text):
        pieces += (text[at : match.start()].translate(_DIGITS), match.group())
        at = match.end()
    return "".join((*pieces, text[at:].translate(_DIGITS)))


def _readings(body: str) -> tuple[str, ...]:
    """Lists what a word may mean: 1 and | are i or l."""
    doubts = body.count("1") + body.count("|")
    plain = body.translate(_LEET)
    if not doubts:
        return (plain,)
    other = body.translate(_LEET_L)
    if doubts != 2:
        return (plain, other)
    second = max(body.rfind("1"), body.rfind("|"))
    return (plain, other, plain[:second] + other[second:], other[:second] + plain[second:])
