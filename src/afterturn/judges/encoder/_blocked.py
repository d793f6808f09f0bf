"""Tells whether a text goes into a topic that is blocked: by how it stands out from the language and other matters.

A topic is what the policy says of it: name, description, example terms. Each is compared with the text, less how near
it is to the language as such (`background.txt`); what is left is set against matters of all trades (`matters.txt`), the
nearest to the topic itself left out. A logistic model of these and of shared words gives a probability;
`training/topics` fits it on public messages. A text in a language in which nothing of the topic is written shares no
words with it: where such words would make the difference, the answer is unsure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from afterturn.calls import Meaning
from afterturn.judges.encoder._model import Embedder, TextVectors
from afterturn.judges.encoder._tables import table_lines
from afterturn.judges.encoder._weights import Logistic, probabilities
from afterturn.language import languages, stems, tokens

Numbers = NDArray[np.float64]

TOPICS = Logistic(weights=(3.572, 3.26, 1.747, 4.38), bias=-7.729, cut=0.45)
UNSURE_FROM = 0.09
"""From this probability of a topic on an answer below the cut is unsure; `training/topics` fits all of it."""

_LIKE_THE_TOPIC = 3
_SHARED = 3
"""Which of the measures is the share of words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocked:
    """Is which blocked topic a text goes into.

    Attributes:
        topic: The most probable topic; None where its probability is below the cut.
        probability: How probable it is that this answer is right, 0 to 1.
        unsure: Whether a topic may be there that is not certain enough to be named.
    """

    topic: str | None
    probability: float
    unsure: bool


def blocked_topic(texts: Sequence[str], topics: Mapping[str, Meaning], embedder: Embedder) -> Blocked:
    """Finds the blocked topic that one of some texts goes into.

    Args:
        texts: The message, the reply; none of them empty.
        topics: What each topic means.
        embedder: Gives the vectors.
    """
    found, possible = dict.fromkeys(topics, 0.0), 0.0
    for text in texts:
        measured = features(text, list(topics.values()), embedder)
        chances = probabilities(measured, TOPICS)
        found = {topic: max(found[topic], float(chance)) for topic, chance in zip(found, chances, strict=True)}
        foreign = [_foreign(text, topic) for topic in topics.values()]
        measured[foreign, _SHARED] = 1.0
        possible = max(possible, float(probabilities(measured, TOPICS)[foreign].max(initial=0.0)))
    best = max(found, key=found.__getitem__)
    if found[best] >= TOPICS.cut:
        return Blocked(topic=best, probability=found[best], unsure=False)
    if possible >= TOPICS.cut:
        return Blocked(topic=None, probability=1 - possible, unsure=True)
    return Blocked(topic=None, probability=1 - found[best], unsure=found[best] >= UNSURE_FROM)


def features(text: str, topics: Sequence[Meaning], embedder: Embedder) -> Numbers:
    """Measures each topic against a text; one row a topic."""
    matters = table_lines("matters.txt")["en"]
    everyday = _everyday(text)
    read = embedder.vectors([text, *everyday, *matters])
    said, usual, other = read[0], read[1 : 1 + len(everyday)], _means(read[1 + len(everyday) :])
    elsewhere = _standing_out(other, said, usual)
    words = stems(text)
    return np.array([_of_topic(topic, said, usual, other, elsewhere, words, embedder) for topic in topics])


def _of_topic(
    topic: Meaning,
    said: TextVectors,
    usual: Sequence[TextVectors],
    other: Numbers,
    elsewhere: Numbers,
    words: frozenset[str],
    embedder: Embedder,
) -> tuple[float, ...]:
    described = f"{topic.name}: {topic.description}" if topic.description else topic.name
    shown_by = (topic.name, *topic.examples)
    own = _means(embedder.vectors([described, *shown_by]))
    near = _standing_out(own, said, usual)
    alike = np.argsort((other @ own.T).max(axis=1), kind="stable")
    rival = elsewhere[alike[:-_LIKE_THE_TOPIC]].max()
    shared = max(_share(stems(words_of), words) for words_of in shown_by)
    return float(near[0]), float(near[1:].max()), float(near.max() - rival), shared


def _foreign(text: str, topic: Meaning) -> bool:
    """Says whether a text is in a language in which nothing of the topic is written, as far as words tell."""
    told = ". ".join((topic.name, topic.description, *topic.examples))
    spoken, written = languages(tokens(text)), languages(tokens(told))
    return bool(spoken and written) and not set(spoken) & set(written)


def _everyday(text: str) -> tuple[str, ...]:
    """Gives sentences that anybody might write in the language of a text."""
    known = table_lines("background.txt")
    spoken = [language for language in languages(tokens(text)) if language in known] or ["en"]
    return known[spoken[0]]


def _standing_out(vectors: Numbers, said: TextVectors, usual: Sequence[TextVectors]) -> Numbers:
    """Gives how much nearer each vector is to a text than to what is usually said."""
    return _nearest(vectors, said) - np.mean([_nearest(vectors, one) for one in usual], axis=0)


def _nearest(vectors: Numbers, text: TextVectors) -> Numbers:
    return cast(Numbers, (vectors @ text.windows.T).max(axis=1))


def _means(read: Sequence[TextVectors]) -> Numbers:
    return np.stack([one.mean for one in read]).astype(np.float64)


def _share(wanted: frozenset[str], found: frozenset[str]) -> float:
    return len(wanted & found) / len(wanted) if wanted else 0.0
