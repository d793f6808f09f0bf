"""Measures how far a reply rests on passages: words in common, and the encoder's view of each sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from afterturn.language import grouped, plain, sentences, stems, tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_SENTENCES = 24
MOST_PARTS = 24
HEAD = "support"


@dataclass(frozen=True, kw_only=True, slots=True)
class GroundFeatures:
    """Are the measures of a text against passages.

    Attributes:
        overlap: Share of the text's content words that the passages have.
        pairs: Share of its neighbouring pairs of words that stand so in the passages.
        near: Similarity of its sentences to the nearest sentence of a passage, on average.
        support: Log odds of the encoder's head `support`, for the whole text and the best passage, over 10.
        sentence_support: The same sentence by sentence, on average.
        worst_support: The same of the worst sentence.
    """

    overlap: float
    pairs: float
    near: float
    support: float
    sentence_support: float
    worst_support: float

    def by_name(self) -> dict[str, float]:
        """Gives the measures by name, in order."""
        return {name: getattr(self, name) for name in GROUND_FEATURES}


GROUND_FEATURES = tuple(one.name for one in fields(GroundFeatures))


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """Are the measures of a reply and of each of its sentences.

    Attributes:
        whole: Those of the reply.
        sentences: Each sentence with those of its own.
    """

    whole: GroundFeatures
    sentences: tuple[tuple[str, GroundFeatures], ...]


def word_overlap(text: str, passages: Sequence[str]) -> float:
    """Gives the share of a text's content words that the passages have; 1 where it has none.

    Example:
        >>> word_overlap("Leave is 27 days.", ["You have 27 days of leave."])
        1.0
    """
    return _Words(passages).overlap(text)


def measure(reply: str, passages: Sequence[str], encoder: Any) -> Measured:
    """Measures a reply and its sentences against passages.

    Args:
        reply: The reply as the customer sees it.
        passages: The texts of the passages, at least one.
        encoder: Gives vectors, and has the head `support`.
    """
    text = plain(reply)
    stated = grouped(sentences(text) or [text], MOST_SENTENCES)
    near, odds = _encoded(text, stated, passages, encoder)
    words = _Words(passages)
    singles = tuple(
        (
            sentence,
            GroundFeatures(
                overlap=words.overlap(sentence),
                pairs=words.pairs(sentence),
                near=float(near[index]),
                support=float(odds[index + 1]),
                sentence_support=float(odds[index + 1]),
                worst_support=float(odds[index + 1]),
            ),
        )
        for index, sentence in enumerate(stated)
    )
    whole = GroundFeatures(
        overlap=words.overlap(text),
        pairs=words.pairs(text),
        near=float(near.mean()),
        support=float(odds[0]),
        sentence_support=float(odds[1:].mean()),
        worst_support=float(odds[1:].min()),
    )
    return Measured(whole=whole, sentences=singles)


class _Words:
    """Compares words with those of the passages."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._stems = frozenset[str]().union(*(stems(passage) for passage in passages))
        self._pairs = {pair for passage in passages for pair in _pairs(passage)}

    def overlap(self, text: str) -> float:
        said = stems(text)
        return len(said & self._stems) / len(said) if said else 1.0

    def pairs(self, text: str) -> float:
        said = _pairs(text)
        return sum(pair in self._pairs for pair in said) / len(said) if said else 0.0


def _pairs(text: str) -> list[tuple[str, str]]:
    said = [token.folded for token in tokens(text)]
    return list(pairwise(said))


def _encoded(
    text: str, stated: Sequence[str], passages: Sequence[str], encoder: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Gives for each sentence the similarity of the nearest part, and the best log odds for the text and each."""
    import numpy as np

    parts = [part for passage in passages for part in grouped(sentences(plain(passage)) or [passage], MOST_PARTS)]
    vectors = encoder.vectors([text, *stated, *passages, *parts])
    own, rest = vectors[: 1 + len(stated)], vectors[1 + len(stated) :]
    windows = np.vstack([vector.windows for vector in rest])
    near = np.array([float((vector.mean @ windows.T).max()) for vector in own[1:]])
    pooled = np.stack([vector.pooled.mean(axis=0) for vector in own])
    others = [window for vector in rest[: len(passages)] for window in vector.pooled]
    odds = [[_odds(one.finding) for one in encoder.heads.chances(HEAD, pooled, other)] for other in others]
    return near, np.array(odds).max(axis=0)


def _odds(chance: float) -> float:
    held = min(max(chance, 1e-4), 1 - 1e-4)
    return math.log(held / (1 - held)) / 10
