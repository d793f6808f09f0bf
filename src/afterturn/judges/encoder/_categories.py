"""Finds which of a closed list of categories a conversation is about, and when none fits.

The order comes from `_ranking.py`. Two logistic models, fitted on public dialogues and our own lists
(`packages/encoder/fit`), then decide how many count: whether the nearest category is right at all, and whether a
further one is right as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from afterturn.judges.encoder._conversation import Conversation
from afterturn.judges.encoder._model import Embedder
from afterturn.judges.encoder._ranking import Ranked, best_other, ranked
from afterturn.judges.encoder._tables import table
from afterturn.judges.encoder._weights import CATEGORY, FURTHER_CATEGORY, probabilities
from afterturn.language import tokens

Numbers = NDArray[np.float64]

_MOST_LEAD, _MOST_AHEAD, _WITHOUT_THIRD = 0.4, 0.3, 0.2
_LEAST_SPREAD = 0.05
"""Where similarities of a list differ less than this, the differences are noise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Relevance:
    """Is which categories fit.

    Attributes:
        names: The names, nearest first.
        probability: How probable it is that this answer is right, 0 to 1.
        unsure: Whether a decision was near its cut.
        by_rule: Whether a rule decided instead of the model: small talk.
    """

    names: tuple[str, ...]
    probability: float
    unsure: bool
    by_rule: bool = False


def relevant(
    conversation: Conversation, names: Sequence[str], descriptions: Mapping[str, str], limit: int, embedder: Embedder
) -> Relevance:
    """Finds the categories of a conversation.

    Args:
        conversation: What was said.
        names: The closed list.
        descriptions: What a category means, by name, where that is known.
        limit: Most categories of the answer.
        embedder: Gives the vectors.
    """
    if not conversation.content:
        return Relevance(names=(), probability=0.97, unsure=False, by_rule=True)
    open_names = [name for name in names if not is_catch_all(name)]
    rest = [name for name in names if is_catch_all(name)]
    if not open_names:
        return Relevance(names=tuple(rest[:1]), probability=0.6, unsure=True)
    return _decided(open_names, rest, ranked(conversation, open_names, descriptions, embedder), limit)


def is_catch_all(name: str) -> bool:
    """Says whether a category means "none of the others", in the languages of the phrase table."""
    return tuple(token.folded for token in tokens(name)) in table("openers.txt")["catch_all"]


def nearest_features(found: Ranked) -> Numbers:
    """Measures whether the nearest category is right; one row."""
    scores = found.scores
    best = int(scores.argmax())
    lead = min(float(scores[best] - best_other(scores)[best]), _MOST_LEAD)
    apart = (scores[best] - scores.mean()) / max(float(scores.std()), _LEAST_SPREAD)
    return np.array([[scores[best], lead, apart, np.log(len(scores)), np.log1p(found.words)]])


def further_features(found: Ranked) -> Numbers:
    """Measures whether each category is right beside the nearest one; one row a category.

    A name much like the nearest one competes with it; customers of many messages have several matters.
    """
    scores, size = found.scores, len(found.scores)
    gap = scores - scores.max()
    long, many = np.log1p(found.words), np.log(found.messages)
    ahead = found.ahead
    columns = [gap, scores, _before_next(scores), np.full(size, np.log(size)), np.full(size, long)]
    return np.stack([*columns, gap * long, ahead, ahead * many, found.likeness], axis=1)


def _before_next(scores: Numbers) -> Numbers:
    """Gives how far each is ahead of the best but one of the others: of the best that is not the nearest."""
    if len(scores) < 3:
        return np.full(len(scores), _WITHOUT_THIRD)
    third, second = np.partition(scores, -3)[-3:-1]
    best_but_one = cast(Numbers, np.where(scores >= second, third, second))
    return np.clip(scores - best_but_one, -_MOST_AHEAD, _MOST_AHEAD)


def _decided(open_names: Sequence[str], rest: Sequence[str], found: Ranked, limit: int) -> Relevance:
    nearest = float(probabilities(nearest_features(found), CATEGORY)[0])
    unsure = CATEGORY.unsure(nearest, CATEGORY.cut)
    if nearest < CATEGORY.cut:
        return Relevance(names=tuple(rest[:1]), probability=1 - nearest, unsure=unsure)
    best, *others = (int(index) for index in np.argsort(-found.scores, kind="stable"))
    chances = probabilities(further_features(found), FURTHER_CATEGORY)
    kept = [index for index in others if chances[index] >= FURTHER_CATEGORY.cut][: max(limit - 1, 0)]
    near = any(FURTHER_CATEGORY.unsure(float(chances[index]), FURTHER_CATEGORY.cut) for index in others)
    sure = float(np.mean([nearest, *chances[kept]]))
    return Relevance(names=tuple(open_names[index] for index in (best, *kept)), probability=sure, unsure=unsure or near)
