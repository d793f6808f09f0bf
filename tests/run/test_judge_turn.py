from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from structlog.testing import capture_logs

from afterturn import Passage, Turn
from afterturn.calls import Answer, Confidence
from afterturn.classifiers import BUILT_IN, Checked, Classifier, Reading
from afterturn.errors import JudgeTimeoutError, ProviderError, RefusedError, TruncatedError
from afterturn.run import judge_turn
from afterturn.testing import HANG, ScriptedJudge
from afterturn.turns import JsonObject

FULL = {
    "title": "A late parcel",
    "categoryNames": ["Shipping"],
    "sourceIds": ["c1"],
    "taskConcluded": True,
    "handoffSummary": "The parcel is late. It is on its way.",
    "safetySignal": "none",
    "sentiment": 0.0,
    "frustrationTarget": "none",
    "wantsHuman": False,
    "scopeDrift": "none",
}


def _turn(make_turn: Any) -> Any:
    passages = (Passage(alias="c1", text="Parcels take two days."),)
    return make_turn(
        "My parcel is late", "It comes.", categories=("Shipping", "Billing"), parent="p", passages=passages
    )


async def _judged(turn: Any, judge: Any, **options: Any) -> dict[str, Any]:
    judgements = await judge_turn(turn, BUILT_IN, judge, **options)
    assert [judgement.verdict.classifier for judgement in judgements] == [c.name for c in BUILT_IN]
    return {judgement.verdict.classifier: judgement for judgement in judgements}


async def test_one_call_answers_all_questions(make_turn: Any) -> None:
    judge = ScriptedJudge(FULL)
    judged = await _judged(_turn(make_turn), judge)
    assert len(judge.calls) == 1
    assert {name: one.verdict.status for name, one in judged.items()} == {
        "conversation": "finding",
        "sources": "finding",
        "conclusion": "finding",
        "safety": "no_finding",
        "ai_frustration": "no_finding",
        "scope_drift": "skipped",
    }
    assert judged["conversation"].outcome.title == "A late parcel"
    assert judged["conversation"].outcome.categories == ("Shipping",)
    assert judged["sources"].outcome.sources == ("c1",)
    assert judged["conclusion"].outcome.handoff_summary == "The parcel is late. It is on its way."


async def test_a_verdict_carries_ids_plan_judge_attempt_and_time(make_turn: Any) -> None:
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    judged = await _judged(_turn(make_turn), ScriptedJudge(FULL), attempt=2, clock=lambda: now)
    verdict = judged["safety"].verdict
    assert (verdict.tenant, verdict.agent, verdict.session, verdict.turn) == ("acme", "support", "s-1", "t-1")
    assert (verdict.metric, verdict.judge, verdict.attempt, verdict.created_at) == (
        "agent.safety.verdict",
        "scripted",
        2,
        now,
    )
    assert len(verdict.plan) == 16


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", 3),
        ("categoryNames", "Shipping"),
        ("taskConcluded", "yes"),
        ("safetySignal", "boom"),
        ("sentiment", "sad"),
    ],
)
async def test_one_bad_field_errs_one_question(field: str, value: Any, make_turn: Any) -> None:
    judged = await _judged(_turn(make_turn), ScriptedJudge({**FULL, field: value}))
    wrong = {name: one.verdict.reason for name, one in judged.items() if one.verdict.status == "error"}
    assert list(wrong.values()) == ["schema_violation"]
    assert len(judged) - len(wrong) == 5


async def test_a_missing_field_errs_its_question_alone(make_turn: Any) -> None:
    answer = {name: value for name, value in FULL.items() if name != "sourceIds"}
    judged = await _judged(_turn(make_turn), ScriptedJudge(answer))
    assert [name for name, one in judged.items() if one.verdict.status == "error"] == ["sources"]


async def test_values_outside_the_closed_list_are_dropped_and_counted(make_turn: Any) -> None:
    judged = await _judged(_turn(make_turn), ScriptedJudge({**FULL, "categoryNames": ["Weather", "Billing", "Sport"]}))
    assert judged["conversation"].outcome.categories == ("Billing",)
    assert judged["conversation"].verdict.dropped == 2


async def test_a_truncated_answer_is_asked_again_once_in_halves(make_turn: Any) -> None:
    judge = ScriptedJudge([TruncatedError(), FULL, FULL])
    judged = await _judged(_turn(make_turn), judge)
    asked = [[question.classifier for question in call.questions] for call in judge.calls]
    assert asked == [
        ["conversation", "sources", "conclusion", "safety", "ai_frustration"],
        ["conversation", "sources", "conclusion"],
        ["safety", "ai_frustration"],
    ]
    assert [one.verdict.status for one in judged.values()] == [
        "finding",
        "finding",
        "finding",
        "no_finding",
        "no_finding",
        "skipped",
    ]
    assert judged["conversation"].verdict.plan != judged["safety"].verdict.plan


async def test_a_half_that_is_truncated_again_errs_its_questions_alone(make_turn: Any) -> None:
    judge = ScriptedJudge([TruncatedError(), TruncatedError(), FULL])
    judged = await _judged(_turn(make_turn), judge)
    assert [one.verdict.reason for one in judged.values()] == [
        "truncated",
        "truncated",
        "truncated",
        None,
        None,
        "empty_scope",
    ]
    assert len(judge.calls) == 3


class _PanicError(BaseException):
    """As the error of an extension module that derives from BaseException alone."""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RefusedError(), "refusal"),
        (JudgeTimeoutError(), "timeout"),
        (ProviderError(), "provider_error"),
        (ValueError("a bug"), "provider_error"),
        (_PanicError("a panic"), "provider_error"),
    ],
)
async def test_whatever_the_judge_does_every_question_has_a_verdict(
    error: BaseException, code: str, make_turn: Any
) -> None:
    with capture_logs():
        judged = await _judged(_turn(make_turn), ScriptedJudge(error))
    assert {(one.verdict.status, one.verdict.reason) for one in judged.values()} == {
        ("error", code),
        ("skipped", "empty_scope"),
    }


async def test_cancelling_the_judging_is_not_swallowed(make_turn: Any) -> None:
    task = asyncio.create_task(judge_turn(_turn(make_turn), BUILT_IN, ScriptedJudge(HANG)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_judge_without_a_head_skips_the_question(make_turn: Any) -> None:
    judge = ScriptedJudge(Answer(values=FULL, no_head=frozenset({"safety"})))
    verdict = (await _judged(_turn(make_turn), judge))["safety"].verdict
    assert (verdict.status, verdict.reason) == ("skipped", "no_head")


async def test_a_judge_that_would_rather_pass_finds_nothing_and_says_unsure(make_turn: Any) -> None:
    answer = Answer(
        values={**FULL, "sourceIds": []},
        unsure=frozenset({"sourceIds"}),
        confidence={"sourceIds": Confidence(percent=41, source="encoder")},
    )
    verdict = (await _judged(_turn(make_turn), ScriptedJudge(answer)))["sources"].verdict
    assert (verdict.status, verdict.reason, verdict.confidence, verdict.confidence_source) == (
        "no_finding",
        "unsure",
        41,
        "encoder",
    )


async def test_small_talk_is_settled_by_rule_without_a_title(make_turn: Any) -> None:
    judge = ScriptedJudge({"title": "Greeting", "categoryNames": ["Billing"], "safetySignal": "none"})
    judged = await _judged(make_turn("hello", "Hi! How can I help?", categories=("Billing",)), judge)
    one = judged["conversation"]
    assert (one.verdict.status, one.verdict.confidence_source) == ("no_finding", "rule")
    assert (one.outcome.title, one.outcome.categories) == (None, ())


async def test_thanks_after_a_long_conversation_leave_its_categories_alone(make_turn: Any) -> None:
    said = ["My parcel is late", "It comes.", *("thanks", "welcome") * 3, "bye", "Goodbye!"]
    judged = await _judged(make_turn(*said, categories=("Shipping",)), ScriptedJudge({"safetySignal": "none"}))
    assert judged["conversation"].outcome.categories is None


async def test_a_classifier_that_breaks_while_reading_is_an_error_verdict(make_turn: Any) -> None:
    def broken(answer: Checked, turn: Any) -> Reading:
        raise KeyError("no such field")

    own = Classifier(
        name="mine",
        version="1",
        view="exchange",
        fields=lambda turn: {"mine": {"type": "boolean"}},
        instructions=lambda turn: "- mine: true",
        read=broken,
    )
    with capture_logs():
        judgements = await judge_turn(make_turn("q", "a"), (own,), ScriptedJudge({"mine": True}))
    assert [(one.verdict.status, one.verdict.reason) for one in judgements] == [("error", "schema_violation")]


def _breaks(turn: Turn) -> Any:
    raise KeyError("no such field")


def _says_no_code(turn: Turn) -> str:
    return "No code!"


def _has_a_taken_field(turn: Turn) -> dict[str, JsonObject]:
    return {"safetySignal": {"type": "boolean"}}


_OWN = Classifier(
    name="mine",
    version="1",
    view="exchange",
    fields=lambda turn: {"mine": {"type": "boolean"}},
    instructions=lambda turn: "- mine: true",
    read=lambda answer, turn: Reading(status="no_finding"),
)
_BROKEN = {
    "skip": replace(_OWN, skip=_breaks),
    "reason": replace(_OWN, skip=_says_no_code),
    "fields": replace(_OWN, fields=_breaks),
    "instructions": replace(_OWN, instructions=_breaks),
    "another's field": replace(_OWN, fields=_has_a_taken_field),
}


@pytest.mark.parametrize("part", _BROKEN)
async def test_a_classifier_that_breaks_while_it_is_planned_is_an_error_verdict_of_its_own(
    part: str, make_turn: Any
) -> None:
    with capture_logs():
        judgements = await judge_turn(_turn(make_turn), (*BUILT_IN, _BROKEN[part]), ScriptedJudge(FULL))
    assert [one.verdict.status for one in judgements] == [
        "finding",
        "finding",
        "finding",
        "no_finding",
        "no_finding",
        "skipped",
        "error",
    ]
    assert judgements[-1].verdict.reason == "schema_violation"


@pytest.mark.parametrize("signal", ["self_harm", "harassment", "harmful_content"])
async def test_a_safety_signal_is_a_finding_with_its_label(signal: str, make_turn: Any) -> None:
    one = (await _judged(_turn(make_turn), ScriptedJudge({**FULL, "safetySignal": signal})))["safety"]
    assert (one.verdict.status, one.verdict.label, one.outcome.safety) == ("finding", signal, (signal,))


async def test_a_task_that_goes_on_has_no_handoff(make_turn: Any) -> None:
    one = (await _judged(_turn(make_turn), ScriptedJudge({**FULL, "taskConcluded": False})))["conclusion"]
    assert (one.verdict.status, one.verdict.label) == ("no_finding", None)
    assert (one.outcome.task_concluded, one.outcome.handoff_summary) == (False, None)


async def test_120_categories_go_out_as_ids_and_come_back_as_names(make_turn: Any) -> None:
    from afterturn.judges import wire_schema
    from afterturn.run import plan

    turn = make_turn("My parcel is late", "It comes.", categories=[f"Category {n}" for n in range(1, 121)])
    (call,) = plan(turn, BUILT_IN).calls
    values = wire_schema(call).decode({"title": "k1", "categoryNames": ["k7", "k120", "k121"], "safetySignal": "none"})
    one = (await _judged(turn, ScriptedJudge(values)))["conversation"]
    assert one.outcome.categories == ("Category 7", "Category 120")
    assert one.outcome.title == "k1"
    assert one.verdict.dropped == 1
