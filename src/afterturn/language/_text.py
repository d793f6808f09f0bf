"""Cuts text into tokens and sentences, in any script, and takes Markdown off."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_ELIDED = r"(?:[ldjnsmtc]|qu|jusqu|lorsqu|puisqu|(?:d|n|s)?[aeu]ll|un|quell|c|dov|com)['’](?=\w)"
_SIGNS = "\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e00-\u0eff"  # vowel signs and accents belong to their word
_WORD = rf"(?:[^\W_{_CJK}]|[{_SIGNS}])+"
_TOKEN = re.compile(rf"[{_CJK}]|\b{_ELIDED}|{_WORD}(?:['’]{_WORD})*", re.IGNORECASE)
_ASCII_TOKEN = re.compile(rf"\b{_ELIDED}|[a-z0-9]+(?:'[a-z0-9]+)*", re.ASCII)  # of a text in small letters: far quicker
_CJK_TOKEN = re.compile(rf"[{_CJK}]")
FOLDED = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ة": "ه", "ـ": None, "ß": "ss", "ł": "l", "ı": "i"})
_LONG_RUN = re.compile(r"(\D)\1{2,}")
_ASCII_RUN = re.compile(r"([a-z])\1\1")

_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,1000}\)")
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|#{1,6}|>|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_EMPHASIS = re.compile(r"\*\*|__|`|~~|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")

_MARKER = re.compile(r"\s?[\[【［]c\d{1,7}(?:\s*[,;–-]\s*c\d{1,7}){0,40}[\]】］]")

QUESTION_MARKS = "?？؟"

_BREAK = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？؟।]+[」』”’»)]*|\n+")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:\w|dr|mr|mrs|ms|prof|st|no|nr|vs|etc|approx|ca|bzw|usw|inkl|evtl|ggf|sr|sra|dra|mme|mlle|env|tel"
    r"|z\.\s?b|d\.\s?h|u\.\s?a|e\.\s?g|i\.\s?e|p\.\s?ej|a\.\s?m|p\.\s?m)$",
    re.IGNORECASE,
)
_MAX_ABBREVIATION_CHARS = 12


class Token(NamedTuple):
    """Is one word, or one CJK character, folded for comparison, with its place in the text."""

    folded: str
    start: int
    end: int


def fold(word: str) -> str:
    """Folds case, accents, apostrophes, Arabic spelling variants and drawn-out letters (`Hellooo` is `hello`)."""
    if word.isascii():  # most words: they have no accent to take apart
        return _shortened(word.lower().replace("'", ""))
    decomposed = unicodedata.normalize("NFKD", word.casefold().translate(FOLDED))
    bare = "".join([char for char in decomposed if not unicodedata.combining(char) and char not in "'’"])
    return _shortened(bare if bare.isascii() else unicodedata.normalize("NFKC", bare))


def _shortened(word: str) -> str:
    """Writes a drawn-out letter once; most words have none, and looking is cheaper than replacing."""
    return word if _LONG_RUN.search(word) is None else _LONG_RUN.sub(r"\1", word)


def has_run(lowered: str) -> bool:
    """Says whether a text in small letters has a plain letter three times and more in a row."""
    return _ASCII_RUN.search(lowered) is not None


def tokens(text: str) -> list[Token]:
    """Gives the words of a text, a CJK character each where words are not spaced; elided words stand alone.

    Example:
        >>> [token.folded for token in tokens("S'il vous plaît, 你好! It's l'hôtel.")]
        ['s', 'il', 'vous', 'plait', '你', '好', 'its', 'l', 'hotel']
    """
    lowered = text.lower()
    if len(lowered) != len(text) or has_run(lowered.replace("'", "")):
        return [Token(fold(match.group()), match.start(), match.end()) for match in _TOKEN.finditer(text)]
    # Most words are plain: in small letters as a whole, every letter in its place, they need no more folding.
    spans = [match.span() for match in (_ASCII_TOKEN.finditer(lowered) if text.isascii() else _TOKEN.finditer(text))]
    return [Token(_folded(text[start:end], lowered[start:end]), start, end) for start, end in spans]


def words(text: str) -> list[str]:
    """Gives the folded words of a text, those that `tokens` gives with their places.

    Example:
        >>> words("It's l'hôtel.")
        ['its', 'l', 'hotel']
    """
    lowered = text.lower()
    if has_run(lowered.replace("'", "")):
        return [fold(word) for word in _TOKEN.findall(text)]
    if not text.isascii():
        said = [word.lower() if word.isascii() else fold(word) for word in _TOKEN.findall(text)]
        return [word.replace("'", "") for word in said] if "'" in lowered else said
    found: list[str] = _ASCII_TOKEN.findall(lowered)
    return [word.replace("'", "") for word in found] if "'" in lowered else found


def _folded(word: str, lowered: str) -> str:
    """Folds a word without drawn-out letters."""
    return lowered.replace("'", "") if word.isascii() else fold(word)


def is_cjk(token: str) -> bool:
    """Says whether a token is a character of a script without spaces between words."""
    return not token.isascii() and bool(_CJK_TOKEN.match(token))


def has_cjk(text: str) -> bool:
    """Says whether a text has a character of a script without spaces between words."""
    return _CJK_TOKEN.search(text) is not None


def plain(text: str) -> str:
    """Takes Markdown off and keeps the words and the line breaks.

    Example:
        >>> plain("## **Refunds**")
        'Refunds'
    """
    text = _FENCE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _BULLET.sub("", text)
    return _EMPHASIS.sub("", text)


def without_markers(text: str) -> str:
    """Takes citation markers off: they point at passages of one answer and mean nothing anywhere else.

    Example:
        >>> without_markers("Late parcel [c1, c2]")
        'Late parcel'
    """
    return _MARKER.sub("", text)


def sentences(text: str) -> list[str]:
    """Cuts plain text into sentences; a dot after an abbreviation or before a small letter ends none.

    Example:
        >>> sentences("Dr. Morgan is in. Shall I book it?")
        ['Dr. Morgan is in.', 'Shall I book it?']
    """
    found: list[str] = []
    start = 0
    for match in _BREAK.finditer(text):
        if not _ends_sentence(text, match, start):
            continue
        found.append(text[start : match.end()])
        start = match.end()
    found.append(text[start:])
    return [" ".join(sentence.split()) for sentence in found if _TOKEN.search(sentence)]


def grouped(parts: Sequence[str], limit: int) -> list[str]:
    """Joins neighbours until at most `limit` parts are left, so that a long text costs no more and loses nothing."""
    if len(parts) <= limit:
        return list(parts)
    size = -(-len(parts) // limit)
    return [" ".join(parts[start : start + size]) for start in range(0, len(parts), size)]


def _ends_sentence(text: str, match: re.Match[str], start: int) -> bool:
    if match.group()[0] != "." or match.group().startswith(".."):
        return True
    before = text[max(start, match.start() - _MAX_ABBREVIATION_CHARS) : match.start()]
    if _ABBREVIATION.search(before):
        return False
    after = text[match.end() : match.end() + 3].lstrip()
    return not (after[:1].islower())
