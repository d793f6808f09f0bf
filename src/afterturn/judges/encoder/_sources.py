"""Finds the passages that a reply rests on, where it cited none.

Every content sentence of the reply is held against every passage: nearness of meaning (the passage's nearest window)
and words in common, rare ones and numbers above all. A logistic model fitted on cited replies
(`packages/encoder/fit`) gives the probability; a passage counts if it passes the cut, is near the best and has the
figures of what it supports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afterturn.judges.encoder._conversation import Conversation
from afterturn.judges.encoder._model import Embedder
from afterturn.judges.encoder._weights import SOURCES, picked, probabilities
from afterturn.language import QUESTION_MARKS, grouped, plain, sentences, stems, tokens, weight
from afterturn.smalltalk import is_small_talk

Numbers = NDArray[np.float64]

_MAX_SENTENCES = 24
_MIN_WORDS = 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Support:
    """Is which passages support a reply.

    Attributes:
        aliases: Their aliases, best first.
        probability: How probable it is that this answer is right, 0 to 1.
        unsure: Whether a passage was near the cut.
        by_rule: Whether a rule decided: the reply states nothing.
    """

    aliases: tuple[str, ...]
    probability: float
    unsure: bool
    by_rule: bool = False


def supporting(conversation: Conversation, passages: Mapping[str, str], embedder: Embedder) -> Support:
    """Finds the passages that support the reply.

    Args:
        conversation: What was said.
        passages: Texts by alias.
        embedder: Gives the vectors.
    """
    stated = statements(conversation.reply)
    if not passages or not stated:
        return Support(aliases=(), probability=0.95, unsure=False, by_rule=True)
    question = conversation.latest[-1] if conversation.latest else ""
    texts = list(passages.values())
    chances = probabilities(features(question, stated, texts, embedder), SOURCES) * holds_figures(stated, texts)
    aliases = list(passages)
    found = picked(chances, SOURCES)
    best = float(chances.max())
    floor = max(SOURCES.cut, best * SOURCES.near_best)
    unsure = any(SOURCES.unsure(float(chance), floor) for chance in chances)
    sure = float(np.mean([chances[index] for index in found])) if found else 1 - best
    return Support(aliases=tuple(aliases[index] for index in found), probability=sure, unsure=unsure)


def statements(reply: str) -> list[str]:
    """Gives the sentences of a reply that state something: no small talk, no questions, no bare words."""
    found = [
        sentence
        for sentence in sentences(plain(reply))
        if sentence.rstrip()[-1:] not in QUESTION_MARKS
        and weight(sentence) >= _MIN_WORDS
        and not is_small_talk(sentence)
    ]
    return grouped(found, _MAX_SENTENCES)


def holds_figures(stated: Sequence[str], passages: Sequence[str]) -> NDArray[np.bool_]:
    """Says which passages can be a source as far as figures go.

    A statement with figures that some passage has (`27 days`) cannot rest on a passage that has none of them; a passage
    for which no statement is left is no source.
    """
    wanted = [_figures(statement) for statement in stated]
    held = [_figures(text) for text in passages]
    shared = [figures & frozenset[str]().union(*held) for figures in wanted]
    return np.array([any(not figures or figures & own for figures in shared) for own in held], dtype=np.bool_)


def _figures(text: str) -> frozenset[str]:
    return frozenset(token.folded for token in tokens(text) if token.folded[0].isdigit())


def features(question: str, stated: Sequence[str], passages: Sequence[str], embedder: Embedder) -> Numbers:
    """Measures every passage against the statements of a reply; one row a passage."""
    vectors = embedder.vectors([*stated, " ".join(stated), question, *passages])
    said = np.stack([vector.mean for vector in vectors[: len(stated)]])
    whole, asked = vectors[len(stated)].mean, vectors[len(stated) + 1].mean
    rows: list[list[float]] = []
    own_vectors = vectors[len(stated) + 2 :]
    rare = _rarity(passages)
    replied = stems("\n".join(stated))
    for text, own in zip(passages, own_vectors, strict=True):
        near = own.windows
        shared = _shared(replied, stems(text), rare)
        asks = float((near @ asked).max()) if question else 0.0
        rows.append([float((said @ near.T).max()), float((near @ whole).max()), asks, shared])
    base = np.array(rows, dtype=np.float64)
    return np.hstack([base, base - base.max(axis=0, keepdims=True)])


def _rarity(passages: Sequence[str]) -> dict[str, float]:
    """Gives how rare each word is among the passages: a word that all of them have tells nothing."""
    counts = Counter(stem for text in passages for stem in stems(text))
    return {stem: float(np.log((len(passages) + 1.0) / count)) for stem, count in counts.items()}


def _shared(replied: frozenset[str], passage: frozenset[str], rare: Mapping[str, float]) -> float:
    """Gives the share of the reply's words, weighed by rarity, that the passage has."""
    total = sum(rare.get(stem, 0.0) for stem in replied)
    return sum(rare[stem] for stem in replied & passage) / total if total else 0.0
