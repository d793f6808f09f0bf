"""Asks whether a sub-agent's part is over, and for the handoff to its parent (SPEC B6)."""

from __future__ import annotations

from collections.abc import Mapping

from afterturn.classifiers._base import Checked, Classifier, Reading, nullable
from afterturn.classifiers._language import in_language
from afterturn.outcomes import Outcome
from afterturn.turns import JsonObject, Turn

MAX_HANDOFF_CHARACTERS = 1_200

_CONCLUSION = (
    "- taskConcluded: false if the agent's last reply asks or offers something, true if it says that everything is "
    "done.\n"
    "- handoffSummary: if taskConcluded is true, 2 to 4 sentences on what the customer gave and what was done, "
    "{language}. Else null."
)


def _skip(turn: Turn) -> str | None:
    return None if turn.agent.parent else "no_parent"


def _fields(turn: Turn) -> Mapping[str, JsonObject]:
    return {
        "taskConcluded": {"type": "boolean"},
        "handoffSummary": nullable({"type": "string", "maxLength": MAX_HANDOFF_CHARACTERS}),
    }


def _read(answer: Checked, turn: Turn) -> Reading:
    concluded = answer.values.get("taskConcluded") is True
    summary = answer.text("handoffSummary") if concluded else None
    return Reading(
        status="finding" if concluded else "no_finding",
        label="concluded" if concluded else None,
        confidence=answer.confidence.get("taskConcluded"),
        unsure=not concluded and "taskConcluded" in answer.unsure,
        outcome=Outcome(task_concluded=concluded, handoff_summary=(summary or "").strip() or None),
    )


CONCLUSION = Classifier(
    name="conclusion",
    version="1",
    view="exchange",
    fields=_fields,
    instructions=lambda turn: _CONCLUSION.format(language=in_language(turn)),
    read=_read,
    skip=_skip,
    labels=("concluded",),
    heads={"taskConcluded": "concluded", "handoffSummary": "handoff"},
)
