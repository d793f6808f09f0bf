from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from afterturn.calls import Planned
from afterturn.mood import NO_MOOD, Mood
from afterturn.outcomes import Outcome
from afterturn.store import Conclusion, Finished, Store, open_store
from afterturn.turns import Agent, Turn

NewTurn = Callable[..., Turn]
Question = Callable[..., Planned]
PassS = Callable[[float], None]
Finish = Callable[..., Finished]


def _sub_agent(turn: Turn) -> Turn:
    return replace(turn, agent=Agent("form", parent="main", conclusion_tool="done"))


def test_an_older_turn_that_finishes_late_does_not_overwrite_the_newer_one(
    store: Store, new_turn: NewTurn, question: Question, finish: Finish
) -> None:
    store.add_turn(new_turn(1), [question()])
    store.add_turn(new_turn(2), [question()])
    old, new = store.claim("a", lease_s=60, limit=2).claims
    finish(new, Outcome(title="New", categories=("Shipping",)))
    finish(old, Outcome(title="Old", categories=("Billing",), sources=("c1",)))
    state = store.session("acme", "s-1")
    assert state is not None
    assert (state.title, state.categories) == ("New", ("Shipping",))
    assert state.sources == (("c1", "attributed"),)  # the newer turn said nothing of sources
    applied = [event.data.get("applied") for event in store.timeline("acme", "s-1") if event.name == "session.title"]
    assert applied == [True, False]


def test_of_two_turns_of_the_same_time_the_later_stored_is_the_newer(
    store: Store, new_turn: NewTurn, question: Question, finish: Finish
) -> None:
    first = new_turn(1)
    store.add_turn(first, [question()])
    store.add_turn(replace(new_turn(2), created_at=first.created_at), [question()])
    one, two = store.claim("a", lease_s=60, limit=2).claims
    finish(two, Outcome(title="Two"))
    finish(one, Outcome(title="One"))
    state = store.session("acme", "s-1")
    assert state is not None
    assert state.title == "Two"


def test_a_pinned_title_stays_until_it_is_unpinned(
    store: Store, new_turn: NewTurn, question: Question, finish: Finish
) -> None:
    store.add_turn(new_turn(1), [question()])
    assert store.pin_title("acme", "s-1", "Pinned")
    finish(store.claim("a", lease_s=60).claims[0], Outcome(title="Judged"))
    state = store.session("acme", "s-1")
    assert state is not None
    assert (state.title, state.title_pinned) == ("Pinned", True)
    assert store.pin_title("acme", "s-1", None)
    store.add_turn(new_turn(2), [question()])
    finish(store.claim("a", lease_s=60).claims[0], Outcome(title="Judged again"))
    state = store.session("acme", "s-1")
    assert state is not None
    assert (state.title, state.title_pinned) == ("Judged again", False)


def test_a_title_of_no_session_cannot_be_pinned(store: Store) -> None:
    assert not store.pin_title("acme", "nowhere", "Title")


def test_another_tenant_sees_nothing(store: Store, new_turn: NewTurn, question: Question, finish: Finish) -> None:
    store.add_turn(new_turn(1), [question()])
    finish(store.claim("a", lease_s=60).claims[0], Outcome(title="Title"))
    assert store.session("other", "s-1") is None
    assert store.timeline("other", "s-1") == ()
    assert store.judged("other", "t-1") is None
    assert store.turn("other", "t-1") is None


def test_a_conclusion_is_told_until_it_was_heard(
    store: Store,
    new_turn: NewTurn,
    question: Question,
    finish: Finish,
    pass_s: PassS,
) -> None:
    store.add_turn(_sub_agent(new_turn(1)), [question("conclusion")])
    finish(store.claim("a", lease_s=60).claims[0], Outcome(task_concluded=True, handoff_summary="All collected."))
    expected = Conclusion(
        tenant="acme", session="s-1", agent="form", parent="main", turn="t-1", handoff_summary="All collected."
    )
    assert store.claim_conclusion(lease_s=60) == (expected, 1)
    assert store.claim_conclusion(lease_s=60) is None  # somebody is telling it
    pass_s(61)
    assert store.claim_conclusion(lease_s=60) == (expected, 2)  # who told it died
    store.conclusion_unheard(expected, delay_s=5)
    assert store.claim_conclusion(lease_s=60) is None
    pass_s(5)
    assert store.claim_conclusion(lease_s=60) == (expected, 3)
    store.conclusion_heard(expected)
    pass_s(999)
    assert store.claim_conclusion(lease_s=60) is None
    assert store.unheard_conclusions() == 0


def test_a_session_concludes_once(store: Store, new_turn: NewTurn, question: Question, finish: Finish) -> None:
    for number in (1, 2):
        store.add_turn(_sub_agent(new_turn(number)), [question("conclusion")])
        finish(store.claim("a", lease_s=60).claims[0], Outcome(task_concluded=True, handoff_summary=f"Part {number}."))
    assert store.unheard_conclusions() == 1
    state = store.session("acme", "s-1")
    assert state is not None
    assert (state.concluded, state.concluded_turn, state.handoff_summary) == ("classifier", "t-1", "Part 1.")
    assert [event.name for event in store.timeline("acme", "s-1")] == ["session.concluded"]


def test_a_timeline_is_read_under_the_names_of_the_host(
    store: Store, new_turn: NewTurn, question: Question, finish: Finish
) -> None:
    store.add_turn(new_turn(1), [question()])
    finish(store.claim("a", lease_s=60).claims[0], Outcome(title="Title"))
    (event,) = store.timeline("acme", "s-1", event_names={"session.title": "report_title"})
    assert (event.name, event.data) == ("report_title", {"title": "Title", "applied": True})


def test_the_mood_of_a_session_is_kept_over_a_restart_and_an_older_turn_does_not_change_it(
    path: Path, store: Store, new_turn: NewTurn, question: Question, finish: Finish
) -> None:
    for number in (1, 2, 3):
        store.add_turn(new_turn(number), [question("ai_frustration")])
    first, late, third = store.claim("a", lease_s=60, limit=3).claims
    finish(first, Outcome(sentiment=0.5, frustration="none", wants_human=False))
    finish(third, Outcome(sentiment=-0.75, frustration="ai", wants_human=False))
    store.close()
    kept = Mood(advice="hand_off", reason="ai_frustration", sentiment=-0.75, best=0.5, calm=0)
    with open_store(path) as again:
        state = again.session("acme", "s-1")
        assert state is not None
        assert state.mood == kept
        assert state.mood_order == third.order
        told = [event.data for event in again.timeline("acme", "s-1") if event.name == "session.advice"]
        assert told == [{"advice": "hand_off", "reason": "ai_frustration"}]
        assert late.turn.id == "t-2"


def test_a_session_that_nobody_was_unhappy_in_has_no_mood(store: Store, new_turn: NewTurn) -> None:
    store.add_turn(new_turn(1))
    state = store.session("acme", "s-1")
    assert state is not None
    assert (state.mood, state.mood_order) == (NO_MOOD, None)
