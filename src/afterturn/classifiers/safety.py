"""Asks for the safety signal: harmful content, self-harm, harassment (SPEC B9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from afterturn.calls import Confidence
from afterturn.classifiers._base import Checked, Classifier, Reading, list_of
from afterturn.outcomes import Outcome
from afterturn.turns import JsonObject, Turn

SafetyLabel = Literal["self_harm", "harassment", "harmful_content"]

LABELS: tuple[str, ...] = get_args(SafetyLabel)
"""Most urgent first: a verdict has one label, and this order says which."""

_SAFETY = (
    "- safetyLabels: which of these the latest exchange contains: self_harm (the customer may hurt themselves), "
    "harassment (threats, hate or abuse against a person), harmful_content (help with violence, crime or dangerous "
    "acts). Complaints, anger and sad news alone are none. [] in nearly every conversation.\n"
    "- safetyConfidence: 0 to 100, how sure you are of safetyLabels."
)


def _fields(turn: Turn) -> Mapping[str, JsonObject]:
    return {
        "safetyLabels": list_of(LABELS, at_most=len(LABELS)),
        "safetyConfidence": {"type": "integer", "minimum": 0, "maximum": 100},
    }


def _read(answer: Checked, turn: Turn) -> Reading:
    found = tuple(label for label in LABELS if label in answer.texts("safetyLabels"))
    stated = answer.values.get("safetyConfidence")
    own = Confidence(percent=stated, source="model") if isinstance(stated, int) else None
    return Reading(
        status="finding" if found else "no_finding",
        label=found[0] if found else None,
        confidence=answer.confidence.get("safetyLabels") or own,
        unsure=not found and "safetyLabels" in answer.unsure,
        outcome=Outcome(safety=found),
    )


SAFETY = Classifier(
    name="safety",
    version="1",
    view="exchange",
    fields=_fields,
    instructions=lambda turn: _SAFETY,
    read=_read,
    labels=LABELS,
)
