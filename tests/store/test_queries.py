from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from datetime import datetime

import pytest

from afterturn.calls import Planned
from afterturn.store import Filter, Finished, Funnel, Store
from afterturn.turns import Agent, Message, Turn

NewTurn = Callable[..., Turn]
Question = Callable[..., Planned]
Finish = Callable[..., Finished]
PassS = Callable[[float], None]


@pytest.fixture
def filled(store: Store, new_turn: NewTurn, question: Question, finish: Finish, pass_s: PassS) -> Store:
    """Four turns: two judged, one of them an error; one dead; one open; of two tenants and two agents."""
    store.add_turn(new_turn(1), [question(), question("safety")])
    finish(store.claim("a", lease_s=60).claims[0])
    pass_s(60)
    store.add_turn(new_turn(2, session="s-2", agent=Agent("sales")), [question(), question("sources", skip="greeting")])
    finish(store.claim("a", lease_s=60).claims[0], status="error", reason="timeout")
    store.add_turn(new_turn(3, tenant="other"), [question()])
    for _ in range(3):
        (claimed,) = store.claim("a", lease_s=60).claims
        store.fail(claimed, code="provider_error")
    store.add_turn(new_turn(4, tenant="other"), [question()])
    return store


@pytest.mark.parametrize(
    ("narrow", "found"),
    [
        (Filter(), ["t-1 conversation", "t-1 safety", "t-2 conversation", "t-2 sources", "t-3 conversation"]),
        (Filter(tenant="other"), ["t-3 conversation"]),
        (Filter(tenant="acme", agent="sales"), ["t-2 conversation", "t-2 sources"]),
        (Filter(classifier="safety"), ["t-1 safety"]),
        (Filter(session="s-2", status="skipped"), ["t-2 sources"]),
        (Filter(turn="t-1"), ["t-1 conversation", "t-1 safety"]),
        (Filter(status="error"), ["t-2 conversation", "t-3 conversation"]),
        (Filter(tenant="nobody"), []),
    ],
)
def test_verdicts_are_found_by_any_mix_of_filters(filled: Store, narrow: Filter, found: list[str]) -> None:
    verdicts = list(filled.verdicts(narrow))
    assert [f"{one.turn} {one.classifier}" for one in verdicts] == found
    assert list(filled.verdicts(narrow, newest_first=True)) == verdicts[::-1]


def test_since_leaves_out_what_was_judged_before(filled: Store, time: list[datetime]) -> None:
    found = {one.turn for one in filled.verdicts(Filter(since=time[0]))}
    assert found == {"t-2", "t-3"}


def test_turns_are_found_by_tenant_and_time(filled: Store, new_turn: NewTurn) -> None:
    assert [turn.id for turn in filled.turns(Filter(tenant="acme"))] == ["t-1", "t-2"]
    since = new_turn(2).created_at
    assert [turn.id for turn in filled.turns(Filter(since=since))] == ["t-2", "t-3", "t-4"]


def test_the_funnel_counts_every_question_once(filled: Store) -> None:
    funnel = filled.funnel()
    assert funnel == Funnel(
        stored=4,
        planned=6,
        open=1,
        judged=2,
        finding=2,
        skipped=1,
        failed=2,
        dead=1,
        findings={"": 2},
        skips={"greeting": 1},
        failures={"provider_error": 1, "timeout": 1},
    )
    assert funnel.planned == funnel.open + funnel.judged + funnel.skipped + funnel.failed
    assert filled.funnel(Filter(tenant="other")) == Funnel(
        stored=2, planned=2, open=1, judged=0, skipped=0, failed=1, dead=1, failures={"provider_error": 1}
    )
    assert filled.funnel(Filter(classifier="safety")) == Funnel(
        stored=4, planned=1, open=0, judged=1, finding=1, skipped=0, failed=0, dead=0, findings={"": 1}
    )
    assert filled.open_questions() == 1
    assert [one.turn for one in filled.dead_letters()] == ["t-3"]


def test_pages_join_without_a_gap_or_a_double(
    store: Store, new_turn: NewTurn, question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterturn.store._queries.PAGE_TURNS", 3)
    monkeypatch.setattr("afterturn.store._queries.PAGE_ROWS", 4)
    store.add_turns([(new_turn(n), [question(skip="greeting")], ()) for n in range(12)])
    expected = [f"t-{number}" for number in range(12)]
    assert [turn.id for turn in store.turns()] == expected
    assert [one.turn for one in store.verdicts()] == expected
    assert [one.turn for one in store.verdicts(newest_first=True)] == expected[::-1]


def test_turns_may_be_stored_while_an_export_runs(store: Store, new_turn: NewTurn) -> None:
    store.add_turns([(new_turn(n), [], ()) for n in range(60)])
    export = store.turns()
    first = next(export)
    store.add_turn(new_turn(60))
    assert [first.id, *(turn.id for turn in export)] == [f"t-{number}" for number in range(61)]


def test_an_export_takes_no_more_memory_for_more_turns(store: Store, new_turn: NewTurn) -> None:
    messages = (Message(role="user", text="x" * 10_000),)

    def peak() -> int:
        tracemalloc.start()
        count = sum(1 for _ in store.turns())
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == store.funnel().stored
        return used

    store.add_turns([(new_turn(n, messages=messages), [], ()) for n in range(100)])
    peak()  # caches fill
    few = peak()
    store.add_turns([(new_turn(n, messages=messages), [], ()) for n in range(100, 600)])
    assert peak() < 1.5 * few


def test_the_last_turn_of_a_session_is_the_newest_by_its_message(store: Store, new_turn: NewTurn) -> None:
    for number in (2, 3, 1):
        store.add_turn(new_turn(number))
    store.add_turn(new_turn(9, session="s-2"))
    last = store.last_turn("acme", "s-1")
    assert last is not None
    assert last.id == "t-3"
    assert store.last_turn("other", "s-1") is None
