"""Knows common matters of customer conversations in several languages (`topics.txt`).

They bridge a category's name and a message that never uses its words, or speaks another language.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from afterturn.judges.encoder._tables import table
from afterturn.language import Phrase, tokens

Numbers = NDArray[np.float64]

_WHOLE_WORD_CHARS = 4
_COMPOUND_CHARS = 6
_HITS = 1.5
"""So many different words of a matter make it heard to two thirds."""


def topics(text: str) -> Mapping[str, int]:
    """Counts the different words of a text that speak of each matter.

    Example:
        >>> sorted(topics("Meine Stromrechnung ist zu hoch"))
        ['bill']
    """
    words = tuple(token.folded for token in tokens(text))
    found: dict[str, set[str]] = {}
    for start, word in enumerate(words):
        for topic in _topics_of(word):
            found.setdefault(topic, set()).add(word)
        for length in (2, 3):
            for topic in _index()[2].get(words[start : start + length], ()):
                found.setdefault(topic, set()).add(" ".join(words[start : start + length]))
    return {topic: len(hits) for topic, hits in found.items()}


def matters(names: tuple[str, ...], texts: Sequence[str]) -> Numbers:
    """Gives how much each text (columns) speaks of the matters in each name of a list (rows), 0 to 1.

    A matter that many names of the list share (`card` in a bank's list) tells them apart less and counts less.
    """
    telling = _telling(names)
    spoken = [topics(text) for text in texts]
    rows = [
        [max((share * _heard(hits.get(topic, 0)) for topic, share in own), default=0.0) for hits in spoken]
        for own in telling
    ]
    return np.array(rows, dtype=np.float64)


def _heard(times: int) -> float:
    return 1 - math.exp(-times / _HITS)


@lru_cache(maxsize=64)
def _telling(names: tuple[str, ...]) -> tuple[tuple[tuple[str, float], ...], ...]:
    """Gives the matters of each name of a list and how well each tells the names apart."""
    named = [topics(name).keys() for name in names]
    shared = Counter(topic for own in named for topic in own)
    size = len(names) + 1
    return tuple(tuple((topic, math.log(size / shared[topic]) / math.log(size)) for topic in own) for own in named)


@lru_cache(maxsize=8192)
def _topics_of(word: str) -> frozenset[str]:
    whole, beginnings, _ = _index()
    found = set(whole.get((word,), ()))
    for cue, topic in beginnings:
        if word.startswith(cue) or (len(cue) >= _COMPOUND_CHARS and cue in word):
            found.add(topic)
    return frozenset(found)


@lru_cache(maxsize=1)
def _index() -> tuple[Mapping[Phrase, list[str]], list[tuple[str, str]], Mapping[Phrase, list[str]]]:
    """Sorts the cues: words that match whole, beginnings of words, and phrases."""
    whole: dict[Phrase, list[str]] = {}
    beginnings: list[tuple[str, str]] = []
    longer: dict[Phrase, list[str]] = {}
    for topic, cues in table("topics.txt").items():
        for cue in sorted(cues):
            first = "".join(cue[:1])
            if len(cue) > 1:
                longer.setdefault(cue, []).append(topic)
            elif len(first) <= _WHOLE_WORD_CHARS:
                whole.setdefault(cue, []).append(topic)
            else:
                beginnings.append((first, topic))
    return whole, beginnings, longer
