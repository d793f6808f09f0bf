"""Reads what an assertion was given, with errors that say what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from afterturn.errors import UsageError
from afterturn.turns import JsonObject, JsonValue

LABEL = "label"
"""An option of every assertion: its name in results and reports."""


def label_of(name: str, options: JsonObject) -> str:
    """Gives the name that an assertion has in results: its label, else what kind it is."""
    label = options.get(LABEL)
    return label if isinstance(label, str) and label else name


def check_options(name: str, options: JsonObject, known: Iterable[str] = ()) -> None:
    """Refuses options that an assertion does not have.

    Raises:
        UsageError: An option is unknown.
    """
    allowed = sorted({*known, LABEL})
    for key in options:
        if key not in allowed:
            raise UsageError(f"{name} has no option {key!r}{guess(key, allowed)}; there are {', '.join(allowed)}")


def one_of(name: str, value: JsonValue, allowed: Iterable[str], *, default: str) -> str:
    """Reads a word of a closed list.

    Raises:
        UsageError: It is none of them.
    """
    words = tuple(allowed)
    if value is None:
        return default
    if isinstance(value, str) and value in words:
        return value
    raise UsageError(f"{name} is one of {', '.join(words)}, not {value!r}{guess(str(value), words)}")


def texts(name: str, value: JsonValue) -> tuple[str, ...]:
    """Reads a text or a list of texts.

    Raises:
        UsageError: It is neither.
    """
    items = [value] if isinstance(value, str) else value
    if items is None:
        return ()
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise UsageError(f"{name} is a text or a list of texts")
    return tuple(str(item) for item in items)


def flag(name: str, value: JsonValue) -> bool:
    """Reads true or false; absent is false.

    Raises:
        UsageError: It is neither.
    """
    if value is None or isinstance(value, bool):
        return value is True
    raise UsageError(f"{name} is true or false")


def guess(word: str, words: Iterable[str]) -> str:
    """Names the known word that a wrong one is nearest to, or gives nothing."""
    near = difflib.get_close_matches(word, list(words), n=1)
    return f" (did you mean {near[0]}?)" if near else ""
