from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from afterturn import failopen
from afterturn.calls import Planned
from afterturn.outcomes import Outcome
from afterturn.store import Conclusion, Store, TimelineEvent
from afterturn.turns import Agent, Turn
from afterturn.worker import Hooks, Worker, ingest

NewTurn = Callable[..., Turn]
Questions = Callable[..., list[Planned]]
Judging = Callable[..., Any]

_FORM = Agent("form", parent="main", conclusion_tool="done")
_CONCLUDED = Outcome(task_concluded=True, handoff_summary="All collected.")
_EXPECTED = Conclusion(
    tenant="acme", session="s-1", agent="form", parent="main", turn="t-1", handoff_summary="All collected."
)


@pytest.mark.parametrize("kind", ["coroutine", "plain"])
async def test_a_conclusion_is_told_once(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging, kind: str
) -> None:
    heard: list[Conclusion] = []

    async def coroutine(conclusion: Conclusion) -> None:
        heard.append(conclusion)

    def plain(conclusion: Conclusion) -> None:
        assert threading.current_thread() is not threading.main_thread()  # it may block
        heard.append(conclusion)

    hooks = Hooks(on_conclusion=coroutine if kind == "coroutine" else plain)
    async with Worker(store, judging(_CONCLUDED), hooks=hooks) as worker:
        await worker.submit(new_turn(1, agent=_FORM), questions("conclusion"))
        await worker.submit(new_turn(2, agent=_FORM), questions("conclusion"))
        await worker.drain()
    assert heard == [_EXPECTED]


async def test_a_conclusion_that_nobody_heard_is_told_by_the_next_worker(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    async with Worker(store, judging(_CONCLUDED)) as worker:
        await worker.submit(new_turn(1, agent=_FORM), questions("conclusion"))
        await worker.drain()
    heard: list[Conclusion] = []
    async with Worker(store, judging(), hooks=Hooks(on_conclusion=lambda one: heard.append(one))) as worker:
        await worker.drain()
    assert heard == [_EXPECTED]


async def test_a_hook_that_fails_is_told_again_and_given_up_after_the_last_attempt(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    calls = 0

    def failing(conclusion: Conclusion) -> None:
        nonlocal calls
        calls += 1
        raise RuntimeError("the host is down")

    before = failopen.counts["hooks.on_conclusion"]
    async with Worker(store, judging(_CONCLUDED), hooks=Hooks(on_conclusion=failing), retry_s=0, poll_s=0.01) as worker:
        await worker.submit(new_turn(1, agent=_FORM), questions("conclusion"))
        await worker.drain()
    assert calls == failopen.counts["hooks.on_conclusion"] - before == 3
    assert store.unheard_conclusions() == 0
    assert store.funnel().judged == 1


async def test_a_hook_that_hangs_does_not_hold_up_the_judging(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    async def hanging(conclusion: Conclusion) -> None:
        await asyncio.Event().wait()

    async with Worker(store, judging(_CONCLUDED), hooks=Hooks(on_conclusion=hanging)) as worker:
        await worker.submit(new_turn(1, agent=_FORM), questions("conclusion"))
        await worker.judged("acme", "t-1")
        await worker.submit(new_turn(2, agent=_FORM, session="s-2"), questions("conclusion"))
        await worker.judged("acme", "t-2")
    assert store.unheard_conclusions() == 2  # none was heard, so both are still to be told


async def test_events_are_heard_in_order_under_the_names_of_the_host(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    heard: list[tuple[str, str, str]] = []

    def hear(tenant: str, session: str, event: TimelineEvent) -> None:
        heard.append((tenant, session, event.name))

    names = {"session.title": "report_title"}
    async with Worker(
        store, judging(Outcome(title="T", categories=())), hooks=Hooks(on_event=hear), event_names=names
    ) as worker:
        await worker.submit(new_turn(1), questions())
        await worker.drain()
    assert heard == [
        ("acme", "s-1", "turn.received"),
        ("acme", "s-1", "report_title"),
        ("acme", "s-1", "session.categories"),
    ]
    stored = [event.name for event in store.timeline("acme", "s-1")]
    assert sorted(stored) == ["session.categories", "session.title", "turn.received"]  # names are mapped when read


async def test_an_event_hook_that_fails_changes_nothing(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    def failing(tenant: str, session: str, event: TimelineEvent) -> None:
        raise RuntimeError

    async with Worker(store, judging(), hooks=Hooks(on_event=failing)) as worker:
        await worker.submit(new_turn(1), questions())
        await worker.drain()
    assert store.funnel().judged == 1


def test_ingest_without_a_worker_stores_the_events_of_the_turn(
    store: Store, new_turn: NewTurn, questions: Questions
) -> None:
    guard = TimelineEvent(name="guard.checked", at=store.clock(), turn="t-1", data={"flagged": False})
    told = ingest(store, new_turn(1), questions(), events=[guard])
    assert told is not None
    assert [event.name for event in told] == ["turn.received", "guard.checked"]
    assert ingest(store, new_turn(1), questions()) is None
    assert [event.name for event in store.timeline("acme", "s-1")] == ["turn.received", "guard.checked"]
