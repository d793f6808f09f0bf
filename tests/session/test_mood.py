"""The mood of a session: advice is folded in, told once a change, and never overridden by an older turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from afterturn.mood import NO_MOOD
from afterturn.outcomes import Judgement, Outcome
from afterturn.session import apply
from afterturn.store import Applied, SessionState, TurnOrder
from afterturn.turns import Message, Turn
from afterturn.verdicts import Status, Verdict

_NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
_EMPTY = SessionState(tenant="acme", session="s-1", agent="support")
_UNHAPPY = Outcome(sentiment=-0.8, frustration="ai", wants_human=False)
_CALM = Outcome(sentiment=0.1, frustration="none", wants_human=False)


def _turn(*said: str) -> Turn:
    roles = ("user", "assistant")
    messages = tuple(Message(role=roles[n % 2], text=text) for n, text in enumerate(said or ("question", "answer")))  # pyright: ignore[reportArgumentType]
    return Turn(messages=messages, tenant="acme", session="s-1", id="t-1")


def _judgement(outcome: Outcome | None, status: Status = "finding", reason: str | None = None) -> Judgement:
    verdict = Verdict(
        tenant="acme",
        agent="support",
        session="s-1",
        turn="t-1",
        classifier="ai_frustration",
        version="1",
        plan="p",
        metric="agent.ai_frustration.verdict",
        status=status,
        reason=reason,
        judge="encoder",
        created_at=_NOON,
    )
    return Judgement(verdict=verdict, outcome=outcome)


def _apply(
    judgement: Judgement, state: SessionState = _EMPTY, *, minute: int = 1, turn: Turn | None = None, **more: Any
) -> Applied:
    return apply(state, TurnOrder(_NOON + timedelta(minutes=minute), 1), turn or _turn(), [judgement], **more)


def _advices(applied: Applied) -> list[tuple[str, object]]:
    return [(event.name, dict(event.data)) for event in applied.events if event.name == "session.advice"]


def test_advice_is_the_sessions_and_is_told() -> None:
    applied = _apply(_judgement(_UNHAPPY))
    assert (applied.state.mood.advice, applied.state.mood.reason) == ("hand_off", "ai_frustration")
    assert _advices(applied) == [("session.advice", {"advice": "hand_off", "reason": "ai_frustration"})]


def test_advice_that_stands_is_not_told_again_and_its_end_is_told() -> None:
    first = _apply(_judgement(_UNHAPPY), minute=1)
    second = _apply(_judgement(_UNHAPPY), first.state, minute=2)
    third = _apply(_judgement(_CALM), second.state, minute=3)
    fourth = _apply(_judgement(_CALM), third.state, minute=4)
    assert [_advices(second), _advices(third)] == [[], []]
    assert _advices(fourth) == [("session.advice", {"advice": None, "reason": None})]


def test_an_older_turn_that_is_judged_late_leaves_the_mood_alone() -> None:
    newer = _apply(_judgement(_CALM), minute=2).state
    late = _apply(_judgement(_UNHAPPY), newer, minute=1)
    assert late.state == newer
    assert late.events == ()


@pytest.mark.parametrize(("status", "reason"), [("error", "timeout"), ("skipped", "no_head")])
def test_where_the_classifier_gives_no_answer_the_older_triggers_advise(status: Status, reason: str) -> None:
    again = _turn("Where is my red parcel?", "On its way.", "Where is my red parcel?", "On its way.")
    applied = _apply(_judgement(None, status, reason), turn=again)
    assert _advices(applied) == [("session.advice", {"advice": "hand_off", "reason": "loop"})]
    human = _apply(_judgement(None, status, reason), turn=_turn("Let me talk to a human!", "Why?"))
    assert _advices(human) == [("session.advice", {"advice": "hand_off", "reason": "wants_human"})]
    quiet = _apply(_judgement(None, status, reason))
    assert (quiet.state.mood, _advices(quiet)) == (replace(NO_MOOD, calm=1), [])


def test_an_unsure_classifier_means_the_situation() -> None:
    outcome = Outcome(sentiment=-0.8, frustration="none", wants_human=False)
    applied = _apply(_judgement(outcome, "no_finding", "unsure"))
    assert _advices(applied) == [("session.advice", {"advice": "keep_helping", "reason": "situation"})]


def test_the_configured_trigger_counts() -> None:
    outcome = Outcome(sentiment=-0.3, frustration="ai", wants_human=False)
    assert _apply(_judgement(outcome)).state.mood.advice == "keep_helping"
    assert _apply(_judgement(outcome), sentiment_below=-0.2).state.mood.advice == "hand_off"


def test_judgements_of_other_classifiers_leave_the_mood_alone() -> None:
    other = _judgement(_UNHAPPY)
    other = replace(other, verdict=replace(other.verdict, classifier="conversation"))
    assert _apply(other).state.mood == NO_MOOD
