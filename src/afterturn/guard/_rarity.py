"""Estimates how seldom ordinary texts hold a word, from the rates of common words (`common.txt`) and of marks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from math import exp

from afterturn.guard._shapes import is_word

EDGE = "\0"
"""Stands at the edge of a word that begins or ends there (`\\b`)."""

_UNKNOWN_RATE = 5.0
"""Rate of a word that is not among the common ones, per million words."""

_TEXT_WORDS = 90
"""A message of ordinary length has so many."""

_TOGETHER = 25.0
"""So much oftener than by chance do two common words stand beside each other in one order."""

_HARDLY = 1.25
_SHORTEST_PLAIN = 4

_PART = re.compile(r"[^\W_]+|[^\w\s\0]|_")
_MARK_RATES = {
    ",": 60_000, ".": 50_000, "-": 15_000, "'": 12_000, "’": 5_000, '"': 9_000, ":": 8_000, "(": 4_000, ")": 4_000,
    "?": 4_000, "!": 3_000, "/": 2_500, "*": 1_500, ";": 1_000, "[": 800, "]": 800, "<": 600, ">": 600, "#": 500,
    "=": 400, "`": 400, "_": 400, "$": 300, "%": 300, "&": 300, "{": 200, "}": 200, "+": 150, "@": 150, "|": 150,
    "\\": 100, "~": 40, "^": 30,
}  # fmt: skip
_OTHER_MARK_RATE = 20.0


def chance(group: Iterable[str]) -> float:
    """Estimates the chance that an ordinary message holds a word of the group.

    Args:
        group: Words, parts of words, or phrases; an `EDGE` at an end says that a word begins or ends there.
    """
    return 1 - exp(-sum(map(_rate, group)) * _TEXT_WORDS / 1e6)


@lru_cache(maxsize=262_144)
def plainest(word: str) -> str:
    """Drops the edges and blanks around a word where that makes it hardly more common, so that words are fewer."""
    bare = word.replace(EDGE, "").strip()
    opens = word.startswith((EDGE, " ")) and is_word(bare[:1])
    closes = word.endswith((EDGE, " ")) and is_word(bare[-1:])
    if len(bare.encode("utf-8", "surrogatepass")) < _SHORTEST_PLAIN:
        return EDGE * opens + bare + EDGE * closes if opens or closes else word
    most = _rate(word) * _HARDLY
    for plainer in (bare, EDGE * opens + bare, bare + EDGE * closes, EDGE * opens + bare + EDGE * closes):
        if _rate(plainer) <= most:
            return plainer
    return word


@lru_cache(maxsize=262_144)
def _rate(word: str) -> float:
    """Estimates how often a word, a part of one or a phrase stands in ordinary text, per million words."""
    bare = word.replace(EDGE, "").strip()
    opens = word.startswith((EDGE, " "))
    closes = word.endswith((EDGE, " "))
    parts = _PART.findall(bare)
    last = len(parts) - 1
    rates = sorted(
        _part_rate(
            part,
            opens=at > 0 or opens or not bare.startswith(part),
            closes=at < last or closes or not bare.endswith(part),
        )
        for at, part in enumerate(parts)
    )
    if not rates:
        return 1e6
    rate = rates[0]
    for other in rates[1:]:
        rate *= min(1.0, other * _TOGETHER / 1e6)
    return rate


@lru_cache(maxsize=65_536)
def _part_rate(part: str, *, opens: bool, closes: bool) -> float:
    """Gives the rate of a mark or a word, or of all common words that begin or end with a part, or hold it."""
    if not part.isalnum():
        return _MARK_RATES.get(part, _OTHER_MARK_RATE)
    known = _common()
    if opens and closes:
        return known.get(part, _UNKNOWN_RATE)
    holds = str.startswith if opens else str.endswith if closes else str.__contains__
    return _UNKNOWN_RATE + sum(rate for word, rate in known.items() if holds(word, part))


@lru_cache(maxsize=1)
def _common() -> dict[str, float]:
    lines = resources.files("afterturn.guard").joinpath("common.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {word: float(rate) for word, rate in rows}
