"""Loads the encoder once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from afterturn.calls import Call, Head, Question
from afterturn.errors import JudgeMissingError
from afterturn.judges.encoder._load import shared_encoder
from afterturn.turns import Agent, JsonObject, Message, Passage, Turn

if TYPE_CHECKING:
    from afterturn.judges.encoder._model import SentenceEncoder

SCHEMAS: dict[Head, JsonObject] = {
    "title": {"anyOf": [{"type": "string", "maxLength": 80}, {"type": "null"}]},
    "concluded": {"type": "boolean"},
    "handoff": {"anyOf": [{"type": "string", "maxLength": 1200}, {"type": "null"}]},
}


def _closed(names: Sequence[str]) -> JsonObject:
    return {"type": "array", "items": {"type": "string", "enum": list(names)}, "maxItems": 5}


def _make_call(
    *said: str, categories: Sequence[str] = (), passages: Sequence[Passage] = (), heads: Sequence[Head] = ("title",)
) -> Call:
    """Makes a call; `said` alternates customer and agent, each field is named as its head."""
    messages = tuple(Message(role="assistant" if i % 2 else "user", text=text) for i, text in enumerate(said))
    closed = {"relevance": _closed(categories), "support": _closed([passage.alias for passage in passages])}
    fields: dict[str, JsonObject] = {head: closed.get(head) or SCHEMAS[head] for head in heads}
    question = Question(
        classifier="all", version="1", fields=fields, instructions="", heads={head: head for head in heads}
    )
    turn = Turn(messages=messages, agent=Agent("a", categories=categories), passages=tuple(passages) or None)
    return Call(view="exchange+passages", turn=turn, questions=(question,), plan="0" * 16)


@pytest.fixture(scope="session")
def encoder() -> SentenceEncoder:
    """The packaged encoder; the test is skipped where it is not installed."""
    try:
        return shared_encoder()
    except JudgeMissingError as error:
        pytest.skip(error.hint)


@pytest.fixture(scope="session")
def make_call() -> Callable[..., Call]:
    return _make_call
