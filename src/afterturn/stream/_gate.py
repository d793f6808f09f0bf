"""Lets plain text past the chain: what no stage could want is given out without waking one."""

from __future__ import annotations

import re

from afterturn.stream._names import Names
from afterturn.stream._text import BLANKS

MAX_HELD = 4096
"""Longest text that is held outside the stages, which keep long blanks without copying them each time."""


class Gate:
    """Tells plain text apart with as little work as can be: nearly every delta is plain.

    A delta is plain if it has no special character, does not end in a space, and its last word (from the last space
    on) is not in `words` and cannot end in one of them either.

    Args:
        specials: Characters that a stage could want.
        holds_blanks: Whether a stage could want the blanks at the end of the text.
        names: The names of tools, where leaked calls are looked for.

    Attributes:
        special: Finds a special character.
        words: Beginnings of what a stage could want, and the empty word where blanks are held.
    """

    def __init__(self, specials: str, *, holds_blanks: bool, names: Names | None) -> None:
        rare_blanks = BLANKS.replace(" ", "") if holds_blanks else ""
        spaced = names is not None and any(" " in name for name in names.known)
        special = "" if spaced else f"[{re.escape(specials + rare_blanks)}\ud800-\udfff]"
        self.special = re.compile(special).search  # a name with a space is no word: the stages see everything then
        beginnings = names.beginnings if names else frozenset[str]()
        self.words = beginnings | {""} if holds_blanks else beginnings
        self._beginning = names.beginning if names else None
        self._marked = tuple(word for word in beginnings if not word[-1].isalnum())

    def may_begin(self, word: str) -> bool:
        """Says whether a last word that is more than letters and digits ends in a beginning."""
        if self._beginning is None or not (word[-1].isalnum() or word.endswith(self._marked)):
            return False
        return self._beginning.search(word) is not None
