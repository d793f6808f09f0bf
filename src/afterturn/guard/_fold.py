"""Folds one character at a time into the form that rules are written in."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib import resources

_LATIN_NAME = re.compile(
    r"(?:NEGATIVE (?:CIRCLED|SQUARED) |REGIONAL INDICATOR SYMBOL )?(?:LATIN (?:SMALL |CAPITAL )?)?LETTER "
    r"(?:DOTLESS |SMALL CAPITAL |SCRIPT |FULLWIDTH )?([A-Z])(?: WITH .*)?"
)
_LIGATURES = {"æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i", "ѐ": "е", "ⱥ": "a"}
_LINE_BREAKS = "\n\r\v\f\x85\u2028\u2029"
_BLANKS = "\t\u2800"
_INVISIBLE = frozenset("\u034f\u115f\u1160\u3164\uffa0\u0640\u17b4\u17b5\u180b\u180c\u180d\u180f")

_MARKS = frozenset(
    chr(code)
    for first, last in (
        (0x0300, 0x036F),  # Latin, Greek and Cyrillic accents
        (0x0483, 0x0489),
        (0x064B, 0x065F),  # Arabic vowel signs, hamza and madda above
        (0x0670, 0x0670),
        (0x1AB0, 0x1AFF),
        (0x1DC0, 0x1DFF),
        (0x20D0, 0x20FF),
        (0x3099, 0x309A),  # Japanese voicing marks: text and rules lose them alike
        (0xFE00, 0xFE0F),  # variation selectors
        (0xFE20, 0xFE2F),
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)


_KEPT = 65_536


def fold(char: str) -> str:
    """Folds one character: NFKC, lower case, no diacritics, no control or invisible characters.

    Text and rules go through the same fold, so a rule may be written with or without accents (й and и, ё and е, أ and
    ا are each the same letter here).

    Args:
        char: One code point, lone surrogates included.

    Returns:
        What stands for it: mostly one character, none where it is invisible, several for a ligature.
    """
    if char in _LINE_BREAKS:
        return "\n"
    if char in _BLANKS:
        return " "
    category = unicodedata.category(char)
    if category == "Cs":
        return "\ufffd"
    if category in ("Cc", "Cf") or char in _INVISIBLE:
        return ""
    if category.startswith("Z"):
        return " "
    return "".join(map(_without_marks, unicodedata.normalize("NFKC", char).casefold()))


def _without_marks(char: str) -> str:
    bare = "".join(part for part in unicodedata.normalize("NFKD", char) if part not in _MARKS)
    return "".join(map(_latin, unicodedata.normalize("NFC", bare)))


def _latin(char: str) -> str:
    if char.isascii():
        return char
    if char in _LIGATURES:
        return _LIGATURES[char]
    found = _LATIN_NAME.fullmatch(unicodedata.name(char, ""))
    return found.group(1).lower() if found else char


class FoldTable(dict[int, str]):
    """Is the table for `str.translate`: it folds a character when it meets it first, and keeps it.

    A normal text has some hundreds; however many a hostile one has, no more than 65,536 are kept.

    Attributes:
        odd: The characters met so far that stand for none or for several.
    """

    def __init__(self) -> None:
        super().__init__()
        self.odd: set[str] = set()

    def __missing__(self, code: int) -> str:
        """Folds a character that was not met before."""
        char = chr(code)
        folded = fold(char)
        if len(self) < _KEPT:
            self[code] = folded
        if len(folded) != 1:
            self.odd.add(char)
        return folded


@cache
def look_alikes() -> dict[int, str]:
    """Gives the letters that look like a Latin one, for `str.translate`; read when first needed."""
    table: dict[int, str] = {}
    for line in resources.files("afterturn.guard").joinpath("confusables.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            letter, alike = line.split(" ", 1)
            table.update({ord(char): letter for char in alike})
    return table
