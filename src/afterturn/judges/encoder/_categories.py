"""Finds which of a closed list of categories a conversation is about, and when none fits.

For every category a few similarities to what the customer and the agent said, how it stands out from the rest of the
list, and words spelled alike; a logistic model, fitted on public dialogues (`packages/encoder/fit`), turns these into
the probability that the category is right. The cut is on that probability, so it holds for lists of any length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from afterturn.judges.encoder._conversation import Conversation
from afterturn.judges.encoder._model import Embedder, TextVectors
from afterturn.judges.encoder._tables import table, table_lines
from afterturn.judges.encoder._topics import topics
from afterturn.judges.encoder._weights import CATEGORIES, picked, probabilities
from afterturn.language import languages, stems, tokens

Numbers = NDArray[np.float64]

_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])")
_REPLY_SHARE = 0.4
_ALIKE = 0.55
_HITS = 1.5
_LEAST_SPREAD = 0.08
"""Where similarities of a list differ less than this, the differences are noise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Relevance:
    """Is which categories fit.

    Attributes:
        names: The names, most probable first.
        probability: How probable it is that this answer is right, 0 to 1.
        unsure: Whether a category was near the cut.
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
    chances = probabilities(features(conversation, open_names, descriptions, embedder), CATEGORIES)
    return _decided(open_names, rest, chances, limit)


def is_catch_all(name: str) -> bool:
    """Says whether a category means "none of the others", in the languages of the phrase table."""
    return tuple(token.folded for token in tokens(name)) in table("openers.txt")["catch_all"]


def features(
    conversation: Conversation, names: Sequence[str], descriptions: Mapping[str, str], embedder: Embedder
) -> Numbers:
    """Measures every category against the conversation; one row a category."""
    said = conversation.content
    near_each = _similarities(names, descriptions, [*said, "\n".join(said), conversation.reply or said[-1]], embedder)
    near_each -= _background(names, descriptions, "\n".join(said), embedder)
    own, whole, reply = near_each[:, :-2], near_each[:, -2], near_each[:, -1]
    best, last = own.max(axis=1), own[:, -1]
    mixed = (best + whole + _REPLY_SHARE * reply) / (2 + _REPLY_SHARE)
    alike = np.array([_alike(name, descriptions.get(name, ""), said, conversation.reply) for name in names])
    matter = _matters(names, said, conversation.reply)
    apart, lead = _standing_out(mixed), _lead(mixed)
    columns = [best, last, whole, reply, apart, lead, apart * lead, _lead(best), alike[:, 0], alike[:, 1]]
    size = np.full(len(names), np.log(len(names)))
    shared = [_lead(alike[:, 0]), matter[:, 0], matter[:, 1], _lead(matter.sum(axis=1))]
    return np.stack([*columns, size, *shared], axis=1).astype(np.float64)


def readable(name: str) -> str:
    """Writes the name of a category as words.

    Example:
        >>> readable("lostOrStolen_card")
        'lost or stolen card'
    """
    return " ".join(_CAMEL.sub(" ", name).replace("_", " ").replace("/", " ").replace("-", " ").split()).lower()


def _similarities(
    names: Sequence[str], descriptions: Mapping[str, str], texts: Sequence[str], embedder: Embedder
) -> Numbers:
    """Gives the similarity of each category (rows) to each text (columns): its nearest window, name or description."""
    plain_names = [readable(name) for name in names]
    described = [
        f"{plain_name}: {descriptions[name]}" if descriptions.get(name) else plain_name
        for name, plain_name in zip(names, plain_names, strict=True)
    ]
    vectors = embedder.vectors([*plain_names, *described, *texts])
    by_name = np.stack([vector.mean for vector in vectors[: len(names)]])
    by_description = np.stack([vector.mean for vector in vectors[len(names) : 2 * len(names)]])
    near = [_nearest(by_name, by_description, text) for text in vectors[2 * len(names) :]]
    return np.stack(near, axis=1).astype(np.float64)


def _background(names: Sequence[str], descriptions: Mapping[str, str], text: str, embedder: Embedder) -> Numbers:
    """Gives how near each category is to the language of a text as such (`background.txt`); one row a category.

    An English model takes any French name to be near to any French text: that says nothing about the matter.
    """
    known = table_lines("background.txt")
    spoken = [language for language in languages(tokens(text)) if language in known] or ["en"]
    return _similarities(names, descriptions, known[spoken[0]], embedder).mean(axis=1, keepdims=True)


def _nearest(by_name: NDArray[np.float32], by_description: NDArray[np.float32], text: TextVectors) -> Numbers:
    return (_best_window(by_name, text) + _best_window(by_description, text)) / 2


def _best_window(vectors: NDArray[np.float32], text: TextVectors) -> Numbers:
    near: Numbers = (vectors @ text.windows.T).astype(np.float64)
    return cast(Numbers, near.max(axis=1))


def _standing_out(values: Numbers) -> Numbers:
    return (values - values.mean()) / max(float(values.std()), _LEAST_SPREAD)


def _lead(values: Numbers) -> Numbers:
    """Gives how far each value is ahead of the best of the others."""
    if len(values) == 1:
        return values * 0.0
    second, first = np.sort(values)[-2:]
    behind = cast(Numbers, np.where(values >= first, second, first))
    return values - behind


def _alike(name: str, description: str, said: Sequence[str], reply: str) -> tuple[float, float]:
    """Gives the share of the name's words that the customer used, and of name and description in all that was said."""
    named = stems(readable(name))
    words = [stems(text) for text in said]
    own = max((_share(named, message) for message in words), default=0.0)
    return own, _share(named | stems(description), stems(reply).union(*words))


def _matters(names: Sequence[str], said: Sequence[str], reply: str) -> Numbers:
    """Gives how much the customer and the reply speak of the matters in each category's name, 0 to 1 each.

    A matter that many names of the list share (`card` in a bank's list) tells them apart less and counts less.
    """
    named = [topics(readable(name)).keys() for name in names]
    shared = Counter(topic for own in named for topic in own)
    size = len(names) + 1
    telling = {topic: float(np.log(size / count) / np.log(size)) for topic, count in shared.items()}
    spoken = [topics("\n".join(said)), topics(reply)]
    rows = [[max((_told(hits, topic, telling) for topic in own), default=0.0) for hits in spoken] for own in named]
    return np.array(rows, dtype=np.float64)


def _told(spoken: Mapping[str, int], topic: str, telling: Mapping[str, float]) -> float:
    return telling[topic] * float(1 - np.exp(-spoken.get(topic, 0) / _HITS))


def _share(wanted: frozenset[str], found: frozenset[str]) -> float:
    if not wanted:
        return 0.0
    return sum(word in found or any(_spelled_alike(word, other) for other in found) for word in wanted) / len(wanted)


def _spelled_alike(one: str, other: str) -> bool:
    """Joins cognates such as `factur` and `faktur`: most pairs of letters in common, first letter the same."""
    if one[0] != other[0] or min(len(one), len(other)) < 4:
        return False
    pairs, others = set(pairwise(one)), set(pairwise(other))
    return 2 * len(pairs & others) / (len(pairs) + len(others)) > _ALIKE


def _decided(open_names: Sequence[str], rest: Sequence[str], chances: Numbers, limit: int) -> Relevance:
    found = picked(chances, CATEGORIES)[:limit]
    best = float(chances.max())
    unsure = any(CATEGORIES.unsure(float(chance), CATEGORIES.cut) for chance in chances)
    if not found:
        return Relevance(names=tuple(rest[:1]), probability=1 - best, unsure=unsure)
    sure = float(np.mean([chances[index] for index in found]))
    return Relevance(names=tuple(open_names[index] for index in found), probability=sure, unsure=unsure)
