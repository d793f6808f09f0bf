from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from afterturn import Turn
from afterturn.classifiers import BUILT_IN, Classifier, Reading
from afterturn.testing import CANARY, check_classifier


@pytest.mark.parametrize("classifier", BUILT_IN, ids=lambda classifier: classifier.name)
def test_a_built_in_classifier_keeps_its_contract(classifier: Classifier) -> None:
    check_classifier(classifier)


GOOD = Classifier(
    name="mine",
    version="1",
    view="exchange",
    fields=lambda turn: {"mine": {"type": "boolean"}},
    instructions=lambda turn: "- mine: true or false",
    read=lambda answer, turn: Reading(status="finding", label="yes"),
    labels=("yes",),
)


def _with_field(schema: Any) -> dict[str, Any]:
    def fields(turn: Turn) -> Any:
        return {"mine": schema}

    return {"fields": fields}


def _saying(instructions: str) -> dict[str, Any]:
    def said(turn: Turn) -> str:
        return instructions.format(text=turn.messages[0].text)

    return {"instructions": said}


def _skips(turn: Turn) -> str:
    return "Because I say so!"


BROKEN: list[tuple[dict[str, Any], str]] = [
    (_with_field({"type": "array", "items": {"type": "string", "enum": []}, "maxItems": 1}), "empty enum"),
    (_with_field({"type": "array", "items": {"type": "boolean"}}), "without maxItems"),
    (_with_field({"type": "string"}), "without maxLength"),
    (_with_field({"type": ["string", "null"]}), "list of types"),
    (_with_field({"type": "nonsense"}), "no valid JSON schema"),
    (_saying("answer"), "do not name the field mine"),
    (_saying("- mine: {text}"), "text of the conversation"),
    (_saying("- mine: " + "x" * 2_000), "longer than"),
    ({"skip": _skips}, "skip gives no code"),
    ({"labels": ()}, "outside its closed set"),
    ({"labels": ("yes", "Not A Code")}, "no code"),
    ({"heads": {"other": "title"}}, "head for a field"),
]


@pytest.mark.parametrize(("change", "told"), BROKEN, ids=[told for _, told in BROKEN])
def test_a_broken_classifier_is_told_what_is_wrong(change: dict[str, Any], told: str) -> None:
    check_classifier(GOOD)
    with pytest.raises(AssertionError, match=told) as caught:
        check_classifier(replace(GOOD, **change))
    assert CANARY not in str(caught.value)
