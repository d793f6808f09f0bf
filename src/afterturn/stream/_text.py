"""Knows what a blank, a line break and closing punctuation are, and repairs surrogates (rules R6 and R11)."""

from __future__ import annotations

import re

BLANKS = "\t \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""Tab and every character of Unicode's class Zs."""

BREAKS = "\n\r\v\f\x85\u2028\u2029"
"""What ends a line, as Unicode defines it."""

CLOSING = frozenset(
    ".,;:!?)]}'\"*_~"
    "\u00bb\u00ab\u2018\u2019\u201b\u201c\u201d\u201f\u2039\u203a"  # quotes that close in some language
    "\u2013\u2014\u2015\u2026\u203c\u2047\u2048\u2049"  # dashes, ellipsis, doubled marks
    # CJK, full and half width
    "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015\u3017\u3019\u301b\u301e\u301f"
    "\uff01\uff02\uff07\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff3d\uff5d\uff5e\uff60\uff61\uff63\uff64"
    "\ufe50\ufe52\ufe54\ufe55\ufe56\ufe57\ufe5a\ufe5c\ufe5e"  # small forms
    "\u060c\u061b\u061f\u06d4\u066a"  # Arabic
    "\u037e\u0387\u0589\u055c\u055e\u05be\u05c3\u0964\u0965\u104a\u104b\u1362\u1363\u1364\u1365\u1367\u17d4\u17d5"
)
"""Punctuation that stands tight after a word: a blank left before it would be an orphan."""

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")


def repair(text: str) -> str:
    """Joins surrogate pairs and puts U+FFFD for every lone surrogate, so that the text can be encoded (R11)."""
    if text.isascii() or not _LONE.search(text):
        return text
    joined = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _LONE.sub("\ufffd", joined)


def utf16_length(text: str) -> int:
    """Counts UTF-16 code units, the unit in which browsers and many editors give positions."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
