"""Derives, from what a thing looks like, a pattern for all its beginnings: what must be held back."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """Is a run of at least one character of a class.

    Attributes:
        characters: The class as a pattern, e.g. `[a-z]`.
        most: The most characters it may have.
    """

    characters: str
    most: int


def beginnings(*pieces: str | Run) -> str:
    """Writes a pattern that matches every beginning, also the empty one, of literals and runs in a row.

    Args:
        *pieces: Literal texts (taken as they are) and runs, in order.

    Returns:
        A pattern without groups that capture; use it with `fullmatch` or before the end.

    Example:
        >>> bool(re.fullmatch(beginnings("<think>"), "<thi")), bool(re.fullmatch(beginnings("<think>"), "<tho"))
        (True, False)
    """
    pattern = ""
    for piece in reversed(pieces):
        if isinstance(piece, Run):
            pattern = f"(?:{piece.characters}{{1,{piece.most}}}{pattern})?"
        else:
            for character in reversed(piece):
                pattern = f"(?:{re.escape(character)}{pattern})?"
    return pattern


def whole(*pieces: str | Run) -> str:
    """Writes a pattern that matches literals and runs in a row."""
    return "".join(
        f"{piece.characters}{{1,{piece.most}}}" if isinstance(piece, Run) else re.escape(piece) for piece in pieces
    )
