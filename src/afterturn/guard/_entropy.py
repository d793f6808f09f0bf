"""Finds payloads that look random: long runs whose letters follow no language and no known format.

It advises (severity `low`): a random-looking run says that something may be carried, not what. Known formats are no
finding: hashes, UUIDs, JWTs, data URIs, pictures and archives, keys and certificates, order numbers, IBANs, URLs,
paths, identifiers of code. What decodes to text is none either; the rules read that text.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from dataclasses import dataclass

from afterturn.guard._result import Finding
from afterturn.guard._triggers import has_long_word, long_words

_RUN = re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}")
_UUID = re.compile(r"(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[-_/]?)+", re.IGNORECASE)
_HASH_LENGTHS = frozenset((40, 48, 56, 64, 96, 128))
_WORDS = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}|[0-9]+")
_MAGIC = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"RIFF", b"OggS",
    b"\x00\x00\x00", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"0\x82", b"0\x81", b"\x7fELF", b"MZ", b"ID3", b"wOF",
    b"\x00\x01\x00\x00", b"OTTO", b"BM", b"II*\x00", b"MM\x00*", b"\x00asm", b"SQLite", b"openssh",
    b"ssh-", b"Salted__",
)  # fmt: skip
_BEFORE = re.compile(
    r"(?:base64,|://[^\s\"'<>]*|-----begin [a-z0-9 ]{1,40}-----[^-]*|"
    r"\bssh-(?:rsa|ed25519|dss) |\beyj[\w-]+\.(?:[\w-]+\.)?|"
    r"(?<![a-z])(?:sha\d*|md5|digest|integrity|checksum|etag|signature|"
    r"token|bearer|api[_-]?key|secret|key|hash|commit|cookie|session|nonce|csrf)[\"']?[ :=-]{1,4}[\"']?)$",
    re.IGNORECASE,
)
_LOOK_BACK = 200
_LEAST = 40
_PLACES = 8
_SHORTEST = 64
_CUT_OFF = 4
"""No class takes a shorter run."""
_UNREADABLE = bytes([*range(9), 11, 12, *range(14, 32), *range(127, 256)])


@dataclass(frozen=True, slots=True)
class _Class:
    """Is a class of alphabets: from which length and entropy (bits a letter) a run of it looks random."""

    name: str
    pattern: re.Pattern[str]
    length: int
    bits: float
    confidence: int


# A uniform choice of 64 letters gives about 5.2 bits over 80 letters, of 32 about 4.6, of 16 about 3.8; English words
# joined by hyphens or in camel case stay below 4.3.
_CLASSES = (
    _Class("hex", re.compile(r"[0-9a-f]+|[0-9A-F]+"), 136, 3.5, 40),
    _Class("base32", re.compile(r"[A-Z2-7]+=*"), 64, 4.2, 45),
    _Class("base64", re.compile(r"(?=.*[0-9])(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9+/_-]+=*"), 80, 4.8, 50),
)


def find(text: str) -> tuple[Finding, ...]:
    """Finds random-looking runs, in the order of the text; at most eight."""
    if not has_long_word(text, _SHORTEST):
        return ()
    found: list[Finding] = []
    for match in (run for start, end in long_words(text, _LEAST) for run in _RUN.finditer(text, start, end)):
        kind = _random(match.group())
        if kind is None or _is_announced(text, match.start()):
            continue
        found.append(
            Finding(
                rule=f"entropy-{kind.name}",
                category="encoded_smuggling",
                severity="low",
                confidence=kind.confidence,
                start=match.start(),
                end=match.end(),
            )
        )
        if len(found) == _PLACES:
            break
    return tuple(found)


def _random(run: str) -> _Class | None:
    """Gives the class of which a run is random, and no known format."""
    for kind in _CLASSES:
        if kind.pattern.fullmatch(run):
            if len(run) < kind.length or _explained(run.rstrip("="), kind) or _bits(run[:512]) < kind.bits:
                return None
            return kind
    return None


def _bits(run: str) -> float:
    length = len(run)
    return math.log2(length) - sum([count * math.log2(count) for count in Counter(run).values()]) / length


def _explained(body: str, kind: _Class) -> bool:
    if _UUID.fullmatch(body) or (len(body) in _HASH_LENGTHS and re.fullmatch("[0-9a-fA-F]+", body)):
        return True
    return (
        body.startswith("eyJ") or _is_known(_head(body, kind.name)) or (kind.name == "base64" and _made_of_words(body))
    )


def _is_announced(text: str, start: int) -> bool:
    """Says whether what stands before a run says what it is; asked last, since it takes the longest."""
    return _BEFORE.search(text[max(0, start - _LOOK_BACK) : start]) is not None


def _made_of_words(body: str) -> bool:
    """Says whether most of a run is words or numbers: paths, identifiers, slugs."""
    return sum(map(len, _WORDS.findall(body))) * 3 > len(body) * 2


def _head(body: str, alphabet: str) -> bytes:
    """Decodes the first 400 letters of a run."""
    head = body[:400]
    try:
        if alphabet == "hex":
            return bytes.fromhex(head[: len(head) // 2 * 2])
        if alphabet == "base32":
            return base64.b32decode(head[: len(head) // 8 * 8])
        return base64.b64decode(head[: len(head) // 4 * 4].replace("-", "+").replace("_", "/"))
    except (binascii.Error, ValueError):
        return b""


def _is_known(data: bytes) -> bool:
    """Says whether bytes start a known format or are text."""
    if data.startswith(_MAGIC):
        return True
    readable = len(data.translate(None, _UNREADABLE))
    return bool(data) and (readable * 10 >= len(data) * 9 or _is_utf8(data))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start > _CUT_OFF and error.start >= len(data) - _CUT_OFF  # the last character may be cut off
    return True
