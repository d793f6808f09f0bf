"""Turns records into columns and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from afterturn.formats import check_turn, turn_from_json, turn_to_json
from afterturn.mood import NO_MOOD, Mood
from afterturn.outcomes import Outcome
from afterturn.store._direct import Row
from afterturn.store._records import SessionState, Signal, SourceRef, TurnOrder
from afterturn.turns import JsonValue, Turn
from afterturn.verdicts import JudgeParams, Usage, Verdict

Columns = dict[str, Any]

_OUTCOME = tuple(field.name for field in fields(Outcome))  # `asdict` would copy every value
_MOOD = tuple(field.name for field in fields(Mood))
_TUPLES = ("categories", "sources", "safety")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # json.dumps would make a new one a call


def to_json(value: object) -> str:
    """Writes JSON that any database takes: NUL is escaped, half a surrogate pair as well."""
    if value == {}:  # most events hold nothing, and making an encoder costs more than writing it
        return "{}"
    text = _ENCODER.encode(value)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def turn_json(turn: Turn) -> str:
    """Writes a turn: what came in, unknown keys included, and its clean reply.

    Raises:
        TurnFormatError: The turn could not be read back: no messages, a tool without a name, an id with control
            characters. It is refused while its sender is there to hear it, not when a worker finds it.
    """
    check_turn(turn, where="the turn to store")
    return to_json(turn_to_json(turn))


def turn_of(row: Row) -> Turn:
    """Reads a turn from its row."""
    turn = turn_from_json(json.loads(row["body"]))
    return replace(turn, tenant=row["tenant"], session=row["session"], id=row["id"])


def verdict_columns(verdict: Verdict, **more: Any) -> Columns:
    """Gives the columns of a verdict, and further ones; who and what it is about stands in the row already."""
    return {
        "state": "done",
        "due_at": None,
        "owner": None,
        "plan": verdict.plan,
        "status": verdict.status,
        "label": verdict.label,
        "confidence": verdict.confidence,
        "confidence_source": verdict.confidence_source,
        "reason": verdict.reason,
        "answered_by": verdict.judge,
        "latency_ms": verdict.latency_ms,
        "attempt": verdict.attempt,
        "dropped": verdict.dropped,
        "temperature": verdict.params.temperature,
        "max_tokens": verdict.params.max_tokens,
        "response_format": verdict.params.response_format,
        "input_tokens": verdict.usage.input_tokens,
        "output_tokens": verdict.usage.output_tokens,
        "judged_at": verdict.created_at,
        **more,
    }


def verdict_of(row: Row) -> Verdict:
    """Reads a verdict from the row of its judgement, joined to that of its turn."""
    return Verdict(
        tenant=row["tenant"],
        agent=row["agent"],
        session=row["session"],
        turn=row["turn"],
        classifier=row["classifier"],
        version=row["version"],
        plan=row["plan"],
        metric=row["metric"],
        status=row["status"],
        label=row["label"],
        confidence=row["confidence"],
        confidence_source=row["confidence_source"],
        reason=row["reason"],
        judge=row["answered_by"],
        latency_ms=row["latency_ms"],
        attempt=row["attempt"],
        dropped=row["dropped"],
        params=JudgeParams(
            temperature=row["temperature"], max_tokens=row["max_tokens"], response_format=row["response_format"]
        ),
        usage=Usage(input_tokens=row["input_tokens"], output_tokens=row["output_tokens"]),
        created_at=row["judged_at"],
    )


def outcome_json(outcome: Outcome) -> str:
    """Writes an outcome, its empty fields left out."""
    values = {name: getattr(outcome, name) for name in _OUTCOME}
    return to_json({name: value for name, value in values.items() if value is not None and value != {}})


def outcome_of(body: str | None) -> Outcome | None:
    """Reads an outcome; None where nothing was found in words."""
    if body is None:
        return None
    values: dict[str, Any] = json.loads(body)
    for name in _TUPLES:
        if name in values:
            values[name] = tuple(values[name])
    return Outcome(**values)


def session_columns(state: SessionState) -> Columns:
    """Gives the columns of a session that judgements may change."""
    columns: Columns = {
        "title": state.title,
        "title_pinned": state.title_pinned,
        "categories": to_json(state.categories),
        "sources": to_json(state.sources),
        "concluded": state.concluded,
        "concluded_turn": state.concluded_turn,
        "handoff_summary": state.handoff_summary,
        "mood": None if state.mood == NO_MOOD else to_json({name: getattr(state.mood, name) for name in _MOOD}),
        "signals": to_json(state.signals) if state.signals else None,
    }
    for name in ("title", "categories", "sources", "mood", "signals"):
        order: TurnOrder | None = getattr(state, f"{name}_order")
        columns[f"{name}_at"] = order.created_at if order else None
        columns[f"{name}_n"] = order.seq if order else None
    return columns


def session_of(row: Row) -> SessionState:
    """Reads the state of a session from its row."""
    return SessionState(
        tenant=row["tenant"],
        session=row["id"],
        agent=row["agent"],
        title=row["title"],
        title_pinned=row["title_pinned"],
        title_order=_order(row["title_at"], row["title_n"]),
        categories=tuple(_list(row["categories"])),
        categories_order=_order(row["categories_at"], row["categories_n"]),
        sources=tuple(SourceRef(*source) for source in _list(row["sources"])),
        sources_order=_order(row["sources_at"], row["sources_n"]),
        concluded=row["concluded"],
        concluded_turn=row["concluded_turn"],
        handoff_summary=row["handoff_summary"],
        mood=Mood(**json.loads(row["mood"])) if row["mood"] else NO_MOOD,
        mood_order=_order(row["mood_at"], row["mood_n"]),
        signals=tuple(Signal(*one) for one in _list(row["signals"])),
        signals_order=_order(row["signals_at"], row["signals_n"]),
    )


def _list(text: str | None) -> list[Any]:
    return [] if text in (None, "[]") else json.loads(text)  # most sessions have no categories, or no sources


def _order(at: datetime | None, seq: int) -> TurnOrder | None:
    return None if at is None else TurnOrder(at, seq)


def data_of(text: str) -> Mapping[str, JsonValue]:
    """Reads the data of an event."""
    data: dict[str, JsonValue] = json.loads(text)
    return data
