from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from afterturn import Message
from afterturn.classifiers.safety import SAFETY
from afterturn.config import Config
from afterturn.errors import (
    ConfigError,
    InvalidJsonError,
    JudgeError,
    JudgeMissingError,
    JudgeTimeoutError,
    ProviderError,
    RateLimitedError,
    RefusedError,
    SchemaViolationError,
    TruncatedError,
    UsageError,
)
from afterturn.judging import MAX_PLANS, Judging
from afterturn.testing import ScriptedJudge

ANSWER = {
    "title": "A late parcel",
    "safetySignal": "none",
    "sentiment": -0.2,
    "frustrationTarget": "none",
    "wantsHuman": False,
}


async def test_a_turn_that_was_planned_is_not_planned_again(make_turn: Any) -> None:
    judge = ScriptedJudge(ANSWER)
    judging = Judging(Config(), open_judge=lambda name: judge)
    planned, _ = judging.plan(make_turn("My parcel is late", "It comes."))
    judgements = await judging.judge(planned.turn)
    assert judge.calls == list(planned.calls)
    assert [one.verdict.status for one in judgements] == [
        "finding",
        "skipped",
        "skipped",
        "no_finding",
        "no_finding",
        "skipped",
    ]


async def test_another_turn_under_the_same_id_is_judged_by_its_own_words(make_turn: Any) -> None:
    judge = ScriptedJudge(ANSWER)
    judging = Judging(Config(), open_judge=lambda name: judge)
    planned, _ = judging.plan(make_turn("My parcel is late", "It comes."))
    other = replace(planned.turn, messages=(Message(role="user", text="My bill is wrong"), planned.turn.messages[1]))
    await judging.judge(other)
    assert judge.calls[0].turn.messages[0].text == "My bill is wrong"


def test_plans_of_turns_that_nobody_judges_do_not_pile_up(make_turn: Any) -> None:
    judging = Judging(Config(), open_judge=lambda name: ScriptedJudge(ANSWER))
    for number in range(MAX_PLANS + 10):
        judging.plan(replace(make_turn("My parcel is late", "It comes."), id=f"t-{number}"))
    assert len(judging._plans) == MAX_PLANS  # pyright: ignore[reportPrivateUsage]


def test_an_unknown_classifier_is_a_configuration_error_that_lists_what_there_is() -> None:
    with pytest.raises(ConfigError, match="wheather unknown; there are conversation, sources, conclusion, safety"):
        Judging(Config(classifiers=("wheather",)))


async def test_only_the_enabled_classifiers_are_asked(make_turn: Any) -> None:
    judging = Judging(Config(classifiers=("safety",)), open_judge=lambda name: ScriptedJudge(ANSWER))
    judgements = await judging.judge(make_turn("My parcel is late", "It comes."))
    assert [one.verdict.classifier for one in judgements] == ["safety"]


def test_a_classifier_with_the_name_of_another_is_refused_before_any_turn_comes() -> None:
    with pytest.raises(UsageError, match="same name"):
        Judging(Config(), classifiers=(SAFETY,))


@pytest.mark.parametrize("error", [RateLimitedError, JudgeTimeoutError, ProviderError])
async def test_an_outage_is_raised_while_attempts_are_left_and_told_as_it_is_after_the_last(
    error: type[JudgeError], make_turn: Any
) -> None:
    judging = Judging(Config(max_attempts=2), open_judge=lambda _: ScriptedJudge(error()))
    planned, name = judging.plan(make_turn("My parcel is late", "It comes."))
    with pytest.raises(error) as caught:
        await judging.judge_planned_rows(planned.turn, planned.rows(name), 1)
    assert caught.value.transient
    last = await judging.judge_planned_rows(planned.turn, planned.rows(name), 2)
    assert {(one.verdict.reason, one.verdict.attempt) for one in last if one.verdict.status == "error"} == {
        (error.code, 2)
    }


@pytest.mark.parametrize(
    "error", [JudgeMissingError, RefusedError, InvalidJsonError, SchemaViolationError, TruncatedError]
)
async def test_what_another_attempt_would_not_mend_is_final_at_once(error: type[JudgeError], make_turn: Any) -> None:
    judging = Judging(Config(), open_judge=lambda _: ScriptedJudge(error()))
    planned, name = judging.plan(make_turn("My parcel is late", "It comes."))
    first = await judging.judge_planned_rows(planned.turn, planned.rows(name), 1)
    assert {one.verdict.reason for one in first if one.verdict.status == "error"} == {error.code}


async def test_a_stored_question_that_is_not_enabled_any_more_is_skipped_and_says_so(make_turn: Any) -> None:
    judge = ScriptedJudge(ANSWER)
    planned, name = Judging(Config(), open_judge=lambda _: judge).plan(make_turn("My parcel is late", "It comes."))
    later = Judging(Config(classifiers=("conversation",)), open_judge=lambda _: judge)
    judgements = await later.judge_planned_rows(planned.turn, planned.rows(name))
    assert {one.verdict.classifier: (one.verdict.status, one.verdict.reason) for one in judgements} == {
        "conversation": ("finding", None),
        "sources": ("skipped", "not_enabled"),
        "conclusion": ("skipped", "not_enabled"),
        "safety": ("skipped", "not_enabled"),
        "ai_frustration": ("skipped", "not_enabled"),
        "scope_drift": ("skipped", "not_enabled"),
    }
