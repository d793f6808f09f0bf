"""Compares the names of a closed list with a text by parts of words, which inflections, compounds and cognates share.

A part that many names of the list have tells them apart less and counts less.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from afterturn.language import is_cjk, words

Numbers = NDArray[np.float64]

_SIZES = (3, 4, 5)
_SIZE_UNSPACED = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class _Parts:
    """Are the parts of all names of a list: each part once, and which name has which, with its share of the name."""

    known: tuple[str, ...]
    names: NDArray[np.intp]
    parts: NDArray[np.intp]
    shares: Numbers


def spelled_alike(names: tuple[str, ...], text: str) -> Numbers:
    """Gives the share of each name that is spelled in the text, 0 to 1.

    Example:
        >>> spelled_alike(("rechnung", "lieferung"), "Die Stromrechnung ist zu hoch").round(1).tolist()
        [0.8, 0.0]
    """
    parts = _parts(names)
    spelled = _joined(text)
    said = np.fromiter((part in spelled for part in parts.known), dtype=np.bool_, count=len(parts.known))
    return np.bincount(parts.names, weights=parts.shares * said[parts.parts], minlength=len(names)).astype(np.float64)


@lru_cache(maxsize=64)
def _parts(names: tuple[str, ...]) -> _Parts:
    """Cuts the names of a list, which is the same for many turns."""
    cut = [sorted(set(_cut(name))) for name in names]
    number = {part: at for at, part in enumerate(dict.fromkeys(part for own in cut for part in own))}
    having = Counter(part for own in cut for part in own)
    weight = {part: math.log((len(names) + 1) / (count + 0.5)) ** 2 for part, count in having.items()}
    whole = [sum(weight[part] for part in own) or 1.0 for own in cut]
    pairs = [(at, part) for at, own in enumerate(cut) for part in own]
    return _Parts(
        known=tuple(number),
        names=np.array([at for at, _ in pairs], dtype=np.intp),
        parts=np.array([number[part] for _, part in pairs], dtype=np.intp),
        shares=np.array([weight[part] / whole[at] for at, part in pairs], dtype=np.float64),
    )


def _cut(name: str) -> Iterable[str]:
    for piece in _pieces(name):
        sizes = (min(_SIZE_UNSPACED, len(piece)),) if is_cjk(piece[:1]) else _SIZES
        bounded = piece if is_cjk(piece[:1]) else f" {piece} "
        for size in sizes:
            yield from (bounded[start : start + size] for start in range(len(bounded) - size + 1))


def _joined(text: str) -> str:
    """Writes each word of a text once, with spaces around; what its script does not space stays joined."""
    return f" {' '.join(dict.fromkeys(_pieces(text)))} "


def _pieces(text: str) -> list[str]:
    said = words(text)
    if text.isascii():
        return said
    return [
        piece for unspaced, run in groupby(said, key=is_cjk) for piece in (["".join(run)] if unspaced else list(run))
    ]
