"""Works out which words a text must hold for a pattern to match it at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module, resources
from itertools import product
from math import log10
from typing import Any, NamedTuple, cast

_MOST = 32
"""How many spellings of one stretch of a pattern are listed; beyond it the stretch is cut."""

_SHORTEST = 3
"""A shorter word (in UTF-8 bytes) is in nearly every text, and says nothing; a word's beginning may have one less."""

_LONGEST_WORD = 40
_UNKNOWN_RATE = 5.0
"""Rate of a word that is not among the common ones, per million words."""

_LEAST_RATE = 0.01
_PART = re.compile(r"[^\W_]+")
_NO_BOUND = 1 << 31

EDGE = "\0"
"""Stands at the edge of a word that begins or ends there (`\\b`)."""

Group = frozenset[str]
"""Words of which a matching text holds at least one; they may be parts of words, or several words."""


class _Info:
    """Is what is known of a part of a pattern: every text it can match, or else the groups that it needs."""

    __slots__ = ("exact", "groups")

    def __init__(self, exact: frozenset[str] | None = None, groups: tuple[Group, ...] = ()) -> None:
        self.exact = exact
        self.groups = groups


class Needs(NamedTuple):
    """Is what a text must have for a pattern to match.

    Attributes:
        groups: Groups of words, the rarest first: a text that matches holds a word of each, once its line breaks are
            blanks. Empty: nothing is known.
        width: How many characters a match can span, with 40 for a word where a repeat has no bound.
    """

    groups: tuple[Group, ...]
    width: int


def study(pattern: str) -> Needs:
    """Works out what a pattern needs.

    Args:
        pattern: As `re` reads it. A blank or a line break in it is a blank in the words.
    """
    parser = cast(Any, import_module("re._parser"))  # the parser of the standard library's own `re`
    nodes = parser.parse(pattern)
    return Needs(_rarest(_sequence(nodes)), _width(nodes))


def _rarest(info: _Info) -> tuple[Group, ...]:
    groups = info.groups if info.exact is None else (info.exact,)
    useful = {_shortest(frozenset(map(_trimmed, group))) for group in groups if _useful(group)}
    kept: list[Group] = []
    for group in sorted(useful, key=lambda group: (-rarity(group), sorted(group))):
        if not any(_implies(rarer, group) for rarer in kept):
            kept.append(group)
    return tuple(kept)


def _implies(rarer: Group, group: Group) -> bool:
    """Says whether a text with a word of the one always has a word of the other."""
    return all(any(part in word for part in group) for word in rarer)


def _width(nodes: Iterable[tuple[Any, Any]]) -> int:
    return sum(map(_node_width, nodes))


def _node_width(node: tuple[Any, Any]) -> int:
    kind, value = str(node[0]), node[1]
    if kind == "SUBPATTERN":
        return _width(value[-1])
    if kind == "BRANCH":
        return max(map(_width, value[1]), default=0)
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        most = value[1] if isinstance(value[1], int) and value[1] < _NO_BOUND else _LONGEST_WORD
        return most * _width(value[2])
    return 0 if kind == "AT" else 1


def rarity(group: Group) -> float:
    """Estimates how seldom an ordinary text holds a word of the group; more is rarer.

    It is the negative logarithm of the rate of its words, per million words of text (`common.txt`).
    """
    return -log10(sum(map(_rate, group)) + _LEAST_RATE)


@lru_cache(maxsize=65536)
def _rate(word: str) -> float:
    """Estimates how often a word, a part of one or a phrase stands in ordinary text: as often as its rarest part."""
    bare = word.replace(EDGE, "").strip()
    opens = word.startswith((EDGE, " "))
    closes = word.endswith((EDGE, " "))
    parts = _PART.findall(bare)
    if not parts:
        return _UNKNOWN_RATE
    last = len(parts) - 1
    return min(_part_rate(part, opens=opens or at > 0, closes=closes or at < last) for at, part in enumerate(parts))


def _part_rate(part: str, *, opens: bool, closes: bool) -> float:
    """Gives the rate of a word, or of all common words that begin or end with it, or hold it."""
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


def _useful(group: Iterable[str]) -> bool:
    return all(
        len(word.replace(EDGE, "").encode("utf-8", "surrogatepass")) >= _SHORTEST - word.startswith(EDGE)
        for word in group
    )


def _trimmed(word: str) -> str:
    """Keeps the edges of a word at its very ends alone, and there only beside a letter or a digit."""
    bare = word.replace(EDGE, "")
    opens = word.startswith(EDGE) and _is_word(bare[:1])
    closes = word.endswith(EDGE) and _is_word(bare[-1:])
    return EDGE * opens + bare + EDGE * closes


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _shortest(group: Group) -> Group:
    """Drops the words that hold another word of the group."""
    kept: list[str] = []
    for word in sorted(group, key=len):
        if not any(shorter in word for shorter in kept):
            kept.append(word)
    return frozenset(kept)


def _sequence(nodes: Iterable[tuple[Any, Any]]) -> _Info:
    exact: frozenset[str] = frozenset({""})
    whole = True
    groups: list[Group] = []
    for node in nodes:
        info = _node(node)
        if info.exact is not None and len(exact) * len(info.exact) <= _MOST:
            exact = frozenset(map("".join, product(exact, info.exact)))
            continue
        whole = False
        following = info.exact or frozenset({""})
        opens = all(word.endswith(" ") for word in exact)
        closes = all(word.startswith(" ") for word in following)
        groups.append(frozenset(word + " " for word in exact) if closes else exact)
        if info.exact is None:
            groups.extend(info.groups)
        exact = frozenset(EDGE + word for word in following) if opens else following
    if whole:
        return _Info(exact)
    return _Info(None, tuple(group for group in (*groups, exact) if _useful(group)))


def _node(node: tuple[Any, Any]) -> _Info:
    kind, value = str(node[0]), node[1]
    if kind == "LITERAL":
        return _Info(frozenset({_char(value)}))
    if kind == "IN":
        return _characters(value)
    if kind == "AT":
        return _Info(frozenset({EDGE if str(value) == "AT_BOUNDARY" else ""}))
    if kind == "SUBPATTERN":
        return _sequence(value[-1])
    if kind == "BRANCH":
        return _branches([_sequence(branch) for branch in value[1]])
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        return _repeat(value[0], value[1], _sequence(value[2]))
    return _Info()


def _characters(members: list[tuple[Any, Any]]) -> _Info:
    if len(members) <= 8 and all(str(kind) == "LITERAL" for kind, _ in members):
        return _Info(frozenset(_char(code) for _, code in members))
    return _Info()


def _branches(branches: list[_Info]) -> _Info:
    exact: set[str] = set()
    for branch in branches:
        if branch.exact is None:
            break
        exact |= branch.exact
    else:
        return _Info(frozenset(exact), (frozenset(exact),) if _useful(exact) else ())
    best = [_best(branch) for branch in branches]
    known = [group for group in best if group is not None]
    return _Info(None, (frozenset[str]().union(*known),) if len(known) == len(best) else ())


def _best(branch: _Info) -> Group | None:
    groups = branch.groups if branch.exact is None else (branch.exact,)
    useful = [group for group in groups if group and _useful(group)]
    return max(useful, key=rarity, default=None)


def _repeat(least: int, most: int, info: _Info) -> _Info:
    if (least, most) == (1, 1):
        return info
    if (least, most) == (0, 1) and info.exact is not None:
        return _Info(info.exact | {""})
    if least == 0:
        return _Info()
    if info.exact is None:
        return _Info(None, info.groups)
    return _Info(None, (info.exact,)) if _useful(info.exact) else _Info()


def _char(code: int) -> str:
    return " " if code == 10 else chr(code)
