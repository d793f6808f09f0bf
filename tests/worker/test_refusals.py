"""A database that refuses costs neither a turn nor a second judging, and a wait ends with its error."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable
from typing import Any

import pytest
from verdict_sink import Sink

from afterturn.calls import Planned
from afterturn.errors import StoreError
from afterturn.store import Store, open_store
from afterturn.turns import Turn
from afterturn.worker import Worker

NewTurn = Callable[..., Turn]
Questions = Callable[..., list[Planned]]
Judging = Callable[..., Any]


async def test_a_database_that_refuses_for_good_ends_the_wait_with_its_error(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    def refused(*args: Any, **kwargs: Any) -> Any:
        raise StoreError("the disk is full")

    async with Worker(store, judging(), poll_s=0.001) as worker:
        real, store.claim = store.claim, refused
        await worker.submit(new_turn(1), questions())
        with pytest.raises(StoreError, match="the disk is full"):
            await worker.drain()
        with pytest.raises(StoreError, match="the disk is full"):
            await worker.judged("acme", "t-1")
        store.claim = real  # there is space again: the worker is still there
        await worker.drain()
    assert store.funnel().judged == 1


def _refuse(store: Store, *, at_first: int) -> list[str]:
    """Lets the store refuse to finish so many times; gives the list in which the calls are noted."""
    real = store.finish
    calls: list[str] = []

    def refusing(*args: Any, **kwargs: Any) -> Any:
        calls.append("finish")
        if len(calls) <= at_first:
            raise StoreError("the disk is full", code="full")
        return real(*args, **kwargs)

    store.finish = refusing  # type: ignore[method-assign]
    return calls


async def test_a_finish_that_the_database_refuses_once_is_tried_again_and_nothing_is_judged_twice(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    calls = _refuse(store, at_first=2)
    async with Worker(store, judging(), poll_s=0.01) as worker:
        await worker.submit(new_turn(1), questions())
        (judgement,) = await worker.judged("acme", "t-1")
    assert (judgement.verdict.attempt, len(calls)) == (1, 3)


async def test_a_finish_that_is_refused_three_times_ends_the_wait_long_before_the_lease(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    calls = _refuse(store, at_first=99)
    async with Worker(store, judging(), lease_s=3600, poll_s=0.01) as worker:  # looks in between go well
        await worker.submit(new_turn(1), questions())
        with pytest.raises(StoreError, match="the disk is full"):
            await worker.judged("acme", "t-1")
    assert len(calls) == 3
    with open_store(store._database.path) as again:  # pyright: ignore[reportPrivateUsage]
        assert (again.funnel().stored, again.open_questions()) == (1, 1)


async def test_a_turn_that_cannot_be_stored_is_no_complaint_of_the_loop_where_its_caller_went_away(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    held = threading.Event()

    def refused(*args: Any, **kwargs: Any) -> Any:
        held.wait()
        raise StoreError("the disk is full", code="full")

    store.add_leased = store.add_turn = refused  # type: ignore[method-assign]
    async with Worker(store, judging()) as worker:
        submitting = asyncio.create_task(worker.submit(new_turn(1), questions()))
        await asyncio.sleep(0)
        submitting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await submitting
        held.set()
    gc.collect()
    assert complaints == []


async def test_a_finish_that_the_database_refuses_is_made_good_by_the_lease(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    _refuse(store, at_first=3)
    sink = Sink()
    async with Worker(store, judging(), sinks=[sink], lease_s=0.5, poll_s=0.01) as worker:
        await worker.submit(new_turn(1), questions())
        with pytest.raises(StoreError):
            await worker.judged("acme", "t-1")
        (judgement,) = await worker.judged("acme", "t-1")
    assert judgement.verdict.attempt == 2
    assert sink.verdicts == [judgement.verdict]
