"""Runs the heads that a call asks for, and puts their findings into the form of its schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import get_args

from afterturn.calls import Answer, Call, Confidence, Head, Meaning, Question
from afterturn.judges._schema import enum_of
from afterturn.judges.encoder._blocked import blocked_topic
from afterturn.judges.encoder._categories import relevant
from afterturn.judges.encoder._classified import (
    drift,
    frustration,
    injection,
    safety,
    sentiment,
    small_talk,
    wants_human,
)
from afterturn.judges.encoder._conclusion import Conclusion, conclude
from afterturn.judges.encoder._conversation import Conversation, lay_out
from afterturn.judges.encoder._handoff import write_handoff
from afterturn.judges.encoder._model import Embedder, TextVectors
from afterturn.judges.encoder._ranking import readable
from afterturn.judges.encoder._sources import supporting
from afterturn.judges.encoder._task_heads import Chances, TaskHeads
from afterturn.judges.encoder._titles import make_title
from afterturn.turns import JsonObject, JsonValue
from afterturn.verdicts import ConfidenceSource

Found = tuple[JsonValue, Confidence, bool]
"""The value of a field, how sure the head is, and whether it would rather have passed the field on."""

_KNOWN = frozenset(get_args(Head))
_DEFAULT_HANDOFF_CHARS = 1_200
_VIEW_MESSAGES = 6
"""A view with as many messages before the exchange may be cut: categories are not taken back for what it shows."""

_SMALL_TALK = 0.7
"""Chosen on benchmarks/corpus/smalltalk.jsonl; smalltalk2.jsonl had been looked at as well."""


def answer(call: Call, embedder: Embedder) -> Answer:
    """Answers every question that has heads; the others are named in `no_head`.

    Args:
        call: The call.
        embedder: Gives the vectors.
    """
    reader = _Reader(embedder)
    heads = Heads(call, reader)
    values: dict[str, JsonValue] = {}
    confidence: dict[str, Confidence] = {}
    unsure: set[str] = set()
    no_head: set[str] = set()
    for question in call.questions:
        if not _answerable(question):
            no_head.add(question.classifier)
            continue
        for field, schema in question.fields.items():
            values[field], confidence[field], near = heads.find(question.heads[field], schema)
            unsure.update([field] if near else [])
    if not reader.whole:
        unsure.update(values)
    return Answer(values=values, confidence=confidence, unsure=frozenset(unsure), no_head=frozenset(no_head))


class _Reader:
    """Passes texts to the embedder and remembers whether all were read whole; what was not is unsure."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.whole = True

    @property
    def heads(self) -> TaskHeads:
        """The trained heads of the model."""
        return self._embedder.heads

    def vectors(self, texts: Sequence[str]) -> list[TextVectors]:
        """Gives the vectors of each text, in order."""
        found = self._embedder.vectors(texts)
        self.whole = self.whole and all(vectors.whole for vectors in found)
        return found


class Heads:
    """Are the heads over one call; what two of them need is found once."""

    def __init__(self, call: Call, embedder: Embedder) -> None:
        self._turn = call.turn
        self._meanings = {value: meaning for question in call.questions for value, meaning in question.meanings.items()}
        self._embedder = embedder
        self._heads: Mapping[Head, Callable[[JsonObject], Found]] = {
            "title": self._title,
            "relevance": self._relevance,
            "support": self._support,
            "concluded": self._concluded,
            "handoff": self._handoff,
            "scope": self._scope,
            "injection": self._injection,
            "sentiment": self._sentiment,
            "frustration": self._frustration,
            "wants_human": self._wants_human,
            "safety": self._safety,
            "topics": self._topics,
            "no_words": self._no_words,
        }

    def find(self, head: Head, schema: JsonObject) -> Found:
        """Answers one field."""
        return self._heads[head](schema)

    @cached_property
    def _conversation(self) -> Conversation:
        return lay_out(self._turn)

    @cached_property
    def _conclusion(self) -> Conclusion:
        said = self._conversation
        return conclude(said.latest[-1] if said.latest else "", said.reply, self._embedder)

    @cached_property
    def _small_talk(self) -> float:
        if not self._conversation.content:
            return 0.0  # phrases cover it all: what they say is a rule, not a reading
        found = small_talk(self._conversation, self._embedder)
        return found if found >= _SMALL_TALK else 0.0

    def _title(self, schema: JsonObject) -> Found:
        said = self._conversation
        if self._small_talk:
            return None, _confidence(self._small_talk, by_rule=False), False
        title = make_title(said.latest, said.earlier, said.reply, self._embedder, answering=said.answering)
        return title.text, _confidence(title.probability, by_rule=title.text is None), False

    def _relevance(self, schema: JsonObject) -> Found:
        if self._small_talk and len(self._turn.history) < _VIEW_MESSAGES:
            return [], _confidence(self._small_talk, by_rule=False), False
        described = self._turn.agent.category_descriptions
        found = relevant(self._conversation, enum_of(schema), described, _limit(schema), self._embedder)
        return list(found.names), _confidence(found.probability, by_rule=found.by_rule), found.unsure

    def _support(self, schema: JsonObject) -> Found:
        texts = {passage.alias: passage.text for passage in self._turn.passages or ()}
        known = {alias: texts[alias] for alias in enum_of(schema) if alias in texts}
        found = supporting(self._conversation, known, self._embedder)
        aliases = list(found.aliases[: _limit(schema)])
        return aliases, _confidence(found.probability, by_rule=found.by_rule), found.unsure

    def _concluded(self, schema: JsonObject) -> Found:
        found = self._conclusion
        return found.concluded, _confidence(found.probability, by_rule=found.by_rule), found.unsure

    def _handoff(self, schema: JsonObject) -> Found:
        found = self._conclusion
        text = write_handoff(self._conversation, concluded=found.concluded, limit=_max_length(schema))
        return text, _confidence(found.probability, by_rule=text is None), found.unsure

    def _topics(self, schema: JsonObject) -> Found:
        none, *labels = enum_of(schema)
        texts = ["\n".join(self._conversation.latest), self._conversation.reply]
        topics = {label: self._meanings.get(label) or Meaning(name=readable(label)) for label in labels}
        found = blocked_topic([text for text in texts if text.strip()], topics, self._embedder)
        return found.topic or none, _confidence(found.probability, by_rule=False), found.unsure

    # --- trained heads --------------------------------------------------------------------------------------------

    def _scope(self, schema: JsonObject) -> Found:
        return _settled(drift(self._turn.agent.instructions, self._conversation.reply, self._embedder))

    def _injection(self, schema: JsonObject) -> Found:
        found, kind = injection("\n".join(self._conversation.latest), self._embedder)
        _, confidence, unsure = _settled(found)
        return "none" if unsure or found.label == found.task.labels[0] else kind, confidence, unsure

    def _sentiment(self, schema: JsonObject) -> Found:
        value, found = sentiment(self._conversation, self._embedder)
        return value, _confidence(max(found.by_label.values()), by_rule=False), found.foreign

    def _frustration(self, schema: JsonObject) -> Found:
        return _labelled(frustration(self._conversation, self._embedder))

    def _wants_human(self, schema: JsonObject) -> Found:
        value, found, by_phrase = wants_human(self._conversation, self._embedder)
        return value, _confidence(0.95 if by_phrase else found.sure, by_rule=by_phrase), not by_phrase and found.unsure

    def _safety(self, schema: JsonObject) -> Found:
        return _settled(safety(self._conversation, self._embedder))

    def _no_words(self, schema: JsonObject) -> Found:
        """Stands for a field of words that only a model can write."""
        return None, _confidence(1.0, by_rule=True), False


def _labelled(found: Chances) -> Found:
    return found.label, _confidence(found.sure, by_rule=False), found.unsure


def _settled(found: Chances) -> Found:
    """Gives no finding where the head is unsure: what it would rather have passed on accuses nobody."""
    if not found.unsure:
        return _labelled(found)
    return found.task.labels[0], _confidence(1 - found.finding, by_rule=False), True


def _answerable(question: Question) -> bool:
    """Says whether every field of a question has a head that this version knows."""
    return bool(question.fields) and all(question.heads.get(field) in _KNOWN for field in question.fields)


def _confidence(probability: float, *, by_rule: bool) -> Confidence:
    source: ConfidenceSource = "rule" if by_rule else "encoder"
    return Confidence(percent=round(100 * min(max(probability, 0.0), 1.0)), source=source)


def _limit(schema: JsonObject) -> int:
    limit = schema.get("maxItems")
    return limit if isinstance(limit, int) else len(enum_of(schema))


def _max_length(schema: JsonObject) -> int:
    """Reads the bound of a string that may be null."""
    options = schema.get("anyOf")
    for option in (schema, *(options if isinstance(options, (list, tuple)) else ())):
        limit = option.get("maxLength") if isinstance(option, Mapping) else None
        if isinstance(limit, int):
            return limit
    return _DEFAULT_HANDOFF_CHARS
