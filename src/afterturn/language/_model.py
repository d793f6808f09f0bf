"""Reads a linear model over hashed character n-grams: small, pure Python, the same in every language.

Source of the method: Joulin et al., "Bag of Tricks for Efficient Text Classification" (2017): hashed n-grams and a
linear classifier. Misspelt and drawn-out words ("thankssss") share most of their n-grams with the plain ones.
"""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from zlib import crc32

BUCKETS = 1 << 15
_SIZES = (1, 2, 3, 4)
_REWRITTEN = re.compile(r"[0-9]|(.)\1\1", re.DOTALL)
_MAX_CHARACTERS = 400
_MAX_KNOWN_CHARACTERS = 24
_HEAD = struct.Struct("<4sff")
_MAGIC = b"AFL1"


def ngrams(text: str) -> list[int]:
    """Gives the buckets of a text's words and of the character n-grams within them, word borders marked.

    Letters three times and more in a row count twice; digits are alike.
    """
    return [bucket for word in _words(text) for bucket in _buckets(word)]


def probability(name: str, text: str) -> float:
    """Gives the probability of the model's class for a text.

    Args:
        name: File name of the model in this package.
        text: The text; its first 400 characters are read.
    """
    weights, scale, bias = _load(name)
    buckets = set[int]().union(*map(_buckets, _words(text)))
    total = sum(map(weights.__getitem__, buckets)) * scale / max(len(buckets), 1) ** 0.5
    return 1 / (1 + math.exp(-max(min(total + bias, 30.0), -30.0)))


def write_model(path: Path, weights: Iterable[float], bias: float) -> None:
    """Writes the weights, each in one byte (training only)."""
    values = list(weights)
    scale = max(abs(value) for value in values) / 127
    packed = struct.pack(f"<{len(values)}b", *(round(value / scale) for value in values))
    path.write_bytes(_HEAD.pack(_MAGIC, scale, bias) + packed)


@lru_cache(maxsize=4)
def _load(name: str) -> tuple[array[int], float, float]:
    raw = files("afterturn.language").joinpath(name).read_bytes()
    magic, scale, bias = _HEAD.unpack_from(raw)
    if magic != _MAGIC or len(raw) != _HEAD.size + BUCKETS:
        raise ValueError(f"{name} of the installed package is damaged; install afterturn again")
    return array("b", raw[_HEAD.size :]), scale, bias  # a byte each: a tuple's objects would fill the processor's cache


def _words(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFKC", text[:_MAX_CHARACTERS]).casefold()
    for word in folded.split():
        if (word.isascii() or word.isalpha()) and _REWRITTEN.search(word) is None:
            yield word
            continue
        kept: list[str] = []
        for char in word:
            alike = "0" if char.isdigit() else char
            if kept[-2:] != [alike, alike]:
                kept.append(alike)
        yield "".join(kept)


def _buckets(word: str) -> tuple[int, ...]:
    return _known_buckets(word) if len(word) <= _MAX_KNOWN_CHARACTERS else _hashed(word)


@lru_cache(maxsize=2_048)
def _known_buckets(word: str) -> tuple[int, ...]:
    """Remembers the buckets of words, since most messages are made of few; long ones would fill the memory."""
    return _hashed(word)


def _hashed(word: str) -> tuple[int, ...]:
    return tuple([crc32(gram) % BUCKETS for gram in _grams(f"<{word}>")])


def _grams(word: str) -> Iterator[bytes]:
    yield f"w{word}".encode("utf-8", "surrogatepass")
    # In plain ASCII a byte is a letter, so the word is encoded once and not gram by gram.
    if word.isascii():
        whole = word.encode()
        for size in _SIZES:
            yield from [whole[start : start + size] for start in range(len(whole) - size + 1)]
        return
    for size in _SIZES:
        for start in range(len(word) - size + 1):
            yield word[start : start + size].encode("utf-8", "surrogatepass")
