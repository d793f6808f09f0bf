"""Reads letters put for letters: shifted alphabets, Atbash, rot47, numbered, turned, Braille.

Which one was used is known by the words that most attacks hold, enciphered; a text without them is not tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_TELLTALES = "ignore instructions previous prompt system forget reveal disregard rules your"
"""Words by which an enciphered attack is known; each is long or, enciphered, no word of a language."""

_SHORTEST = 5
"""A shorter word, enciphered, may be a word of some language."""

_ROT47 = {code: 33 + (code - 33 + 47) % 94 for code in range(33, 127)}
_BRAILLE = dict(
    zip(
        map(ord, "⠀⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵⠲⠂"),
        " abcdefghijklmnopqrstuvwxyz.,",
        strict=True,
    )
)
_TURNED = str.maketrans("ɐqɔpǝɟƃɓɥᴉıɾʞꞁɯuodbɹsʇnʌʍxʎ", "abcdefgghiijklmnopqrstuvwxy")
_MARKS_OF_TURNING = re.compile("[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]")
_NUMBERED = re.compile(r"(?<![0-9])[0-9]{1,2}(?:-[0-9]{1,2})+(?:[ /_,]{1,3}[0-9]{1,2}(?:-[0-9]{1,2})*)+")


def _alphabets() -> Iterator[str]:
    """Gives what stands for each letter, from a to z: the shifts but rot13, which has its own look, and Atbash."""
    for shift in range(1, 26):
        if shift != 13:
            yield _ALPHABET[shift:] + _ALPHABET[:shift]
    yield _ALPHABET[::-1]


@cache
def telltales() -> dict[str, str]:
    """Gives enciphered words with the alphabet that they give away."""
    words = [word for word in _TELLTALES.split() if len(word) >= _SHORTEST]
    return {word.translate(str.maketrans(_ALPHABET, alike)): alike for alike in _alphabets() for word in words}


def rot47_telltales() -> list[str]:
    """Gives the words in rot47, in lower case as the normalised text has them."""
    return [word.translate(_ROT47).lower() for word in _TELLTALES.split()]


def substituted(normal: str) -> Iterator[str]:
    """Reads a normalised text by each alphabet that a word of it gives away."""
    known = telltales()
    alphabets = {known[word]: None for word in re.findall("[a-z]{5,}", normal) if word in known}
    for alike in alphabets:
        yield normal.translate(str.maketrans(alike, _ALPHABET))


def rot47(text: str) -> str:
    """Reads a text in rot47; blanks stay."""
    return text.translate(_ROT47)


def braille(text: str) -> str:
    """Reads Braille cells as letters; the rest stays."""
    return text.translate(_BRAILLE)


def is_turned(text: str) -> bool:
    """Says whether a text holds at least four letters that stand on their head."""
    return len(_MARKS_OF_TURNING.findall(text)) > 3  # fewer may be phonetic spelling


def turned(text: str) -> str:
    """Reads a text that stands on its head: from back to front, each letter turned."""
    return text.lower().translate(_TURNED)[::-1]


def numbered(text: str) -> Iterator[tuple[str, int, int]]:
    """Reads letters written as their places in the alphabet, `9-7-14-15-18-5`, with the place of each run."""
    for match in _NUMBERED.finditer(text):
        words = re.split("[ /_,]+", match.group())
        places = [[int(place) for place in word.split("-")] for word in words]
        if all(1 <= place <= len(_ALPHABET) for word in places for place in word):
            said = " ".join("".join(_ALPHABET[place - 1] for place in word) for word in places)
            yield said, *match.span()
