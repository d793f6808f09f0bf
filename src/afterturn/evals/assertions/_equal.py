"""Says at which paths two JSON values differ.

A path reads `address.city` or `items[0].count`. Numbers are equal by value (1 and 1.0), a boolean is no number, and the
order of an object's keys does not count; that of a list does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from afterturn.formats import is_list, is_object
from afterturn.turns import JsonValue

PATH_CHARACTERS = 100
"""A longer path is cut: an argument's name is the model's word, and may be anything."""

Special = Callable[[str, JsonValue, JsonValue], bool | None]
"""Compares what stands at a path (expected, actual), or says None: then the values are compared as they are."""


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
    return next(differences(expected, actual), None) is None


def differences(expected: JsonValue, actual: JsonValue, *, subset: bool = False, path: str = "") -> Iterator[str]:
    """Gives the paths at which two values differ, in the order of the expected one.

    Args:
        expected: The value that should be there.
        actual: The value that is there.
        subset: Whether objects may have keys that are not expected.
        path: Where the values stand.
    """
    if is_object(expected) and is_object(actual):
        for key in expected:
            inner = join(path, key)
            if key in actual:
                yield from differences(expected[key], actual[key], subset=subset, path=inner)
            else:
                yield inner
        if not subset:
            yield from (join(path, key) for key in actual if key not in expected)
    elif is_list(expected) and is_list(actual):
        if len(expected) != len(actual):
            yield path
            return
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            yield from differences(left, right, subset=subset, path=f"{path}[{index}]")
    elif not _equal(expected, actual):
        yield path


def join(path: str, key: str) -> str:
    """Puts a key behind a path, which is cut where it grows too long."""
    return (f"{path}.{key}" if path else key)[:PATH_CHARACTERS]


def _equal(left: JsonValue, right: JsonValue) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and left == right
