"""Asks whom an unhappy customer is unhappy with: the agent, or the situation (SPEC C4).

It sits on top of what the loop detector (`afterturn.mood`) sees in the messages themselves, and replaces none of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from afterturn.classifiers._base import Checked, Classifier, Reading
from afterturn.outcomes import Outcome
from afterturn.turns import JsonObject, Turn

Target = Literal["ai", "situation"]

LABELS: tuple[str, ...] = get_args(Target)
_NONE = "none"

_FRUSTRATION = (
    "- sentiment: how the customer feels in the latest message, from -1 (furious, desperate) over 0 (neutral) to 1.\n"
    '- frustrationTarget: "ai" if the customer is unhappy with the agent itself (does not understand, repeats itself, '
    'wrong answers, a bot); "situation" if unhappy with anything else (product, delivery, price, company), also where '
    'you are unsure whom they blame; "none" if not unhappy.\n'
    "- wantsHuman: true if the customer asks for a person."
)


def _fields(turn: Turn) -> Mapping[str, JsonObject]:
    return {
        "sentiment": {"type": "number", "minimum": -1, "maximum": 1},
        "frustrationTarget": {"type": "string", "enum": [_NONE, *LABELS]},
        "wantsHuman": {"type": "boolean"},
    }


def _read(answer: Checked, turn: Turn) -> Reading:
    target = answer.text("frustrationTarget")
    unsure = "frustrationTarget" in answer.unsure
    if target == "ai" and unsure:
        target = "situation"  # blaming the agent has consequences; in doubt it is the situation
    label = target if target in LABELS else None
    sentiment = answer.values.get("sentiment")
    return Reading(
        status="finding" if label else "no_finding",
        label=label,
        confidence=answer.confidence.get("frustrationTarget"),
        unsure=label is None and unsure,
        outcome=Outcome(
            sentiment=float(sentiment) if isinstance(sentiment, int | float) else None,
            frustration=target if target in (*LABELS, _NONE) else None,
            wants_human=answer.values.get("wantsHuman") is True,
        ),
    )


AI_FRUSTRATION = Classifier(
    name="ai_frustration",
    version="1",
    view="exchange",
    fields=_fields,
    instructions=lambda turn: _FRUSTRATION,
    read=_read,
    labels=LABELS,
    heads={"sentiment": "sentiment", "frustrationTarget": "frustration", "wantsHuman": "wants_human"},
)
