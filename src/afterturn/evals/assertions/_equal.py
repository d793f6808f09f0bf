"""Says whether two JSON values mean the same, and how the path of a value is written.

A path reads `address.city` or `items[0].count`. Numbers are equal by value (1 and 1.0), a boolean is no number, and the
order of an object's keys does not count; that of a list does.
"""

from __future__ import annotations

from afterturn.formats import is_list, is_object
from afterturn.turns import JsonValue

PATH_CHARACTERS = 100
"""A longer path is cut: an argument's name is the model's word, and may be anything."""


class Absent:
    """Is the type of `ABSENT`."""


ABSENT = Absent()
"""Stands for a value that is not there; null is a value."""


def same(expected: JsonValue, actual: JsonValue) -> bool:
    """Says whether two JSON values mean the same.

    Example:
        >>> same([1, True], [1.0, True]), same(1, True)
        (True, False)
    """
    if is_object(expected) and is_object(actual):
        return expected.keys() == actual.keys() and all(same(value, actual[key]) for key, value in expected.items())
    if is_list(expected) and is_list(actual):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    return _equal(expected, actual)


def join(path: str, key: str) -> str:
    """Puts a key behind a path, which is cut where it grows too long."""
    return (f"{path}.{key}" if path else key)[:PATH_CHARACTERS]


def _equal(left: JsonValue, right: JsonValue) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and left == right
