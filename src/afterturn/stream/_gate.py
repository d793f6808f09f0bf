"""Lets plain text past the chain: what no stage could want is given out without waking one."""

from __future__ import annotations

import re
from functools import lru_cache

from afterturn.stream._names import Names
from afterturn.stream._text import BLANKS


@lru_cache(maxsize=256)
def gate_of(specials: str, *, holds_blanks: bool, names: Names | None) -> Gate:
    """Gives the gate of a chain of stages, made once for all its messages: it keeps nothing of any."""
    return Gate(specials, holds_blanks=holds_blanks, names=names)


class Gate:
    """Tells plain text apart with as little work as can be: nearly every delta is plain.

    Text is plain if it has no special character and its last word (from the last space on) is not in `words` and does
    not end in one of them, or in another blank, either.

    Args:
        specials: Characters that a stage could want; in ASCII no others than `[(<{*` and the marks of code.
        holds_blanks: Whether a stage could want the blanks at the end of the text.
        names: The names of tools, where leaked calls are looked for.

    Attributes:
        opens: Whether there is plain text at all; a name with a space in it is no word, and the stages see everything.
        special: Finds a special character.
        words: Beginnings of what a stage could want; where blanks are held, the empty word after a space is one.
    """

    def __init__(self, specials: str, *, holds_blanks: bool, names: Names | None) -> None:
        self.opens = names is None or all(len(name.split()) == 1 for name in names.known)
        self.special = re.compile(f"[{re.escape(specials)}\ud800-\udfff]").search
        beginnings = names.beginnings if names else frozenset[str]()
        self.words = beginnings | {""} if holds_blanks else beginnings
        self._ends = {word[-1] for word in beginnings}
        self._blanks = frozenset(BLANKS if holds_blanks else "")
        self._beginning = names.beginning.search if names else self.special

    def concerns(self, word: str) -> bool:
        """Says whether a last word that is more than letters, and not in `words`, concerns a stage."""
        if self.special(word) is not None:
            return True
        end = word[-1:]
        if end not in self._ends:
            return end in self._blanks
        last = word[word.rfind("\n") + 1 :]
        if last in self.words:
            return True
        first, _, rest = last.rstrip(".:").partition("'")
        if last.isascii() and first.isalnum() and (rest.isalnum() or not rest):
            return False  # a word, or one like "it's", and marks after it: what could begin so is in `words`
        return self._beginning(last) is not None
