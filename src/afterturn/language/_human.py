"""Tells whether a message asks for a person instead of the machine, in the languages of `wants_human.txt`."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from afterturn.language._tables import lines
from afterturn.language._text import FOLDED, is_cjk, words


def asks_for_human(text: str) -> bool:
    """Says whether a message asks for a person instead of the machine.

    Example:
        >>> asks_for_human("Can I talk to a real person please?"), asks_for_human("The agent at the desk was kind.")
        (True, False)
    """
    said = words(text)
    if not text.isascii():  # CJK is written without blanks
        said = "".join([word if is_cjk(word) else f" {word} " for word in said]).split()
    spaced = " ".join(said)
    by_word, anywhere = _patterns()
    return by_word.search(spaced) is not None or (not spaced.isascii() and anywhere.search(spaced) is not None)


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Gives the patterns that begin with a word, tried where one begins and nowhere else, and the others."""
    tables = lines("wants_human.txt")
    by_word, anywhere = ("|".join(f"(?:{_folded(line)})" for line in tables[name]) for name in ("words", "anywhere"))
    return re.compile(rf"(?<!\w)(?:{by_word})"), re.compile(anywhere)


def _folded(pattern: str) -> str:
    """Writes a pattern in the letters that folded words have."""
    decomposed = unicodedata.normalize("NFKD", pattern.translate(FOLDED))
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFKC", bare)
