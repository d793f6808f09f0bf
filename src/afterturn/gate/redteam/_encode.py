"""Encodes payloads as attackers do: each way is a pure function of a text."""

from __future__ import annotations

import base64
import codecs
import html
import urllib.parse
from collections.abc import Callable, Iterable

from afterturn.errors import UsageError

ZERO_WIDTH = "\u200b"
_TAG_BASE = 0xE0000
_FULL_WIDTH = 0xFEE0
_LEET = str.maketrans("aeiostAEIOST", "431057431057")
_LOOKALIKES = str.maketrans("aceopxyiABCEHKMOPTX", "асеорхуіАВСЕНКМОРТХ")
_SIGNS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
    "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."
)
_MORSE = dict(zip("abcdefghijklmnopqrstuvwxyz0123456789", _SIGNS.split(), strict=True))


def _each(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(map(change, text))


def _morse(text: str) -> str:
    words = ("".join(letter for letter in word if letter in _MORSE) for word in text.lower().split())
    return " / ".join(" ".join(_MORSE[letter] for letter in word) for word in words if word)


_WAYS: dict[str, Callable[[str], str]] = {
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "binary": lambda text: " ".join(f"{byte:08b}" for byte in text.encode()),
    "entities": _each(lambda letter: f"&#{ord(letter)};" if letter.isalpha() else html.escape(letter)),
    "escapes": _each(lambda letter: f"\\u{ord(letter):04x}"),
    "fullwidth": _each(lambda letter: chr(ord(letter) + _FULL_WIDTH) if "!" <= letter <= "~" else letter),
    "hex": lambda text: text.encode().hex(),
    "homoglyphs": lambda text: text.translate(_LOOKALIKES),
    "leet": lambda text: text.translate(_LEET),
    "morse": _morse,
    "percent": lambda text: urllib.parse.quote(text, safe=""),
    "reversed": lambda text: text[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "spaced": lambda text: "  ".join(" ".join(word) for word in text.split()),
    "tags": _each(lambda letter: chr(_TAG_BASE + ord(letter)) if letter.isascii() else letter),
    "zero_width": lambda text: ZERO_WIDTH.join(text),
}
ENCODINGS = tuple(sorted(_WAYS))


def encode(text: str, steps: Iterable[str]) -> str:
    """Encodes a text, step by step.

    Raises:
        UsageError: A step is not known.

    Example:
        >>> encode("hi", ["rot13", "hex"])
        '7576'
    """
    for step in steps:
        if step not in _WAYS:
            raise UsageError(f"no encoding is called {step!r}; there are {', '.join(ENCODINGS)}")
        text = _WAYS[step](text)
    return text
