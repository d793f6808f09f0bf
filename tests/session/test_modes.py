"""What verdicts lead to follows the rules that somebody decided; without a rule all is as it was."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from afterturn.calibration import ModeRule, Modes, RuleMode
from afterturn.outcomes import Judgement, Outcome
from afterturn.session import apply
from afterturn.store import Applied, SessionState, Signal, TurnOrder
from afterturn.turns import Agent, Message, Turn
from afterturn.verdicts import Verdict

_AT = datetime(2026, 11, 30, 10, tzinfo=UTC)
_FIRST, _SECOND = TurnOrder(_AT, 1), TurnOrder(_AT, 2)
_TURN = Turn(
    messages=(Message(role="user", text="You sent me the wrong shoes!"), Message(role="assistant", text="I see.")),
    agent=Agent("support"),
    tenant="acme",
    session="s-1",
    id="t-1",
)


def _judgement(classifier: str, outcome: Outcome | None = None, **verdict: Any) -> Judgement:
    values: dict[str, Any] = {"status": "finding", "confidence": 85, "label": None} | verdict
    made = Verdict(
        tenant="acme",
        agent="support",
        session="s-1",
        turn="t-1",
        classifier=classifier,
        version="1",
        plan="",
        metric=f"agent.{classifier}.verdict",
        judge="encoder",
        created_at=_AT,
        **values,
    )
    return Judgement(verdict=made, outcome=outcome)


_UNHAPPY = _judgement("ai_frustration", Outcome(sentiment=-0.8, frustration="ai"), label="ai")
_HARM = _judgement("safety", Outcome(safety=("self_harm",)), label="self_harm")
_CALM = _judgement("safety", Outcome(safety=()), status="no_finding", confidence=90)


def _modes(mode: RuleMode, threshold: int | None = None, classifier: str = "safety", **scope: str) -> Modes:
    return Modes([ModeRule(classifier=classifier, mode=mode, threshold=threshold, **scope)])


def _applied(*judgements: Judgement, modes: Modes | None, state: SessionState | None = None) -> Applied:
    return apply(state or SessionState(tenant="acme", session="s-1"), _FIRST, _TURN, judgements, modes=modes)


def _told(applied: Applied) -> list[str]:
    return [event.name for event in applied.events]


def test_without_a_rule_all_is_as_it_was() -> None:
    plain, ruled = (_applied(_UNHAPPY, _HARM, modes=modes) for modes in (None, Modes()))
    assert plain == ruled
    assert plain.state.mood.advice == "hand_off"
    assert _told(plain) == ["session.advice", "safety.signal"]
    assert plain.state.signals == ()


def test_in_shadow_a_verdict_gives_no_advice() -> None:
    applied = _applied(_UNHAPPY, modes=_modes("shadow", classifier="ai_frustration"))
    assert (applied.state.mood.advice, applied.state.mood.sentiment, _told(applied)) == (None, None, [])
    harmless = _applied(_HARM, modes=_modes("shadow"))
    assert (harmless.state.signals, _told(harmless)) == ((), [])


def test_in_shadow_the_older_triggers_stand_alone() -> None:
    wants = Turn(
        messages=(Message(role="user", text="I want to talk to a human."), Message(role="assistant", text="Well.")),
        tenant="acme",
        session="s-1",
        id="t-1",
    )
    rules = _modes("shadow", classifier="ai_frustration")
    state = SessionState(tenant="acme", session="s-1")
    assert apply(state, _FIRST, wants, [_UNHAPPY], modes=rules).state.mood.advice == "hand_off"


@pytest.mark.parametrize(("threshold", "advice"), [(85, "hand_off"), (86, "keep_helping")])
def test_advice_follows_a_frustration_from_its_threshold_on_and_reads_less_as_unsure(
    threshold: int, advice: str
) -> None:
    applied = _applied(_UNHAPPY, modes=_modes("advise", threshold, "ai_frustration"))
    assert applied.state.mood.advice == advice


@pytest.mark.parametrize("mode", ["advise", "enforce"])
def test_a_verdict_that_counts_is_a_signal_to_the_host(mode: Any) -> None:
    applied = _applied(_HARM, modes=_modes(mode, 80))
    assert applied.state.signals == (Signal("safety", mode, "self_harm", 85),)
    assert _told(applied) == ["safety.signal", "session.signal"]
    assert dict(applied.events[1].data) == {"classifier": "safety", "mode": mode, "label": "self_harm"}


@pytest.mark.parametrize("judgement", [_HARM, _CALM, _judgement("safety", status="error", reason="timeout")])
def test_what_does_not_count_is_none(judgement: Judgement) -> None:
    applied = _applied(judgement, modes=_modes("enforce", 86))
    assert applied.state.signals == ()
    assert "session.signal" not in _told(applied)
    assert "safety.signal" not in _told(applied)


def test_a_threshold_of_another_version_lets_nothing_follow() -> None:
    assert _applied(_HARM, modes=_modes("enforce", version="2")).state.signals == ()
    assert _applied(_HARM, modes=_modes("enforce", version="1")).state.signals != ()


def test_signals_are_those_of_the_newest_turn() -> None:
    rules = _modes("enforce")
    first = _applied(_HARM, modes=rules).state
    second = apply(first, _SECOND, _TURN, [_CALM], modes=rules).state
    assert (first.signals != (), second.signals) == (True, ())
    late = apply(second, _FIRST, _TURN, [_HARM], modes=rules)
    assert (late.state.signals, "session.signal" in _told(late)) == ((), False)


def test_signals_of_one_turn_come_together_and_go_with_their_rules() -> None:
    rules = Modes([ModeRule(classifier=name, mode="advise") for name in ("safety", "ai_frustration")])
    one = _applied(_HARM, modes=rules).state
    both = apply(one, _FIRST, _TURN, [_UNHAPPY], modes=rules).state
    assert [signal.classifier for signal in both.signals] == ["safety", "ai_frustration"]
    assert apply(both, _SECOND, _TURN, [_HARM], modes=None).state.signals == ()
