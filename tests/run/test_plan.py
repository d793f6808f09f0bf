from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs
from syrupy.assertion import SnapshotAssertion

from afterturn import Passage
from afterturn.classifiers import BUILT_IN, Classifier, Reading
from afterturn.errors import UsageError
from afterturn.judges import render, wire_schema
from afterturn.run import plan
from afterturn.turns import Reply

PASSAGES = (
    Passage(alias="c1", text="Leave is 27 days.", title="Handbook"),
    Passage(alias="c2", text="Parking is free.", title="Site guide"),
)


def _turns(make_turn: Any) -> dict[str, Any]:
    question, answer = "How many days of leave do I have?", "You have 27 days."
    return {
        "greeting": make_turn("hello", "Hello! How can I help?", categories=("HR", "IT")),
        "no categories": make_turn(question, answer),
        "120 categories": make_turn(question, answer, categories=[f"Category {number}" for number in range(1, 121)]),
        "passages uncited": make_turn(question, answer, categories=("HR", "IT"), passages=PASSAGES),
        "passages cited": make_turn(question, answer[:-1] + " [c1].", categories=("HR", "IT"), passages=PASSAGES),
        "sub-agent": make_turn("I need a laptop.", "Your order is filed.", categories=("HR", "IT"), parent="desk"),
    }


NAMES = ("conversation", "sources", "conclusion", "safety", "ai_frustration", "scope_drift")
NO_SCOPE = {"scope_drift": "empty_scope"}
KINDS = ["greeting", "no categories", "120 categories", "passages uncited", "passages cited", "sub-agent"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_declares_only_what_the_turn_needs(kind: str, make_turn: Any, snapshot: SnapshotAssertion) -> None:
    (call,) = plan(_turns(make_turn)[kind], BUILT_IN).calls
    assert json.dumps(wire_schema(call).schema, indent=1) == snapshot


@pytest.mark.parametrize("kind", KINDS)
def test_the_prompt_is_short_and_the_same_for_every_agent(
    kind: str, make_turn: Any, snapshot: SnapshotAssertion
) -> None:
    (call,) = plan(_turns(make_turn)[kind], BUILT_IN).calls
    prompt = render(call, boundary="0123456789abcdef")
    assert f"{prompt.system}\n\n{prompt.user}\n\n(max_tokens {prompt.max_tokens})" == snapshot


def test_a_list_that_goes_out_as_ids_says_what_each_id_stands_for(make_turn: Any) -> None:
    passages = tuple(Passage(alias=f"c{number}", text="Leave is 27 days.") for number in range(11, 131))
    (call,) = plan(make_turn("How much leave?", "27 days.", passages=passages), BUILT_IN).calls
    ids = wire_schema(call).codes["sourceIds"]
    data = render(call, boundary="B").user.split("=== B ===")[1]
    assert json.loads(data)["ids_of_sourceIds"] == ids
    assert ids["k1"] == "c11"


def test_the_descriptive_questions_share_one_call(make_turn: Any) -> None:
    turn = make_turn("I need a laptop.", "Filed.", categories=("HR",), parent="desk", passages=PASSAGES)
    (call,) = plan(turn, BUILT_IN).calls
    assert call.view == "exchange+passages"
    assert [question.classifier for question in call.questions] == [
        "conversation",
        "sources",
        "conclusion",
        "safety",
        "ai_frustration",
    ]


@pytest.mark.parametrize(
    ("said", "agent", "skips"),
    [
        (("q", "a"), {}, {"sources": "no_passages", "conclusion": "no_parent", **NO_SCOPE}),
        (("q", "a"), {"passages": ()}, {"sources": "no_passages", "conclusion": "no_parent", **NO_SCOPE}),
        (("q", "a [c1]."), {"passages": PASSAGES}, {"sources": "cited_inline", "conclusion": "no_parent", **NO_SCOPE}),
        (("q", "a [c9]."), {"passages": PASSAGES}, {"conclusion": "no_parent", **NO_SCOPE}),
        (("q", "a"), {"passages": PASSAGES, "parent": "p"}, NO_SCOPE),
        (
            ("q", "a"),
            {"passages": PASSAGES, "parent": "p", "instructions": "You help."},
            {"scope_drift": "short_reply"},
        ),
        (("q", "a" * 24), {"passages": PASSAGES, "parent": "p", "instructions": "You help."}, {}),
        (("q",), {}, dict.fromkeys(NAMES, "no_reply")),
        (("q", "  "), {}, dict.fromkeys(NAMES, "no_reply")),
    ],
)
def test_a_question_that_needs_no_answer_is_skipped_with_its_reason(
    said: Any, agent: Any, skips: Any, make_turn: Any
) -> None:
    assert dict(plan(make_turn(*said, **agent), BUILT_IN).skips) == skips


def test_a_reply_that_broke_off_is_not_judged(make_turn: Any) -> None:
    turn = replace(make_turn("q", "a"), reply=Reply(text="a", raw="a", complete=False))
    assert set(plan(turn, BUILT_IN).skips.values()) == {"incomplete"}


def test_a_blocked_turn_asks_nobody(make_turn: Any) -> None:
    planned = plan(make_turn("my parcel is late", "sorry"), BUILT_IN, blocked="residency")
    assert planned.calls == ()
    assert planned.skips["conversation"] == planned.skips["safety"] == "residency"


def test_every_classifier_is_planned_exactly_once(make_turn: Any) -> None:
    rows = plan(make_turn("hello", "hi"), BUILT_IN).rows("encoder")
    assert tuple(row.classifier for row in rows) == NAMES
    assert {row.judge for row in rows} == {"encoder"}


def test_the_plan_hash_changes_with_the_company_and_not_with_the_text(make_turn: Any) -> None:
    (one,) = plan(make_turn("where is it?", "there"), BUILT_IN).calls
    (same,) = plan(make_turn("my bill is wrong", "I see."), BUILT_IN).calls
    (more,) = plan(make_turn("where is it?", "there", parent="p"), BUILT_IN).calls
    assert one.plan == same.plan
    assert one.plan != more.plan


def _twin(name: str) -> Classifier:
    return Classifier(
        name=name,
        version="1",
        view="exchange",
        fields=lambda turn: {"title": {"type": "boolean"}},
        instructions=lambda turn: "x",
        read=lambda answer, turn: Reading(status="no_finding"),
    )


def test_two_classifiers_of_one_name_are_a_usage_error(make_turn: Any) -> None:
    with pytest.raises(UsageError, match="same name"):
        plan(make_turn("q", "a"), (*BUILT_IN, _twin("safety")))


def test_a_field_of_another_classifier_costs_the_later_question_alone(make_turn: Any) -> None:
    with capture_logs() as logged:
        planned = plan(make_turn("my parcel is late", "a"), (*BUILT_IN, _twin("other")))
    assert planned.broken == {"other"}
    assert [question.classifier for question in planned.calls[0].questions] == [
        "conversation",
        "safety",
        "ai_frustration",
    ]
    assert [(line["place"], line["error"], line["classifier"]) for line in logged] == [
        ("run.plan", "UsageError", "other")
    ]
