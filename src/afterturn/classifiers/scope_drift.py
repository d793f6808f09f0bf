"""Asks whether the reply left the scope that the agent's instructions set (SPEC C3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from afterturn.classifiers._base import Checked, Classifier, Reading
from afterturn.turns import JsonObject, Turn

Drift = Literal["off_topic", "unauthorized_advice", "persona_break"]

LABELS: tuple[str, ...] = get_args(Drift)
MIN_REPLY_CHARACTERS = 24
_NONE = "none"

_SCOPE = (
    '- scopeDrift: "none" if the reply stays within what instructions_of_the_agent cover; declining, asking back, '
    'small talk and handing off always do. "off_topic" if it deals with a topic that they do not cover. '
    '"unauthorized_advice" if it promises or commits to a price, refund, policy or result, or gives expert advice, '
    'that they never grant. "persona_break" if it leaves the role or name that they declare.'
)


def _skip(turn: Turn) -> str | None:
    if not turn.agent.instructions.strip():
        return "empty_scope"
    said = " ".join(message.text for message in turn.messages)
    return "short_reply" if len(said.strip()) < MIN_REPLY_CHARACTERS else None


def _fields(turn: Turn) -> Mapping[str, JsonObject]:
    return {"scopeDrift": {"type": "string", "enum": [_NONE, *LABELS]}}


def _read(answer: Checked, turn: Turn) -> Reading:
    drift = answer.text("scopeDrift")
    label = drift if drift in LABELS else None
    return Reading(
        status="finding" if label else "no_finding",
        label=label,
        confidence=answer.confidence.get("scopeDrift"),
        unsure=label is None and "scopeDrift" in answer.unsure,
    )


SCOPE_DRIFT = Classifier(
    name="scope_drift",
    version="1",
    view="scope",
    fields=_fields,
    instructions=lambda turn: _SCOPE,
    read=_read,
    skip=_skip,
    labels=LABELS,
    heads={"scopeDrift": "scope"},
)
