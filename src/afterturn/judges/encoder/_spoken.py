"""Knows in which languages a trained head was measured to answer about as well as in English.

A language is left out of a task where the head's share of right answers, over our test rows and rows it was not fitted
to, is more than 12 points below English, or where nobody has measured it (docs/encoder.md has the table).
"""

from __future__ import annotations

from collections.abc import Mapping

from afterturn.language import language_name

_READ_CHARACTERS = 2_000

_ELEVEN = frozenset(
    {
        "English",
        "French",
        "German",
        "Spanish",
        "Portuguese",
        "Italian",
        "Dutch",
        "Polish",
        "Arabic",
        "Chinese",
        "Japanese",
    }
)

_OTHERWISE: Mapping[str, frozenset[str]] = {
    "wants_human": _ELEVEN | {"Russian"},
    "frustration": _ELEVEN - {"Arabic", "Japanese"},
    "injection": _ELEVEN - {"Chinese"},
}


def speaks(task: str, text: str) -> bool:
    """Says whether a head may be trusted with the language of a text; so it is where the language cannot be told.

    Example:
        >>> speaks("safety", "Ich will das nicht mehr lesen."), speaks("safety", "환불해 주세요")
        (True, False)
    """
    name = language_name(text[:_READ_CHARACTERS])
    return name is None or name in _OTHERWISE.get(task, _ELEVEN)
