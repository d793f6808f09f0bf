"""Lets plain text past the chain: what no stage could want is given out without waking one."""

from __future__ import annotations

import re

from afterturn.stream._names import Names
from afterturn.stream._text import BLANKS

MAX_HELD = 4096
"""Longest text that is held outside the stages, which keep long blanks without copying them each time."""


class Gate:
    """Tells plain text apart with as little work as can be: nearly every delta is plain.

    Text is plain if it has no special character and its last word (from the last space on) is not in `words` and does
    not end in one of them either.

    Args:
        specials: Characters that a stage could want.
        holds_blanks: Whether a stage could want the blanks at the end of the text.
        names: The names of tools, where leaked calls are looked for.

    Attributes:
        special: Finds a special character.
        words: Beginnings of what a stage could want; where blanks are held, the empty word after a space is one.
    """

    def __init__(self, specials: str, *, holds_blanks: bool, names: Names | None) -> None:
        rare_blanks = BLANKS.replace(" ", "") if holds_blanks else ""
        spaced = names is not None and any(" " in name for name in names.known)
        special = "" if spaced else f"[{re.escape(specials + rare_blanks)}\ud800-\udfff]"
        self.special = re.compile(special).search  # a name with a space is no word: the stages see everything then
        beginnings = names.beginnings if names else frozenset[str]()
        self.words = beginnings | {""} if holds_blanks else beginnings
        self._beginning = names.beginning if names else None

    def concerns(self, word: str) -> bool:
        """Says whether a last word that is more than letters and digits, and not in `words`, concerns a stage."""
        core = word.rstrip(".,;:!?'\"\n")
        first, _, rest = core.partition("'")
        if not core or (core.isascii() and first.isalnum() and (rest.isalnum() or not rest)):
            return False  # a word, or one like "it's", and marks after it: what could begin so is in `words`
        if self.special(word) is not None:
            return True
        last = word[word.rfind("\n") + 1 :]
        if last in self.words or (last.isalnum() and last.isascii()):
            return last != "" and last in self.words
        return self._beginning is not None and self._beginning.search(last) is not None
