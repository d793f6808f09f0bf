"""Measures the second opinion on blocked topics beside the guard's terms, on public messages.

A policy blocks five topics, each of three intents of a corpus, with a description and a few terms that we wrote without
reading the messages. Its topics in benchmarks/corpus are others than those that training/topics fits on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from quality_figures import Figure, auc, recall_at, share
from quality_tasks import CORPUS, jsonl

from afterturn.calls import Meaning
from afterturn.classifiers.blocked_topics import meaning_of, topic_label
from afterturn.guard import Guard, Policy, Topic
from afterturn.judges.encoder._blocked import Blocked, blocked_topic
from afterturn.judges.encoder._model import Embedder

CORPORA = ("banking77", "clinc150")
ELSEWHERE = ("mts-dialog", "star")
OF_THE_TOPICS = frozenset({"bank", "plane"})
"""Tasks of an assistant that have a matter of the topics in them: they say nothing about false positives."""

LATEST_CHARACTERS = 700


@dataclass(frozen=True)
class Message:
    """Is a message, and the label of the topic that it is about; None if of none."""

    text: str
    topic: str | None


def policy(rows: Sequence[dict[str, Any]]) -> tuple[Topic, ...]:
    """Makes a policy's topics."""
    return tuple(Topic(id=row["id"], description=row["description"], terms=tuple(row["terms"])) for row in rows)


def meanings(topics: Sequence[Topic]) -> dict[str, Meaning]:
    """Gives what the topics mean, by label, as the classifier does."""
    return {topic_label(topic): meaning_of(topic) for topic in topics}


def inside(data: Path, corpus: str, split: str, rows: Sequence[dict[str, Any]]) -> list[Message]:
    """Reads the messages of a corpus, with the topic whose intents they have."""
    by_intent = {
        name: topic_label(topic) for row, topic in zip(rows, policy(rows), strict=True) for name in row["intents"]
    }
    found = _rows(data, corpus, split)
    return [
        Message(_said(row), next((by_intent[c] for c in row["categories"] if c in by_intent), None)) for row in found
    ]


def elsewhere(data: Path, split: str) -> list[Message]:
    """Reads the messages of other trades: doctors' talks and tasks of an assistant."""
    rows = (row for corpus in ELSEWHERE for row in _rows(data, corpus, split))
    return [Message(_said(row), None) for row in rows if OF_THE_TOPICS.isdisjoint(row["categories"])]


def topics(encoder: Embedder, data: Path) -> Iterator[Figure]:
    """Whether a message goes into a blocked topic: public dev rows, topics that nothing was fitted on."""
    every = jsonl(CORPUS / "blocked_topics.jsonl")
    for corpus in CORPORA:
        rows = [row for row in every if row["corpus"] == corpus]
        messages = inside(data, corpus, "dev", rows)
        others = elsewhere(data, "dev")
        if messages:
            yield from _figures(corpus, policy(rows), messages, others, encoder)


def _figures(
    corpus: str, own: Sequence[Topic], messages: Sequence[Message], others: Sequence[Message], encoder: Embedder
) -> Iterator[Figure]:
    guard, told = Guard(policy=Policy(topics=tuple(own))), meanings(own)
    terms = {one.text: _by_terms(guard, one.text) for one in (*messages, *others)}
    found = {one.text: blocked_topic([one.text], told, encoder) for one in (*messages, *others)}
    blocked, rest = [one for one in messages if one.topic], [one for one in messages if not one.topic]
    name = f"{corpus} dev, five topics"
    right = share(found[one.text].topic == one.topic for one in blocked)
    beside = (
        ("the guard's terms", share(terms[one.text] for one in blocked)),
        ("either", share(terms[one.text] or found[one.text].topic is not None for one in blocked)),
    )
    yield Figure("blocked topics", name, len(blocked), "recall, the right topic named", right, beside)
    unsure = share(found[one.text].unsure for one in blocked)
    yield Figure("blocked topics", name, len(blocked), "of those, unsure", unsure)
    for group, label in ((rest, "other intents"), (others, "other corpora")):
        named = share(found[one.text].topic is not None for one in group)
        by_terms = (("the guard's terms", share(terms[one.text] for one in group)),)
        yield Figure("blocked topics", f"{corpus}, {label}", len(group), "false positives", named, by_terms)
        unsure = share(found[one.text].unsure for one in group)
        yield Figure("blocked topics", f"{corpus}, {label}", len(group), "unsure", unsure)
    everything = [*messages, *others]
    attack, chance = [one.topic is not None for one in everything], [_chance(found[one.text]) for one in everything]
    yield Figure("blocked topics", name, len(everything), "AUC", auc(attack, chance))
    recall = recall_at(attack, chance, 0.01)
    yield Figure("blocked topics", name, len(everything), "recall at 1 % false positives", recall)
    yield Figure("blocked topics", name, len(everything), "calibration error", calibration_error(attack, chance))


def calibration_error(right: Sequence[bool], chances: Sequence[float], bins: int = 10) -> float:
    """Gives the expected calibration error over bins of equal width."""
    truth, values = np.asarray(right, float), np.asarray(chances)
    at = np.minimum((values * bins).astype(int), bins - 1)
    parts = [at == one for one in range(bins)]
    return float(sum(abs(truth[part].mean() - values[part].mean()) * part.mean() for part in parts if part.any()))


def _by_terms(guard: Guard, text: str) -> bool:
    return any(finding.category == "blocked_topic" for finding in guard.check(text).findings)


def _chance(found: Blocked) -> float:
    return found.probability if found.topic else 1 - found.probability


def _rows(data: Path, corpus: str, split: str) -> list[dict[str, Any]]:
    return jsonl(data / "dialogue" / "topics" / f"{corpus}.{split}.jsonl")


def _said(row: dict[str, Any]) -> str:
    return "\n".join(turn["text"] for turn in row["turns"] if turn["role"] == "user")[-LATEST_CHARACTERS:]
