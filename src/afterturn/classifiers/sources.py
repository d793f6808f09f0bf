"""Asks which passages the reply rests on, but only where passages were retrieved and none was cited (SPEC B5)."""

from __future__ import annotations

from collections.abc import Mapping

from afterturn.classifiers._base import Checked, Classifier, Reading, list_of
from afterturn.outcomes import Outcome
from afterturn.turns import JsonObject, Turn

MAX_SOURCES = 5

_SOURCES = (
    "- sourceIds: ids of the passages that the agent's last reply takes its facts from. Usually one or two. [] if none."
)


def _skip(turn: Turn) -> str | None:
    if not turn.passages:
        return "no_passages"
    return "cited_inline" if turn.reply is not None and turn.reply.cited else None


def _fields(turn: Turn) -> Mapping[str, JsonObject]:
    return {"sourceIds": list_of(tuple(passage.alias for passage in turn.passages or ()), at_most=MAX_SOURCES)}


def _read(answer: Checked, turn: Turn) -> Reading:
    sources = answer.texts("sourceIds")
    return Reading(
        status="finding" if sources else "no_finding",
        confidence=answer.confidence.get("sourceIds"),
        unsure=not sources and "sourceIds" in answer.unsure,
        outcome=Outcome(sources=sources),
    )


SOURCES = Classifier(
    name="sources",
    version="1",
    view="exchange+passages",
    fields=_fields,
    instructions=lambda turn: _SOURCES,
    read=_read,
    skip=_skip,
    heads={"sourceIds": "support"},
)
