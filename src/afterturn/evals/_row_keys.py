"""Refuses keys of a row that look like misspelt ones: what they should have asserted would not be checked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import lru_cache

from afterturn.errors import InputError
from afterturn.turns import JsonObject

KEYS = (
    "input",
    "expected",
    "criteria",
    "context",
    "expected_tool_calls",
    "metadata",
    "tools",
    "tool_results",
    "assert",
)
"""The keys of a row beside `id`, which nothing is like enough to be mistaken for it."""

_MEANT = {"assertion": "assert", "assertions": "assert", "asserts": "assert", "expected_tools": "expected_tool_calls"}
_OF_THE_RUN = {
    "rubric": "--rubric NAME, and what a judge should look at in this row under `criteria`",
    "rubrics": "--rubric NAME, and what a judge should look at in this row under `criteria`",
    "threshold": "--threshold",
}
_LIKE = 0.85
"""From this ratio of equal letters on a key is taken for a misspelt one (difflib, 0 to 1)."""


def check_keys(row: JsonObject, source: str, further: Iterable[str] = ()) -> None:
    """Refuses a row with a key that looks like a misspelt one.

    Args:
        row: The row as plain JSON.
        source: Where it stands, for the error.
        further: Keys that such rows have beside those of every row.

    Raises:
        InputError: One of its keys looks misspelt, or belongs to the run; says which is meant.
    """
    known = tuple(further)
    for key in row:
        told = None if key in known else _told(key, known)
        if told is not None:
            raise InputError(f"{source}: {told}; what is neither belongs under `metadata`")


@lru_cache(maxsize=4096)
def _told(key: str, further: tuple[str, ...]) -> str | None:
    """Says what a key seems to be meant for; None where it is right, or like nothing."""
    known = (*KEYS, *further)
    if key in known:
        return None
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|[\s-]+", "_", key.strip()).lower()
    belongs = _OF_THE_RUN.get(_nearest(plain, _OF_THE_RUN))
    if belongs is not None:
        return f"a row has no key {key!r}; it is said of the whole run, by {belongs}"
    meant = _MEANT.get(plain) or _nearest(plain, known)
    return f"a row has no key {key!r}; did you mean {meant!r}?" if meant else None


def _nearest(word: str, words: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(words), n=1, cutoff=_LIKE)
    return near[0] if near else ""
