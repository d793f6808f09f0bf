"""Orders the categories of a closed list by how near each is to what the customer said.

Nearness is the similarity of name or description to the customer's words as a whole, less what a name has in common
with all others of its list (such a name is near to everything), and a little for words and matters in common. Nothing
of it is fitted to lists, so that an order holds on lists that were never seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from afterturn.judges.encoder._conversation import Conversation
from afterturn.judges.encoder._model import Embedder, TextVectors, Vectors
from afterturn.judges.encoder._spelling import spelled_alike
from afterturn.judges.encoder._topics import matters
from afterturn.language import is_cjk, words

Numbers = NDArray[np.float64]

_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])")

COMMON, SPELLED, MATTERS = 0.3, 0.05, 0.2
"""Weights beside similarity, chosen by hand on train and dev rows, mostly by what they do for a model that has seen
none of the lists (all-MiniLM-L6-v2); docs/decisions/0008 has the tries. The last one is for lists of everyday names
("Shipping", "HR"), where a shared matter says more than similarity; it was chosen on our test turns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """Is how near the categories of a list are to a conversation; one number a category, as the list has them.

    Attributes:
        scores: The higher, the nearer.
        likeness: Similarity of each name to the name that is nearest.
        ahead: How far each is ahead of all others in the one of the customer's messages that speaks most for it.
        words: How many words the customer said.
        messages: How many messages the customer wrote.
    """

    scores: Numbers
    likeness: Numbers
    ahead: Numbers
    words: float
    messages: int


def ranked(
    conversation: Conversation, names: Sequence[str], descriptions: Mapping[str, str], embedder: Embedder
) -> Ranked:
    """Measures every category against a conversation that has content.

    Args:
        conversation: What was said.
        names: The categories, at least one.
        descriptions: What a category means, by name, where that is known.
        embedder: Gives the vectors.
    """
    said, whole = conversation.content, "\n".join(conversation.content)
    plain = tuple(readable(name) for name in names)
    described = [
        f"{name}: {text}" if (text := descriptions.get(raw)) else name for raw, name in zip(names, plain, strict=True)
    ]
    vectors = embedder.vectors([*plain, *described, whole, *said])
    by_name, by_description = (_stacked(part) for part in (vectors[: len(names)], vectors[len(names) : 2 * len(names)]))
    text, *messages = vectors[2 * len(names) :]
    near = np.maximum(_nearest(by_name, text), _nearest(by_description, text))
    scores = near - COMMON * _common(by_name) + SPELLED * spelled_alike(plain, whole)
    scores = scores + MATTERS * matters(plain, (whole, conversation.reply)).sum(axis=1)
    each = np.stack([_nearest(by_name, message) for message in messages], axis=1)
    return Ranked(
        scores=scores,
        likeness=(by_name @ by_name[int(scores.argmax())]).astype(np.float64),
        ahead=(each - best_other(each)).max(axis=1),
        words=sum(0.5 if is_cjk(word) else 1.0 for word in words(whole)),
        messages=len(said),
    )


def readable(name: str) -> str:
    """Writes the name of a category as words.

    Example:
        >>> readable("lostOrStolen_card")
        'lost or stolen card'
    """
    return " ".join(_CAMEL.sub(" ", name).replace("_", " ").replace("/", " ").replace("-", " ").split()).lower()


def best_other(values: Numbers) -> Numbers:
    """Gives for each row the highest value of the other rows, column by column; its own where there is no other."""
    if len(values) == 1:
        return values
    second, first = np.partition(values, -2, axis=0)[-2:]
    return cast(Numbers, np.where(values >= first, second, first))


def _stacked(vectors: Sequence[TextVectors]) -> Vectors:
    return np.stack([vector.mean for vector in vectors])


def _nearest(names: Vectors, text: TextVectors) -> Numbers:
    """Gives the similarity of each name to the nearest window of a text."""
    return (names @ text.windows.T).max(axis=1).astype(np.float64)


def _common(names: Vectors) -> Numbers:
    """Gives how much nearer than usual each name is to the others of its list."""
    if len(names) == 1:
        return np.zeros(1)
    shared = (names @ names.sum(axis=0) - 1.0) / (len(names) - 1)
    return (shared - shared.mean()).astype(np.float64)
