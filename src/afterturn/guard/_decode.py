"""Reads what a text carries in an encoding: base64, base32, hex, percent, escapes, codes, tags, ciphers, reversed.

What decodes to bytes that are no text (a picture, an archive, a hash, a key) yields nothing.
"""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from afterturn.guard import _ciphers
from afterturn.guard._found import found
from afterturn.guard._triggers import Triggers, long_words

Exactness = Literal["block", "same", "mirror"]
"""How places in what was decoded lead back: to the whole payload, to the same place, or counted from the end."""

_BASE64 = re.compile(
    r"[A-Za-z0-9+/_-]{16,}={0,2}(?:[ \t]*\r?\n[ \t>]{0,4}[A-Za-z0-9+/_-]{16,}={0,2})*"
    r"(?:[ \t]*\r?\n[ \t>]{0,4}[A-Za-z0-9+/_-]{2,15}={0,2}(?![^\s]))?"
)
_PIECE = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_BASE32 = re.compile(r"(?<![A-Z0-9])[A-Z2-7]{16,}={0,6}")
_STANDARD = str.maketrans("-_", "+/")
_AS_BASE32 = bytes(65 if chr(code) in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" else 46 for code in range(256))
_BASE32_RUN = b"A" * 16
_HEX = re.compile(r"(?<![0-9a-zA-Z])(?:0x|\\x)?[0-9a-fA-F]{2}(?:[ ,:;-]{0,2}(?:0x|\\x)?[0-9a-fA-F]{2}){7,}")
_PERCENT = re.compile(r"\S+")
_PLUS = re.compile(r"[A-Za-z']{1,20}(?:\+[A-Za-z']{1,20}){2,}")
_TWO_PLUS = re.compile(r"\+[A-Za-z']{1,20}\+[A-Za-z']")
_LONGEST_JOINED = 20
_ESCAPES = re.compile(r"(?:\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]{2,6}\})|\\x[0-9a-fA-F]{2}|[ -~])+")
_ONE_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{4}|(?<=\{)[0-9a-fA-F]{2,6}(?=\}))\}?|\\x([0-9a-fA-F]{2})")
_OCTAL = re.compile(r"(?:\\[0-7]{3}|[ -\[\]-~]){8,}")
_POINTS = re.compile(r"U\+[0-9a-f]{4,5}(?:[ ,;]{0,2}U\+[0-9a-f]{4,5}){5,}", re.IGNORECASE)
_ASCII85 = re.compile(r"<~[!-uz\s]{8,}~>")
_BRAILLE = re.compile(
    "[\u2800-\u28ff]{6,}(?:[ \n]{1,2}[\u2800-\u28ff]+)*|(?:[\u2800-\u28ff]+[ \n]{1,2}){2,}[\u2800-\u28ff]+"
)
_QUOTED = re.compile(r"(?:=[0-9A-Fa-f]{2}|=\r?\n|[!-<>-~]){12,}")
_QUOTED_OFTEN = re.compile(r"(?:=[0-9A-Fa-f]{2}(?:[!-<>-~]|=\r?\n)*){6}")
_QUOTES = re.compile("=[0-9A-Fa-f]{2}")
_ESCAPES_IN_A_ROW = re.compile(rb"(?:%[0-9a-fA-F]{2})+")
_BINARY = re.compile(r"[01]{8}(?:[ ,]{0,2}[01]{8}){5,}")
_DECIMAL = re.compile(r"[0-9]{2,3}(?:[ ,;]{1,2}[0-9]{2,3}){7,}")
_MORSE = re.compile(r"[.-]{1,6}(?:[ /|]{1,3}[.-]{1,6}){7,}")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,6}\U000e007f")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{6,}")
_UNTAGGED = {code: chr(code - 0xE0000) for code in range(0xE0020, 0xE007F)}
_REVERSIBLE = re.compile("[^ \n]+")
_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_MORSE_LETTERS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. "
    "----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. "
    ".-.-.- --..-- ..--.. -.-.-- .----. -....- ---... .-..-."
)
_MORSE_CODE: dict[str, str] = dict(
    zip(
        _MORSE_LETTERS.split(),
        "abcdefghijklmnopqrstuvwxyz0123456789.,?!'-:\"",
        strict=True,
    )
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_LONG_WORD = 16
_TURNED_CHARS = 4_000
_STRAY = 2
"""So many bytes of a payload may be no text: a word before or after it that looks like a part of it."""

_LEAST = 6
"""A shorter decoded text is no instruction."""

_NO_CONTROLS = bytes([9, 10, 13, *range(32, 127), *range(128, 256)])
"""Bytes that may be a part of a character that is printed, whatever stands beside them."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Is a text that was carried in another.

    Attributes:
        carrier: How it was carried.
        text: What it says.
        start: Where the payload starts in the carrying text: the original, or the normalised one where exact.
        end: Where it ends.
        exact: How a place in it leads back.
    """

    carrier: str
    text: str
    start: int = 0
    end: int = 0
    exact: Exactness = "block"


def layers(original: str, normal: str, triggers: Triggers) -> Iterator[Layer]:
    """Decodes what a text carries, one layer deep.

    Args:
        original: The text as it was written.
        normal: The same, normalised: what rot13 and reversed text are read from.
        triggers: What the text may carry, found cheaply before.
    """
    if triggers.blob:
        yield from _blobs(original)
    if triggers.codes:
        yield from _codes(original)
    if triggers.percent:
        yield from _escaped(original)
    if triggers.hidden:
        yield from _hidden(original)
    yield from _substituted(original, normal, triggers)
    if triggers.reverse:
        yield Layer("reversed", normal[::-1], exact="mirror")
        yield Layer("reversed", _REVERSIBLE.sub(_backwards, normal), exact="same")


def _escaped(text: str) -> Iterator[Layer]:
    if "%" in text:
        yield from _all(_PERCENT, "percent", _percent, text)
    if len(_QUOTES.findall(text)) >= _LEAST and found(_QUOTED_OFTEN, text):
        yield from _all(_QUOTED, "quoted_printable", _quoted, text)
    if text.count("+") > 1:
        yield from _plus(text)


def _substituted(original: str, normal: str, triggers: Triggers) -> Iterator[Layer]:
    if triggers.rot13:
        yield Layer("rot13", normal.translate(_ROT13), exact="same")
    if triggers.cipher:
        yield from (Layer("substitution", text, exact="same") for text in _ciphers.substituted(normal))
    if triggers.rot47:
        yield Layer("rot47", _ciphers.rot47(original), 0, len(original))
    if triggers.numbered:
        yield from (Layer("numbered", text, start, end) for text, start, end in _ciphers.numbered(original))


def _blobs(text: str) -> Iterator[Layer]:
    at = 0
    for start, end in long_words(text, _LONG_WORD):
        at = max(at, start)
        while at < end and (found := _PIECE.search(text, at, end)):
            match = _BASE64.match(text, found.start()) or found  # it may go on in the next lines
            yield from _blob(text, match)
            at = match.end()


def _blob(text: str, match: re.Match[str]) -> Iterator[Layer]:
    decoded = _base64(match.group())
    if decoded is not None:
        yield Layer("base64", decoded, *match.span())
        return
    if "\n" in match.group():
        for piece in _PIECE.finditer(text, *match.span()):
            decoded = _base64(piece.group())
            if decoded is not None:
                yield Layer("base64", decoded, *piece.span())
    if _BASE32_RUN in match.group().encode().translate(_AS_BASE32):
        yield from _all(_BASE32, "base32", _base32, text, *match.span())


def _codes(text: str) -> Iterator[Layer]:
    for pattern, carrier, decode in _CODES:
        if found(pattern, text):
            yield from _all(pattern, carrier, decode, text)
    if "\\u" in text or "\\x" in text:
        yield from _all(_ESCAPES, "escapes", _escapes, text)
    if "\\1" in text or "\\0" in text:
        yield from _all(_OCTAL, "octal", _octal, text)
    if "<~" in text:
        yield from _all(_ASCII85, "ascii85", _ascii85, text)
    if "U+" in text or "u+" in text:
        yield from _all(_POINTS, "code_points", _points, text)


def _hidden(text: str) -> Iterator[Layer]:
    bare = _FLAG.sub(_blank, text)
    first = _TAGS.search(bare)
    if first:
        runs = _TAGS.findall(bare)
        yield Layer("tags", "".join(runs).translate(_UNTAGGED), first.start(), bare.rindex(runs[-1]) + len(runs[-1]))
    if _ciphers.is_turned(bare[:_TURNED_CHARS]):
        yield Layer("upside_down", _ciphers.turned(bare[:_TURNED_CHARS]), 0, len(bare[:_TURNED_CHARS]))
    yield from _all(_BRAILLE, "braille", _ciphers.braille, text)
    yield from _all(_SELECTORS, "variation_selectors", _selectors, text)


def _all(
    pattern: re.Pattern[str], carrier: str, decode: Callable[[str], str | None], text: str, *span: int
) -> Iterator[Layer]:
    for match in pattern.finditer(text, *span):
        decoded = decode(match.group())
        if decoded is not None:
            yield Layer(carrier, decoded, *match.span())


def _base64(run: str) -> str | None:
    if run.islower() or run.isupper():  # a text in base64 has letters of either case; a path or a word has not
        return None
    if "\n" in run:
        run = "".join(run.replace(">", "").split())
    joined = run.translate(_STANDARD).rstrip("=")
    if len(joined) % 4 == 1:
        joined = joined[:-1]
    try:
        return _text(binascii.a2b_base64(joined + "=" * (-len(joined) % 4), strict_mode=True))
    except (binascii.Error, ValueError):
        return None


def _base32(run: str) -> str | None:
    joined = run.rstrip("=")
    joined = joined[: len(joined) - (len(joined) % 8 in (1, 3, 6))]
    try:
        return _text(base64.b32decode(joined + "=" * (-len(joined) % 8)))
    except (binascii.Error, ValueError):
        return None


def _hex(run: str) -> str | None:
    digits = run if run.isalnum() and "x" not in run else re.sub(r"0x|\\x|[^0-9a-fA-F]", "", run)
    return _text(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _binary(run: str) -> str | None:
    digits = re.sub("[^01]", "", run)
    return _text(bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits), 8)))


def _decimal(run: str) -> str | None:
    codes = [int(code) for code in re.split("[ ,;]+", run)]
    return _text(bytes(codes)) if max(codes) < 256 else None


def _morse(run: str) -> str | None:
    words = re.split(r" ?[/|] ?| {3}", run)
    said = " ".join("".join(_MORSE_CODE.get(code, "") for code in word.split()) for word in words)
    return said if len(said) >= _LEAST else None


_CODES: tuple[tuple[re.Pattern[str], str, Callable[[str], str | None]], ...] = (
    (_HEX, "hex", _hex),
    (_BINARY, "binary", _binary),
    (_DECIMAL, "decimal", _decimal),
    (_MORSE, "morse", _morse),
)


def _percent(run: str) -> str | None:
    if "%" not in run:
        return None
    said = _text(_ESCAPES_IN_A_ROW.sub(_bytes, run.replace("+", " ").encode("utf-8", "replace")))
    return said if said != run else None


def _bytes(escapes: re.Match[bytes]) -> bytes:
    return binascii.unhexlify(escapes.group().replace(b"%", b""))


def _quoted(run: str) -> str | None:
    return _text(quopri.decodestring(run.encode())) if len(_QUOTES.findall(run)) >= _LEAST else None


def _plus(text: str) -> Iterator[Layer]:
    """Reads words joined by plus signs; where two of these are near each other is found first, in less time."""
    at = 0
    while two := _TWO_PLUS.search(text, at):
        match = _PLUS.search(text, max(at, two.start() - _LONGEST_JOINED))
        if match is None:
            return
        yield Layer("percent", match.group().replace("+", " "), *match.span())
        at = match.end()


def _escapes(run: str) -> str | None:
    if run.count("\\u") + run.count("\\x") < 4:
        return None
    return _ONE_ESCAPE.sub(lambda match: chr(min(int(match.group(1) or match.group(2), 16), 0x10FFFF)), run)


def _octal(run: str) -> str | None:
    if run.count("\\") < 4:
        return None
    return _text(re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8) & 255), run).encode("latin-1", "replace"))


def _ascii85(run: str) -> str | None:
    try:
        return _text(base64.a85decode(run, adobe=True))
    except ValueError:
        return None


def _points(run: str) -> str:
    return "".join(chr(min(int(code, 16), 0x10FFFF)) for code in re.findall("[0-9a-fA-F]{4,5}", run))


def _selectors(run: str) -> str | None:
    return _text(bytes(ord(char) - 0xFE00 if char < "\uff00" else ord(char) - 0xE0100 + 16 for char in run))


def _text(data: bytes) -> str | None:
    """Reads bytes as text, or says that they are none."""
    if len(data) < _LEAST:
        return None
    if data[1::2].count(0) * 3 > len(data):
        return data.decode("utf-16-le", "ignore")
    if len(data.translate(None, _NO_CONTROLS)) * 20 > len(data):  # as below, before all of it is decoded
        return None
    text = data.decode("utf-8", "replace")
    if text.count("\ufffd") > _STRAY:
        return None
    text = text.strip("\ufffd")
    if text.isprintable():
        return text if len(text) >= _LEAST else None
    plain = sum(map(str.isprintable, text)) + text.count("\n") + text.count("\r") + text.count("\t")
    plain += len(_INVISIBLE.findall(text)) if plain < len(text) else 0
    return text if plain * 20 >= len(text) * 19 and len(text) >= _LEAST else None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _backwards(match: re.Match[str]) -> str:
    return match.group()[::-1]
