"""Says what a part of a pattern can begin and end with, so that the edges of the words beside it are known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

WORD, OTHER = 1, 2
"""A character of a word (`\\w`, ASCII), or any other; the two ends of a text count as others."""

ANY = WORD | OTHER
_NO_BOUND = 1 << 31
_LONGEST_WORD = 40
_WORDS = ("CATEGORY_WORD", "CATEGORY_DIGIT")
_OTHERS = ("CATEGORY_NOT_WORD", "CATEGORY_SPACE")


class Shape(NamedTuple):
    """Is what a part of a pattern can begin and end with, and whether it can be empty."""

    first: int
    last: int
    empty: bool


_NOTHING = Shape(0, 0, empty=True)


def is_word(char: str) -> bool:
    """Says whether a character belongs to a word, as both engines see it."""
    return char.isascii() and (char.isalnum() or char == "_")


def shape(node: tuple[Any, Any]) -> Shape:
    """Says what one node of a parsed pattern can begin and end with."""
    kind, value = str(node[0]), node[1]
    if kind == "SUBPATTERN":
        return _of_all(value[-1])
    if kind == "BRANCH":
        parts = [_of_all(branch) for branch in value[1]]
        first, last = _united(part.first for part in parts), _united(part.last for part in parts)
        return Shape(first, last, any(part.empty for part in parts))
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        part = _of_all(value[2])
        return Shape(part.first, part.last, part.empty or value[0] == 0)
    if kind == "AT":
        return _NOTHING if "BOUNDARY" in str(value) else Shape(OTHER, OTHER, empty=False)
    mask = _mask(kind, value)
    return Shape(mask, mask, empty=False)


def _of_all(nodes: Iterable[tuple[Any, Any]]) -> Shape:
    nodes = list(nodes)
    empty = all(part.empty for part in map(shape, nodes))
    return Shape(after_each(nodes, 0)[0], before_each(nodes, 0)[-1], empty)


def before_each(nodes: Iterable[tuple[Any, Any]], left: int) -> list[int]:
    """Says for each node, and for the end, what can stand just before it.

    Args:
        nodes: A sequence of a parsed pattern.
        left: What can stand before the whole of it.
    """
    nodes = list(nodes)
    shapes = list(map(shape, nodes))
    masks = [left]
    for part in shapes:
        masks.append(part.last | (masks[-1] if part.empty else 0))
    for at, (node, part) in enumerate(zip(nodes, shapes[1:], strict=False), 1):
        if _is_edge(node) and part.first == WORD and not part.empty:
            masks[at] = OTHER  # a word begins here
    return masks


def after_each(nodes: Iterable[tuple[Any, Any]], right: int) -> list[int]:
    """Says for the start, and for each node, what can stand just after it."""
    nodes = list(nodes)
    shapes = list(map(shape, nodes))
    masks = [right]
    for part in reversed(shapes):
        masks.append(part.first | (masks[-1] if part.empty else 0))
    masks.reverse()
    for at, (part, node) in enumerate(zip(shapes, nodes[1:], strict=False), 1):
        if _is_edge(node) and part.last == WORD and not part.empty:
            masks[at] = OTHER  # a word ends here
    return masks


def _is_edge(node: tuple[Any, Any]) -> bool:
    return str(node[0]) == "AT" and str(node[1]) == "AT_BOUNDARY"


def width(nodes: Iterable[tuple[Any, Any]]) -> int:
    """Says how many characters a match can span, with 40 for a word where a repeat has no bound."""
    return sum(map(_node_width, nodes))


def _node_width(node: tuple[Any, Any]) -> int:
    kind, value = str(node[0]), node[1]
    if kind == "SUBPATTERN":
        return width(value[-1])
    if kind == "BRANCH":
        return max(map(width, value[1]), default=0)
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        most = value[1] if isinstance(value[1], int) and value[1] < _NO_BOUND else _LONGEST_WORD
        return most * width(value[2])
    return 0 if kind == "AT" else 1


def _mask(kind: str, value: Any) -> int:
    if kind == "LITERAL":
        return WORD if is_word(chr(value)) else OTHER
    if kind == "IN" and str(value[0][0]) != "NEGATE":
        return _united(_member(str(member), of) for member, of in value)
    return ANY


def _member(kind: str, value: Any) -> int:
    if kind == "LITERAL":
        return _mask(kind, value)
    if kind == "CATEGORY":
        name = str(value)
        return WORD if name in _WORDS else OTHER if name in _OTHERS else ANY
    if kind == "RANGE":
        low, high = value
        if low > 127 or not any(map(is_word, map(chr, range(low, min(high, 127) + 1)))):
            return OTHER
        return WORD if all(map(is_word, map(chr, range(low, min(high, 128) + 1)))) else ANY
    return ANY


def _united(masks: Iterable[int]) -> int:
    united = 0
    for mask in masks:
        united |= mask
    return united
