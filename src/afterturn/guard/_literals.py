"""Works out which words a text must hold for a pattern to match it at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import product
from typing import Any, NamedTuple, cast

from afterturn.guard._rarity import EDGE
from afterturn.guard._shapes import ANY, OTHER, after_each, before_each, is_word, width
from afterturn.guard._ways import Choice, Part, Way, is_useful, ways

_MOST = 128
"""How many spellings of one stretch of a pattern are listed; beyond it the stretch is cut."""


class _Info:
    """Is what is known of a part of a pattern: every text it can match, or else what a text that it matches holds."""

    __slots__ = ("exact", "parts")

    def __init__(self, exact: frozenset[str] | None = None, parts: tuple[Part, ...] = ()) -> None:
        self.exact = exact
        self.parts = parts


class Needs(NamedTuple):
    """Is what a text must have for a pattern to match.

    Attributes:
        ways: Each way that a pattern can match in, as groups of words, the rarest first: a text that matches holds a
            word of each group of one of the ways, once its line breaks are blanks. Empty: nothing is known.
        width: How many characters a match can span, with 40 for a word where a repeat has no bound.
    """

    ways: tuple[Way, ...]
    width: int


def study(pattern: str) -> Needs:
    """Works out what a pattern needs.

    Args:
        pattern: As `re` reads it. A blank or a line break in it is a blank in the words.
    """
    nodes = _parsed(pattern)
    info = _sequence(nodes, ANY, ANY)
    return Needs(ways(_parts(info, ANY, ANY)), width(nodes))


def reach(pattern: str) -> int:
    """Works out only how many characters a match can span, as `Needs.width` says it."""
    return width(_parsed(pattern))


def _parsed(pattern: str) -> list[tuple[Any, Any]]:
    parser = cast(Any, import_module("re._parser"))  # the parser of the standard library's own `re`
    return list(parser.parse(pattern))


def _parts(info: _Info, left: int, right: int) -> tuple[Part, ...]:
    """Gives what a text must hold, where an exact part stands alone between what can stand beside it."""
    return info.parts if info.exact is None else _groups(_edged(info.exact, left, right))


def _sequence(nodes: Sequence[tuple[Any, Any]], left: int, right: int) -> _Info:
    before, after = before_each(nodes, left), after_each(nodes, right)
    run, opens = frozenset({""}), left
    whole = True
    parts: list[Part] = []
    for at, node in enumerate(nodes):
        info = _node(node, before[at], after[at + 1])
        if info.exact is not None and len(run) * len(info.exact) <= _MOST:
            run = frozenset(map("".join, product(run, info.exact)))
            continue
        whole = False
        parts.extend(_groups(_edged(run, opens, after[at])))
        if info.exact is None:
            parts.extend(info.parts)
            run, opens = frozenset({""}), before[at + 1]
        else:
            run, opens = info.exact, before[at]
    if whole:
        return _Info(run)
    return _Info(None, (*parts, *_groups(_edged(run, opens, right))))


def _groups(words: frozenset[str]) -> tuple[Part, ...]:
    return (words,) if is_useful(words) else ()


def _edged(words: frozenset[str], left: int, right: int) -> frozenset[str]:
    """Marks the edges that words have since no other character of a word can stand beside them."""
    if left == OTHER:
        words = frozenset(EDGE + word if is_word(word[:1] or " ") else word for word in words)
    if right == OTHER:
        words = frozenset(word + EDGE if is_word(word[-1:] or " ") else word for word in words)
    return words


def _node(node: tuple[Any, Any], left: int, right: int) -> _Info:
    kind, value = str(node[0]), node[1]
    if kind == "LITERAL":
        return _Info(frozenset({_char(value)}))
    if kind == "IN":
        return _characters(value)
    if kind == "AT":
        return _Info(frozenset({"" if "NON_BOUNDARY" in str(value) else EDGE}))
    if kind == "SUBPATTERN":
        return _sequence(value[-1], left, right)
    if kind == "BRANCH":
        return _branches(value[1], left, right)
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        return _repeat(value[0], value[1], value[2], left, right)
    return _Info()


def _characters(members: list[tuple[Any, Any]]) -> _Info:
    if len(members) <= 8 and all(str(kind) == "LITERAL" for kind, _ in members):
        return _Info(frozenset(_char(code) for _, code in members))
    return _Info()


def _branches(branches: Iterable[Sequence[tuple[Any, Any]]], left: int, right: int) -> _Info:
    infos = [_sequence(branch, left, right) for branch in branches]
    exact: set[str] = set()
    rest: list[_Info] = []
    for info in infos:
        if info.exact is None:
            rest.append(info)
        else:
            exact |= info.exact
    if not rest:
        return _Info(frozenset(exact))
    choice: Choice = tuple(_parts(info, left, right) for info in rest)
    if exact:
        choice = (_parts(_Info(frozenset(exact)), left, right), *choice)
    return _Info(None, (choice,) if all(choice) else ())


def _repeat(least: int, most: int, body: Sequence[tuple[Any, Any]], left: int, right: int) -> _Info:
    if (least, most) == (1, 1):
        return _sequence(body, left, right)
    if least == 0:
        inner = _sequence(body, left, right) if most == 1 else _Info()
        return _Info() if inner.exact is None else _Info(inner.exact | {""})
    inner = _sequence(body, ANY, ANY)  # what stands before one round may be the round before it
    if inner.exact is None:
        return inner
    twice = frozenset(map("".join, product(inner.exact, inner.exact)))
    if least == most == 2 and len(twice) <= _MOST:
        return _Info(twice)
    return _Info(None, _groups(twice if least > 1 and len(twice) <= _MOST else inner.exact))


def _char(code: int) -> str:
    return " " if code == 10 else chr(code)
