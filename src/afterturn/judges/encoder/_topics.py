"""Knows common matters of customer conversations in several languages (`topics.txt`).

They bridge a category's name and a message that never uses its words, or speaks another language.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from afterturn.judges.encoder._tables import table
from afterturn.language import Phrase, tokens

_WHOLE_WORD_CHARS = 4
_COMPOUND_CHARS = 6


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
