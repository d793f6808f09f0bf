from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from afterturn.calls import Planned
from afterturn.outcomes import Judgement, Outcome
from afterturn.session import apply
from afterturn.store import Filter, Finished, Lease, Store, TurnOrder, open_store
from afterturn.turns import Turn

NewTurn = Callable[..., Turn]
Question = Callable[..., Planned]
Answer = Callable[..., Judgement]
Now = Callable[[], datetime]
PassS = Callable[[float], None]
Finish = Callable[..., Finished]


def test_a_turn_is_claimed_by_one_worker_at_a_time(store: Store, new_turn: NewTurn, question: Question) -> None:
    store.add_turn(new_turn(1), [question(), question("safety")])
    (claimed,) = store.claim("a", lease_s=60).claims
    assert [one.classifier for one in claimed.planned] == ["conversation", "safety"]
    assert (claimed.attempt, claimed.turn.id) == (1, "t-1")
    assert store.claim("b", lease_s=60).claims == ()


def test_turns_are_claimed_in_the_order_of_arrival(store: Store, new_turn: NewTurn, question: Question) -> None:
    store.add_turns([(new_turn(number), [question(), question("safety")], ()) for number in range(1, 6)])
    assert [one.turn.id for one in store.claim("a", lease_s=60, limit=2).claims] == ["t-1", "t-2"]
    assert [one.turn.id for one in store.claim("b", lease_s=60, limit=9).claims] == ["t-3", "t-4", "t-5"]


def test_an_expired_lease_is_taken_over_whoever_held_it(
    store: Store, new_turn: NewTurn, question: Question, pass_s: PassS
) -> None:
    store.add_turn(new_turn(1), [question()])
    store.claim("a", lease_s=60)
    pass_s(59)
    assert store.claim("b", lease_s=60).claims == ()
    pass_s(1)
    (claimed,) = store.claim("b", lease_s=60).claims
    assert (claimed.owner, claimed.attempt) == ("b", 2)


def test_a_clock_that_is_set_back_keeps_no_untried_turn_waiting(
    store: Store, new_turn: NewTurn, question: Question, pass_s: PassS
) -> None:
    for number in (1, 2, 3):
        store.add_turn(new_turn(number), [question(), question("safety")])
    (tried,) = store.claim("a", lease_s=60).claims
    store.fail(tried, code="timeout", delay_s=2)
    (given_back,) = store.claim("a", lease_s=60).claims
    store.release(given_back)
    pass_s(-3600)
    found = store.claim("b", lease_s=60, limit=9).claims
    assert [(one.turn.id, one.attempt, len(one.planned)) for one in found] == [("t-2", 1, 2), ("t-3", 1, 2)]
    assert store.claim("c", lease_s=60, limit=9).claims == ()
    pass_s(3602)
    assert [one.turn.id for one in store.claim("c", lease_s=60, limit=9).claims] == ["t-2", "t-3", "t-1"]


def test_a_heartbeat_keeps_the_lease(store: Store, new_turn: NewTurn, question: Question, pass_s: PassS) -> None:
    store.add_turn(new_turn(1), [question()])
    claims = store.claim("a", lease_s=60).claims
    pass_s(50)
    assert store.heartbeat("a", claims, lease_s=60) == {claims[0].key}
    pass_s(50)
    assert store.claim("b", lease_s=60).claims == ()


def test_a_heartbeat_tells_that_the_lease_is_lost(
    store: Store, new_turn: NewTurn, question: Question, pass_s: PassS
) -> None:
    store.add_turn(new_turn(1), [question()])
    claims = store.claim("a", lease_s=60).claims
    pass_s(61)
    store.claim("b", lease_s=60)
    assert store.heartbeat("a", claims, lease_s=60) == frozenset()


def test_a_turn_leased_as_it_is_stored_is_as_one_that_was_claimed(
    store: Store, new_turn: NewTurn, question: Question, pass_s: PassS
) -> None:
    planned = [question(), question("sources", skip="no_passages")]
    created_at = datetime(2026, 11, 30, 9, 1, tzinfo=UTC)
    held = store.add_leased(new_turn(1, created_at=created_at), planned, Lease(owner="a", lease_s=60))
    assert held is not None
    store.add_turn(new_turn(2), planned)
    (claimed,) = store.claim("a", lease_s=60).claims
    assert (held.planned, held.attempt, held.owner) == (claimed.planned, claimed.attempt, claimed.owner)
    assert (held.turn, held.order) == (store.turn("acme", "t-1"), TurnOrder(created_at, held.key))
    assert store.heartbeat("a", [held, claimed], lease_s=60) == {held.key, claimed.key}
    store.release(held)
    assert [one.attempt for one in store.claim("b", lease_s=60).claims] == [1]
    pass_s(60)
    assert sorted(one.attempt for one in store.claim("c", lease_s=60, limit=2).claims) == [2, 2]


def test_a_turn_that_is_stored_already_is_not_leased_again(store: Store, new_turn: NewTurn, question: Question) -> None:
    store.add_turn(new_turn(1), [question()])
    assert store.add_leased(new_turn(1), [question()], Lease(owner="a", lease_s=60)) is None
    assert [one.owner for one in store.claim("b", lease_s=60).claims] == ["b"]


def test_a_finish_stores_verdict_outcome_and_session_together(
    store: Store, new_turn: NewTurn, question: Question, finish: Finish
) -> None:
    store.add_turn(new_turn(1), [question()])
    (claimed,) = store.claim("a", lease_s=60).claims
    outcome = Outcome(title="A title", categories=("Billing",), safety=(), extra={"mood": ["calm"]})
    finished = finish(claimed, outcome, confidence=80, confidence_source="encoder", label="billing", latency_ms=1.5)
    judged = store.judged("acme", "t-1")
    assert judged is not None
    assert (judged.judgements, judged.open) == (finished.judgements, 0)
    assert judged.judgements[0].outcome == outcome
    state = store.session("acme", "s-1")
    assert state is not None
    assert (state.title, state.categories) == ("A title", ("Billing",))
    assert [event.name for event in store.timeline("acme", "s-1")] == ["session.title", "session.categories"]


def test_two_workers_that_finish_the_same_turn_apply_it_once(
    store: Store,
    new_turn: NewTurn,
    question: Question,
    answer: Answer,
    finish: Finish,
    pass_s: PassS,
) -> None:
    store.add_turn(new_turn(1), [question()])
    (slow,) = store.claim("a", lease_s=60).claims
    pass_s(61)
    (quick,) = store.claim("b", lease_s=60).claims
    first = finish(slow, Outcome(title="First"))  # the answer is as good as the other's, though the lease is lost
    assert len(first.judgements) == 1
    assert finish(quick, Outcome(title="Second")) == Finished()
    (verdict,) = store.verdicts()
    assert verdict.attempt == 1
    state = store.session("acme", "s-1")
    assert state is not None
    assert state.title == "First"
    assert [event.name for event in store.timeline("acme", "s-1")] == ["session.title"]


def test_a_judge_that_answers_for_another_fills_the_row_of_the_planned_one(
    store: Store, new_turn: NewTurn, question: Question, finish: Finish
) -> None:
    store.add_turn(new_turn(1), [question(judge="cascade")])
    (claimed,) = store.claim("a", lease_s=60).claims
    finish(claimed, judge="openai:small")
    (verdict,) = store.verdicts()
    assert verdict.judge == "openai:small"
    assert store.open_questions() == 0


def test_two_judges_asked_the_same_question_have_a_row_each(
    store: Store,
    new_turn: NewTurn,
    question: Question,
    answer: Answer,
    finish: Finish,
) -> None:
    store.add_turn(new_turn(1), [question(judge="a"), question(judge="b")])
    (claimed,) = store.claim("w", lease_s=60).claims
    judgements = [answer(claimed, claimed.planned[1], confidence=2), answer(claimed, confidence=1)]
    store.finish(claimed, judgements, apply)
    assert [(verdict.judge, verdict.confidence) for verdict in store.verdicts()] == [("a", 1), ("b", 2)]


def test_a_released_claim_is_due_at_once_and_counts_as_no_attempt(
    store: Store, new_turn: NewTurn, question: Question
) -> None:
    store.add_turn(new_turn(1), [question()])
    (claimed,) = store.claim("a", lease_s=60).claims
    store.release(claimed)
    (again,) = store.claim("b", lease_s=60).claims
    assert again.attempt == 1


def test_a_failed_attempt_waits_and_the_last_one_is_a_dead_letter(
    store: Store, new_turn: NewTurn, question: Question, pass_s: PassS
) -> None:
    store.add_turn(new_turn(1), [question(), question("safety")])
    for attempt in (1, 2):
        (claimed,) = store.claim("a", lease_s=60).claims
        assert claimed.attempt == attempt
        assert store.fail(claimed, code="provider_error", delay_s=5) == ()
        assert store.claim("a", lease_s=60).claims == ()
        pass_s(5)
    (claimed,) = store.claim("a", lease_s=60).claims
    verdicts = store.fail(claimed, code="rate_limited", delay_s=5)
    assert [(one.classifier, one.status, one.reason, one.attempt) for one in verdicts] == [
        ("conversation", "error", "rate_limited", 3),
        ("safety", "error", "rate_limited", 3),
    ]
    assert tuple(store.dead_letters()) == tuple(store.verdicts()) == verdicts
    assert store.open_questions() == 0
    funnel = store.funnel()
    assert (funnel.failed, funnel.dead) == (2, 2)
    assert [event.name for event in store.timeline("acme", "s-1")] == ["judgement.failed"] * 2


def test_a_turn_that_kills_every_worker_becomes_a_dead_letter(
    store: Store, new_turn: NewTurn, question: Question, pass_s: PassS
) -> None:
    store.add_turn(new_turn(1), [question()])
    for owner in ("a", "b", "c"):
        assert len(store.claim(owner, lease_s=60).claims) == 1
        pass_s(60)
    store.add_turn(new_turn(2), [question()])
    claims = store.claim("d", lease_s=60, limit=5)
    assert [one.turn.id for one in claims.claims] == ["t-2"]
    assert [(one.turn, one.status, one.reason, one.attempt) for one in claims.dead] == [("t-1", "error", "timeout", 3)]
    assert tuple(store.dead_letters(Filter(tenant="acme"))) == claims.dead


def test_a_late_answer_to_a_dead_letter_changes_nothing(
    store: Store,
    new_turn: NewTurn,
    question: Question,
    finish: Finish,
    pass_s: PassS,
) -> None:
    store.add_turn(new_turn(1), [question()])
    for owner in ("a", "b", "c"):
        (claimed,) = store.claim(owner, lease_s=60).claims
        pass_s(60)
    store.claim("d", lease_s=60)
    assert finish(claimed, Outcome(title="Late")) == Finished()
    (verdict,) = store.verdicts()
    assert verdict.status == "error"


def test_a_damaged_turn_is_buried_and_the_others_are_claimed(
    store: Store, path: Path, new_turn: NewTurn, question: Question
) -> None:
    store.add_turns([(new_turn(1), [question()], ()), (new_turn(2), [question()], ())])
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE turns SET body = '{' WHERE id = 't-1'")
    raw.close()
    claims = store.claim("a", lease_s=60, limit=5)
    assert [one.turn.id for one in claims.claims] == ["t-2"]
    assert [(one.turn, one.reason) for one in claims.dead] == [("t-1", "invalid_json")]


def test_a_second_process_sees_the_lease_and_the_work(
    store: Store,
    path: Path,
    new_turn: NewTurn,
    question: Question,
    now: Now,
) -> None:
    store.add_turn(new_turn(1), [question()])
    with open_store(path, clock=now) as other:
        assert len(other.claim("b", lease_s=60).claims) == 1
        assert store.claim("a", lease_s=60).claims == ()
