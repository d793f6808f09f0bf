from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from afterturn.outcomes import Judgement, Outcome
from afterturn.session import apply, tells, turn_events
from afterturn.store import Applied, Conclusion, SessionState, SourceRef, TimelineEvent, TurnOrder
from afterturn.turns import Agent, Message, Reply, ToolCall, Turn
from afterturn.verdicts import Status, Verdict

_NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
_EMPTY = SessionState(tenant="acme", session="s-1", agent="support")
_SUB_AGENT = Agent("form", parent="main", conclusion_tool="done")


def _turn(*, agent: Agent | None = None, called: str | None = None, reply: Reply | None = None) -> Turn:
    calls = (ToolCall(name=called),) if called else ()
    messages = (Message(role="user", text="question"), Message(role="assistant", text="answer", tool_calls=calls))
    return Turn(messages=messages, agent=agent or Agent("support"), tenant="acme", session="s-1", id="t-1", reply=reply)


def _order(minute: int, seq: int = 1) -> TurnOrder:
    return TurnOrder(_NOON + timedelta(minutes=minute), seq)


def _judgement(outcome: Outcome | None, status: Status = "finding", reason: str | None = None) -> Judgement:
    verdict = Verdict(
        tenant="acme",
        agent="support",
        session="s-1",
        turn="t-1",
        classifier="conversation",
        version="1",
        plan="p",
        metric="agent.conversation.verdict",
        status=status,
        reason=reason,
        judge="encoder",
        created_at=_NOON,
    )
    return Judgement(verdict=verdict, outcome=outcome)


def _apply(
    outcome: Outcome | None, state: SessionState = _EMPTY, *, minute: int = 1, turn: Turn | None = None
) -> Applied:
    return apply(state, _order(minute), turn or _turn(), [_judgement(outcome)])


def test_the_latest_title_that_is_not_null_is_the_sessions() -> None:
    first = _apply(Outcome(title="First", categories=()), minute=1).state
    silent = _apply(Outcome(title=None, categories=()), first, minute=2).state
    assert silent.title == "First"
    assert _apply(Outcome(title="Third"), silent, minute=3).state.title == "Third"


def test_a_pinned_title_stays_and_the_answer_is_recorded() -> None:
    pinned = replace(_EMPTY, title="Pinned", title_pinned=True)
    applied = _apply(Outcome(title="Judged"), pinned)
    assert applied.state == pinned
    assert [(event.name, event.data) for event in applied.events] == [
        ("session.title", {"title": "Judged", "applied": False})
    ]


@pytest.mark.parametrize("categories", [("Shipping",), ()])
def test_categories_are_replaced_by_each_answer_even_an_empty_one(categories: tuple[str, ...]) -> None:
    before = _apply(Outcome(categories=("Billing", "Refunds")), minute=1).state
    assert _apply(Outcome(categories=categories), before, minute=2).state.categories == categories


@pytest.mark.parametrize("status", ["error", "skipped"])
def test_an_error_or_a_skip_leaves_everything(status: Status) -> None:
    before = _apply(Outcome(title="Title", categories=("Billing",), sources=("c1",)), minute=1).state
    outcome = Outcome(title="Wrong", categories=(), sources=())
    assert apply(before, _order(2), _turn(), [_judgement(outcome, status, "timeout")]).state == before


def test_an_error_is_an_event_of_its_own() -> None:
    applied = apply(_EMPTY, _order(1), _turn(), [_judgement(None, "error", "refusal")])
    data = {"classifier": "conversation", "code": "refusal", "attempt": 1}
    assert applied.events == (TimelineEvent(name="judgement.failed", at=_NOON, turn="t-1", data=data),)


def test_an_older_turn_that_finishes_late_overwrites_nothing_but_fills_what_is_empty() -> None:
    newer = _apply(Outcome(title="New", categories=("Shipping",)), minute=2).state
    late = _apply(Outcome(title="Old", categories=("Billing",), sources=("c1",)), newer, minute=1).state
    assert (late.title, late.categories) == ("New", ("Shipping",))
    assert late.sources == (SourceRef("c1", "attributed"),)


def test_of_two_turns_of_one_time_the_one_that_arrived_later_is_newer() -> None:
    later = apply(_EMPTY, _order(1, seq=2), _turn(), [_judgement(Outcome(title="Later"))]).state
    assert apply(later, _order(1, seq=1), _turn(), [_judgement(Outcome(title="Earlier"))]).state.title == "Later"


def test_cited_sources_win_over_attributed_ones() -> None:
    turn = _turn(reply=Reply(text="answer", raw="answer [c2]", cited=("c2",)))
    applied = _apply(Outcome(sources=("c1",)), turn=turn)
    assert applied.state.sources == (SourceRef("c2", "cited"),)
    assert applied.events == ()  # the citation was told when the turn was stored


def test_attributed_sources_are_told_and_none_is_an_answer() -> None:
    applied = _apply(Outcome(sources=("c1", "c2")), minute=1)
    assert [(event.name, event.data) for event in applied.events] == [("sources.attributed", {"aliases": ("c1", "c2")})]
    none = _apply(Outcome(sources=()), applied.state, minute=2)
    assert (none.state.sources, none.events) == ((), ())


def test_a_safety_signal_is_told() -> None:
    applied = _apply(Outcome(safety=("self_harm",)))
    assert [(event.name, event.data) for event in applied.events] == [("safety.signal", {"labels": ("self_harm",)})]
    assert _apply(Outcome(safety=())).events == ()


def test_the_classifiers_conclusion_is_for_the_hook() -> None:
    applied = _apply(Outcome(task_concluded=True, handoff_summary="All there."), turn=_turn(agent=_SUB_AGENT))
    assert applied.conclusion == Conclusion(
        tenant="acme", session="s-1", agent="form", parent="main", turn="t-1", handoff_summary="All there."
    )
    assert (applied.state.concluded, applied.state.handoff_summary) == ("classifier", "All there.")
    assert [(event.name, event.data) for event in applied.events] == [("session.concluded", {"by": "classifier"})]


def test_a_second_conclusion_changes_nothing() -> None:
    turn = _turn(agent=_SUB_AGENT)
    first = _apply(Outcome(task_concluded=True, handoff_summary="First."), turn=turn).state
    other = replace(turn, id="t-2")
    again = _apply(Outcome(task_concluded=True, handoff_summary="Second."), first, minute=2, turn=other)
    assert again == Applied(state=first)


def test_the_agents_own_tool_concludes_without_the_hook() -> None:
    turn = _turn(agent=_SUB_AGENT, called="done")
    applied = _apply(Outcome(task_concluded=True, handoff_summary="All there."), turn=turn)
    assert applied.conclusion is None
    assert (applied.state.concluded, applied.state.handoff_summary) == ("tool", "All there.")
    assert [(event.name, event.data) for event in applied.events] == [("session.concluded", {"by": "tool"})]


def test_the_tool_concludes_even_where_the_classifier_errs_and_its_summary_may_come_later() -> None:
    turn = _turn(agent=_SUB_AGENT, called="done")
    assert tells(turn)
    early = apply(_EMPTY, _order(1), turn, [])
    assert (early.state.concluded, early.state.concluded_turn) == ("tool", "t-1")
    erred = apply(early.state, _order(1), turn, [_judgement(None, "error", "timeout")])
    assert [event.name for event in erred.events] == ["judgement.failed"]
    later = _apply(Outcome(task_concluded=True, handoff_summary="All there."), early.state, turn=turn)
    assert later.state.handoff_summary == "All there."
    assert (later.conclusion, later.events) == (None, ())


def test_a_conclusion_tool_that_leaked_as_text_was_not_called() -> None:
    turn = _turn(agent=_SUB_AGENT, reply=Reply(text="Bye.", raw="Bye. done{}", leaks=("done",)))
    assert not tells(turn)
    assert _apply(Outcome(task_concluded=True), turn=turn).conclusion is not None


def test_another_tool_concludes_nothing() -> None:
    assert apply(_EMPTY, _order(1), _turn(agent=_SUB_AGENT, called="search"), []) == Applied(state=_EMPTY)


def test_a_stored_turn_tells_what_the_reply_held() -> None:
    reply = Reply(text="a", raw="a [c1]", cited=("c1",), leaks=("search",), complete=False)
    turn = replace(_turn(reply=reply), created_at=_NOON - timedelta(seconds=3))
    assert [(event.name, event.at, event.data) for event in turn_events(turn, _NOON)] == [
        ("turn.received", _NOON - timedelta(seconds=3), {}),
        ("reply.completed", _NOON, {"complete": False}),
        ("reply.leak_removed", _NOON, {"tools": ("search",)}),
        ("sources.cited", _NOON, {"aliases": ("c1",)}),
    ]


def test_a_turn_without_a_reply_was_received() -> None:
    assert [event.name for event in turn_events(_turn(), _NOON)] == ["turn.received"]
