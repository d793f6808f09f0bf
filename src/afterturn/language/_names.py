"""Names the language of a text in English, where its function words or its script tell."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

from afterturn.language._text import words
from afterturn.language._words import languages_of

_NAMES = {
    "en": "English",
    "fr": "French",
    "de": "German",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "nl": "Dutch",
    "pl": "Polish",
    "ar": "Arabic",
    "zh": "Chinese",
    "ja": "Japanese",
    "ru": "Russian",
}
_SCRIPTS = {
    "HANGUL": "Korean",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "DEVANAGARI": "Hindi",
    "GREEK": "Greek",
    "HEBREW": "Hebrew",
    "THAI": "Thai",
    "GEORGIAN": "Georgian",
    "ARMENIAN": "Armenian",
    "BENGALI": "Bengali",
    "TAMIL": "Tamil",
}

_FIRST_OF_SCRIPTS = "\u0370"
"""The first character of the lowest of these scripts, which is Greek: a text of lower ones holds none of them."""


def language_name(text: str) -> str | None:
    """Names the language of a text, or None where that cannot be told for sure.

    Example:
        >>> language_name("Ich habe meine Karte verloren."), language_name("환불해 주세요"), language_name("iPhone 15")
        ('German', 'Korean', None)
    """
    by_script = _by_script(text)
    if by_script:
        return by_script
    spoken = languages_of(words(text))
    return _NAMES.get(spoken[0]) if len(spoken) == 1 else None


def _by_script(text: str) -> str | None:
    """A script that one language alone is written in, where it makes up a third of the letters or more."""
    if max(text, default="") < _FIRST_OF_SCRIPTS:
        return None
    letters = [_by_letter(char) for char in text[:2_000] if char.isalpha()]
    counted = Counter(name for name in letters if name is not None)
    name, count = counted.most_common(1)[0] if counted else (None, 0)
    return name if 3 * count >= len(letters) else None


@lru_cache(maxsize=4_096)
def _by_letter(char: str) -> str | None:
    return _SCRIPTS.get(unicodedata.name(char, "").split(" ")[0])
