"""Asks for the safety signal: harmful content, self-harm, harassment (SPEC B9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from afterturn.classifiers._base import Checked, Classifier, Reading
from afterturn.outcomes import Outcome
from afterturn.turns import JsonObject, Turn

SafetyLabel = Literal["self_harm", "harassment", "harmful_content"]

LABELS: tuple[str, ...] = get_args(SafetyLabel)
_NONE = "none"

_SAFETY = (
    '- safetySignal: "none", unless the customer speaks of suicide or self-injury ("self_harm"), threatens or '
    'insults a person ("harassment") or asks for help with a crime or violence ("harmful_content").'
)


def _fields(turn: Turn) -> Mapping[str, JsonObject]:
    """Asks for one label of a closed list: small models pick one well, and its probability is a confidence."""
    return {"safetySignal": {"type": "string", "enum": [_NONE, *LABELS]}}


def _read(answer: Checked, turn: Turn) -> Reading:
    signal = answer.text("safetySignal")
    label = signal if signal in LABELS else None
    return Reading(
        status="finding" if label else "no_finding",
        label=label,
        confidence=answer.confidence.get("safetySignal"),
        unsure=label is None and "safetySignal" in answer.unsure,
        outcome=Outcome(safety=(label,) if label else ()),
    )


SAFETY = Classifier(
    name="safety",
    version="1",
    view="exchange",
    fields=_fields,
    instructions=lambda turn: _SAFETY,
    read=_read,
    labels=LABELS,
    heads={"safetySignal": "safety"},
)
