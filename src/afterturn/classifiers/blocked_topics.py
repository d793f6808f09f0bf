"""Asks whether the exchange goes into a topic that the tenant's policy blocks: a second opinion beside its terms.

The guard matches the topics' terms and patterns before the model sees a message, and enforces. This reads what the
words do not say; it blocks nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from afterturn.calls import Meaning
from afterturn.classifiers._base import Checked, Classifier, Reading
from afterturn.classifiers._views import shorten
from afterturn.guard import Topic
from afterturn.turns import JsonObject, Turn
from afterturn.verdicts import is_code

BLOCKED_TOPICS = "blocked_topics"
"""Its name among the classifiers."""

MAX_EXAMPLES = 8
_TOPICS_CHARACTERS = 1_100
_LEAST_WORDS = 16
_NONE = "none"

_BLOCKED = (
    '- blockedTopic: which of these topics the latest message or the reply goes into, "none" if none; a word of it in '
    "passing is not enough: {topics}."
)


def topic_opinion(of: Callable[[str], Sequence[Topic]], topics: Iterable[Topic]) -> Classifier:
    """Makes the question about blocked topics.

    Args:
        of: Gives the topics that a tenant's policy blocks; a tenant without any is skipped as `no_topics`.
        topics: The topics of all tenants, whose labels are the closed set.
    """

    def own(turn: Turn) -> Mapping[str, Topic]:
        return {topic_label(topic): topic for topic in of(turn.tenant)}

    def fields(turn: Turn) -> Mapping[str, JsonObject]:
        return {"blockedTopic": {"type": "string", "enum": [_NONE, *own(turn)]}}

    return Classifier(
        name=BLOCKED_TOPICS,
        version="1",
        view="exchange",
        fields=fields,
        instructions=lambda turn: _BLOCKED.format(topics=_listed(own(turn))),
        read=_read,
        skip=lambda turn: None if of(turn.tenant) else "no_topics",
        labels=tuple(dict.fromkeys(map(topic_label, topics))),
        heads={"blockedTopic": "topics"},
        meanings=lambda turn: {label: meaning_of(topic) for label, topic in own(turn).items()},
    )


def topic_label(topic: Topic) -> str:
    """Gives the label of a topic in verdicts: its id as a code.

    Example:
        >>> topic_label(Topic(id="legal-advice", terms=("my lawyer",)))
        'legal_advice'
    """
    code = topic.id.replace("-", "_")
    if is_code(code) and code != _NONE:
        return code
    mark = hashlib.sha256(topic.id.encode()).hexdigest()[:6]  # too long, or begins with a digit
    return f"topic_{code[:26]}_{mark}"


def _read(answer: Checked, turn: Turn) -> Reading:
    found = answer.text("blockedTopic")
    label = None if found == _NONE else found
    return Reading(
        status="finding" if label else "no_finding",
        label=label,
        confidence=answer.confidence.get("blockedTopic"),
        unsure=label is None and "blockedTopic" in answer.unsure,
    )


def meaning_of(topic: Topic) -> Meaning:
    """Gives what a topic means, for a judge that compares texts."""
    return Meaning(name=topic.id.replace("-", " "), description=topic.description, examples=_examples(topic))


def _examples(topic: Topic) -> tuple[str, ...]:
    return tuple(term.replace("*", "") for term in topic.terms[:MAX_EXAMPLES])


def _listed(topics: Mapping[str, Topic]) -> str:
    """Lists topics with what they are, as long as there is room: first less of each, then the names alone."""
    room = _TOPICS_CHARACTERS // len(topics)
    return "; ".join(_told(label, topic, room - len(label) - 6) for label, topic in topics.items())


def _told(label: str, topic: Topic, room: int) -> str:
    words = ", ".join(filter(None, [topic.description.rstrip("."), *_examples(topic)]))
    return f'"{label}" ({shorten(words, room)})' if words and room >= _LEAST_WORDS else f'"{label}"'
