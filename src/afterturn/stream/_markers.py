"""Reads one citation marker, `[c1]` to `【c1, c3–c5】`, and says early what can no longer become one (rules R1, R2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from afterturn.stream._text import BLANKS

BRACKETS = {"[": "]", "【": "】", "［": "］"}
MAX_MARKER_CP = 48
MAX_RANGE_SPAN = 20

DASHES = "-–—‑"
COMMAS = ",，、"
OTHER_SEPARATORS = ";&；"


def forms(letter: str) -> str:
    """Gives the forms of an ASCII letter that read alike: both cases, plain and full-width."""
    both = letter.lower() + letter.upper()
    return both + "".join(chr(ord(form) + 0xFEE0) for form in both)


_CLASSES = {
    **dict.fromkeys(BLANKS, "blank"),
    **dict.fromkeys(COMMAS, "comma"),
    **dict.fromkeys(OTHER_SEPARATORS, "separator"),
    **dict.fromkeys(DASHES, "dash"),
    **dict.fromkeys(BRACKETS.values(), "close"),
    **{form: letter for letter in "cand" for form in forms(letter)},
}

# What may follow what between the brackets: state -> class of the next character -> state. Every state but `end` is
# a beginning of a marker, so the table also is what must be held back.
_BETWEEN = {"comma": "comma", "separator": "separator", "close": "end"}
_LIST: dict[str, dict[str, str]] = {
    "open": {"blank": "open", "c": "c"},
    "c": {"digit": "item 1"},
    **{f"item {n}": {**_BETWEEN, "blank": "gap", "dash": "dash", "digit": f"item {n + 1}"} for n in range(1, 4)},
    "item 4": {**_BETWEEN, "blank": "gap", "dash": "dash"},
    "gap": {**_BETWEEN, "blank": "gap", "c": "c", "a": "a", "dash": "dash"},
    "dash": {"blank": "dash", "c": "upper", "digit": "range 1"},
    "upper": {"digit": "range 1"},
    **{f"range {n}": {**_BETWEEN, "blank": "range gap", "digit": f"range {n + 1}"} for n in range(1, 4)},
    "range 4": {**_BETWEEN, "blank": "range gap"},
    "range gap": {**_BETWEEN, "blank": "range gap", "c": "c", "a": "a"},
    "comma": {"blank": "comma", "c": "c", "a": "a", "close": "end"},
    "separator": {"blank": "separator", "c": "c", "close": "end"},
    "a": {"n": "an"},
    "an": {"d": "and"},
    "and": {"blank": "and gap", "close": "end"},
    "and gap": {"blank": "and gap", "c": "c", "close": "end"},
}

_ITEM = re.compile(rf"[{forms('c')}](\d{{1,4}})(?:[{BLANKS}]*[{DASHES}][{BLANKS}]*[{forms('c')}]?(\d{{1,4}}))?")

Wait = Literal["wait"]


@dataclass(frozen=True, slots=True)
class Marker:
    """Is a marker found in a text.

    Attributes:
        end: Where the text goes on after it.
        aliases: One for each item, ranges spelled out, in plain letters and digits.
        link: Whether it is the text of a Markdown link, and so no citation.
    """

    end: int
    aliases: tuple[str, ...]
    link: bool


def read_marker(text: str, start: int, *, final: bool) -> Marker | Wait | None:
    """Reads the marker that starts at an opening bracket.

    Args:
        text: What has arrived.
        start: Where the bracket is.
        final: Whether nothing will follow the text.

    Returns:
        The marker, None where there is none, or `wait` where that depends on text that has not arrived.
    """
    opener = text[start]
    doubled = text.startswith(opener, start + 1)
    inner = start + 1 + doubled
    end = _list_end(text, inner, BRACKETS[opener], start + MAX_MARKER_CP)
    if end is not None and doubled:
        end = _second_closer(text, end, BRACKETS[opener], start + MAX_MARKER_CP)
    if end == "wait":
        return None if final else "wait"
    if end is None:
        return None
    link = _is_link(text, end, final=final) if opener == "[" else False
    if link == "wait":
        return "wait"
    return Marker(end, tuple(_aliases(text[inner : end - 1 - doubled])), link)


def _list_end(text: str, start: int, closer: str, limit: int) -> int | Wait | None:
    state = "open"
    for at in range(start, min(len(text), limit)):
        character = text[at]
        kind = _CLASSES.get(character) or ("digit" if character.isdecimal() else "")
        after = _LIST[state].get(kind)
        if after is None:
            return None
        if after == "end":
            return at + 1 if character == closer else None
        state = after
    return "wait" if len(text) < limit else None


def _second_closer(text: str, end: int | Wait, closer: str, limit: int) -> int | Wait | None:
    if end == "wait" or end >= limit:
        return "wait" if end == "wait" else None
    if end == len(text):
        return "wait"
    return end + 1 if text[end] == closer else None


def _is_link(text: str, end: int, *, final: bool) -> bool | Wait:
    after = text[end : end + 2]
    if after.startswith("(") or after == "](":
        return True
    return "wait" if after in ("", "]") and not final else False


def _aliases(items: str) -> Iterator[str]:
    for found in _ITEM.finditer(items):
        first, last = (plain_digits(group) for group in found.groups(default=""))
        yield f"c{first}"
        if last:
            if 1 < int(last) - int(first) <= MAX_RANGE_SPAN:
                width = len(first) if first.startswith("0") else 0
                yield from (f"c{n:0{width}d}" for n in range(int(first) + 1, int(last)))
            yield f"c{last}"


def plain_digits(digits: str) -> str:
    """Writes decimal digits of any script as 0 to 9."""
    return "".join(str(unicodedata.decimal(digit)) for digit in digits)
