"""Says in one cheap look what a text may carry, so that an ordinary text costs nothing more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from afterturn.guard._ciphers import rot47_telltales, telltales
from afterturn.guard._engines import SHORT
from afterturn.guard._found import found_anywhere
from afterturn.guard._re2_words import set_of

_MOST_SEEN = (
    "the and you your all prompt system instruction instructions ignore previous disregard reveal forget rules please "
    "und die der dein alle vergiss ignoriere anweisungen les vos des toutes oublie las los todas olvida instrucciones "
    "nicht alles zuvor della tutte istruzioni todos instrucoes esqueca"
)
"""Words that most attacks hold; in rot13 or from back to front they are hardly ever seen in an honest text."""

_COMMON = "this that what with from are was were have not can told say write print show repeat complete"
_ROTATE = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_ROT13 = "|".join(word.translate(_ROTATE) for word in f"{_MOST_SEEN} {_COMMON}".split())
_CIPHERED = "|".join(sorted(telltales()))
_ROT47 = "|".join(map(re.escape, rot47_telltales()))
_REVERSED = "|".join(word[::-1] for word in _MOST_SEEN.split())

_LOOKS: tuple[tuple[str, str], ...] = (
    ("blob", r"[a-z0-9+/_-]{20}"),
    ("blob", r"[a-z2-7]{16}="),
    ("codes", r"\\[ux]\{?[0-9a-f]{2}|(?:\\[0-7]{3}){4}|u\+00[0-9a-f]{2} ?u\+|<~"),
    ("codes", r"(?:[0-9a-f]{2}[ ,:;-]){8}|(?:0x[0-9a-f]{2}[ ,;]{0,2}){6}|[0-9a-f]{16}"),
    ("codes", r"[01]{8}[ ,]{0,2}[01]{8}|(?:[0-9]{2,3}[ ,;]){7}"),
    ("codes", r"(?:[.-]{1,6}[ /|]{1,3}){7}"),
    ("percent", r"%[0-9a-f]{2}|(?:=[0-9a-f]{2}){4}|[a-z]\+[a-z]+\+[a-z]"),
    (
        "leet",
        r"[a-z][0134578$!|]{1,3}[a-z]|[a-z][0134578]{3}[^0-9a-z]|(?:^|[^a-z0-9])[0134578]{1,2}[a-z]{3}|[$@][a-z]{2}[a-z0-9]*(?:$|[^.a-z0-9])",
    ),
    (
        "apart",
        r"(?:^|[ \n.*_|-])(?:[a-z]|[^\x00-\x7f])[ .*_|-]{1,3}(?:[a-z0-9@$]|[^\x00-\x7f])[ .*_|-]{1,3}"
        r"(?:[a-z0-9@$]|[^\x00-\x7f])[ .*_|-]{1,3}(?:[a-z0-9@$]|[^\x00-\x7f])(?:$|[ \n.*_|-])",
    ),
    ("rot13", rf"\b(?:{_ROT13})\b"),
    ("cipher", rf"\b(?:{_CIPHERED})\b"),
    ("rot47", _ROT47),
    ("numbered", r"(?:[0-9]{1,2}-){3}[0-9]{1,2}[ /_,-]"),
    ("reverse", rf"\b(?:{_REVERSED})\b"),
)
_MARKS = frozenset(("blob", "codes", "percent", "numbered"))
"""Looks that count characters; the others know words."""


@dataclass(frozen=True, slots=True)
class Triggers:
    """Says what a text may carry; each is a hint only.

    Attributes:
        blob: A long run of base64 or base32 letters.
        codes: Bytes written as hex, binary, decimal, Morse or escapes.
        percent: Percent escapes, or words joined by plus signs.
        leet: Words of letters and digits.
        apart: Letters written apart.
        rot13: Common words in rot13.
        cipher: Words of attacks in another shifted alphabet, or in Atbash.
        rot47: The same in rot47.
        numbered: Numbers joined by hyphens, which may be places in the alphabet.
        reverse: Common words from back to front.
        hidden: Tag characters, runs of variation selectors, Braille, or letters on their head.
        veiled: Letters in disguise: invisible characters within words, words of mixed scripts, letters as entities.
    """

    blob: bool = False
    codes: bool = False
    percent: bool = False
    leet: bool = False
    apart: bool = False
    rot13: bool = False
    cipher: bool = False
    rot47: bool = False
    numbered: bool = False
    reverse: bool = False
    hidden: bool = False
    veiled: bool = False


NONE = Triggers()
"""Says that a text carries nothing."""

_NOTHING = frozenset[str]()
_VEILS = re.compile(
    "[A-Za-z][\u00ad\u200b-\u200d\u2060\ufeff](?=[A-Za-z])|[a-z][\u0370-\u052f][a-z]?|[\uff21-\uff5a]{4}"
)
_ENTITIES = re.compile(r"(?:&#(?:x[2-7][0-9a-f]|[0-9]{2,3});){8}", re.IGNORECASE)
_FEW_VEILS = 5
"""Fewer may be chance: a soft hyphen, a name in two scripts."""

_HIDDEN = re.compile(
    "[\U000e0020-\U000e007e]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{6}|[\u2801-\u28ff]{4}|[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]"
)


def look(original: str, normal: str) -> Triggers:
    """Looks at a text.

    Args:
        original: As it was written.
        normal: The same, normalised.
    """
    is_ascii = original.isascii()
    hidden = not is_ascii and found_anywhere(_HIDDEN, original)
    veiled = _is_veiled(original, is_ascii=is_ascii)
    seen = _set().seen(normal)
    if not seen and not hidden and not veiled:
        return NONE
    return Triggers(**dict.fromkeys(seen, True), hidden=hidden, veiled=veiled)


def _is_veiled(original: str, *, is_ascii: bool) -> bool:
    if not is_ascii and found_anywhere(_VEILS, original):
        veils = sum(1 for _ in islice(_VEILS.finditer(original), _FEW_VEILS))
        if veils == _FEW_VEILS:
            return True
    return "&" in original and "&#" in original and _ENTITIES.search(original) is not None


def has_long_word(text: str, least: int) -> bool:
    """Says whether a text has so many characters in a row without a blank or a line break."""
    at, last = 0, len(text) - least
    while at <= last:
        blank = text.rfind(" ", at, at + least)
        if blank < 0:
            blank = text.rfind("\n", at, at + least)
            if blank < 0:
                return True
        at = blank + 1
    return False


def long_words(text: str, least: int) -> Iterator[tuple[int, int]]:
    """Finds the words (what stands between blanks) of at least so many characters."""
    at = 0
    for word in text.split():
        if len(word) >= least:
            at = text.index(word, at)
            yield at, at + len(word)
            at += len(word)


class _Re2Looks:
    """Looks with all patterns at once; a long text by marks and by words apart.

    A state stands for what each pattern has seen of a place. A long text that looks random has so many states of all
    patterns that each is fetched from far.
    """

    def __init__(self, re2: Any, options: Any) -> None:
        marks = [look for look in _LOOKS if look[0] in _MARKS]
        words = [look for look in _LOOKS if look[0] not in _MARKS]
        self._all = _asking(re2, options, _LOOKS)
        self._parts = (_asking(re2, options, marks), _asking(re2, options, words))

    def seen(self, text: str) -> Set[str]:
        data = text.encode("utf-8", "replace")
        if len(data) <= SHORT:
            return self._all(data)
        return self._parts[0](data) | self._parts[1](data)


def _asking(re2: Any, options: Any, looks: Sequence[tuple[str, str]]) -> Callable[[bytes], Set[str]]:
    """Makes what says which of some patterns are in a text, by name."""
    ask = set_of(re2, options, [pattern for _, pattern in looks])

    def seen(data: bytes) -> Set[str]:
        hits = ask(data)
        return frozenset([looks[at][0] for at in hits]) if hits else _NOTHING

    return seen


class _ReLooks:
    def __init__(self) -> None:
        self._looks = [(name, re.compile(pattern, re.ASCII)) for name, pattern in _LOOKS]

    def seen(self, text: str) -> Set[str]:
        return {name for name, pattern in self._looks if pattern.search(text)}


@cache
def _set() -> _Re2Looks | _ReLooks:
    from afterturn.guard._engine_re2 import load_re2, re2_options

    try:
        re2 = load_re2()
    except ImportError:
        return _ReLooks()
    return _Re2Looks(re2, re2_options(re2))
