"""A turn that its own process stores is leased in the same transaction, and judged without being read back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from afterturn.calls import Planned
from afterturn.store import Claim, Claims, Store, open_store
from afterturn.turns import Agent, Message, Passage, Reply, Turn
from afterturn.worker import Worker

NewTurn = Callable[..., Turn]
Questions = Callable[..., list[Planned]]
Judging = Callable[..., Any]


class Watched:
    """Is a store that counts what is claimed, and holds up what it stores until the test lets it."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.claimed: list[str] = []
        self.let = Event()
        self.let.set()
        claim, add = store.claim, store.add_leased

        def claiming(*arguments: Any, **options: Any) -> Claims:
            found = claim(*arguments, **options)
            self.claimed += [one.turn.id for one in found.claims]
            return found

        def adding(*arguments: Any, **options: Any) -> Claim | None:
            self.let.wait()
            return add(*arguments, **options)

        monkeypatch.setattr(store, "claim", claiming)
        monkeypatch.setattr(store, "add_leased", adding)


@pytest.fixture
def watched(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    found = Watched(store, monkeypatch)
    yield found
    found.let.set()


async def _rested(worker: Worker) -> None:
    """Waits until the worker has looked for older work and found none: then its store thread is idle again."""
    await worker.drain()
    run = worker._run  # pyright: ignore[reportPrivateUsage]
    assert run is not None
    while run.hungry:  # noqa: ASYNC110  # the look is over, and its task has yet to read the answer
        await asyncio.sleep(0)


async def test_a_turn_is_judged_as_it_was_given_without_being_claimed(
    store: Store, watched: Watched, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    turn, seen = new_turn(1), list[Turn]()

    async def first(given: Turn, attempt: int) -> None:
        seen.append(given)

    async with Worker(store, judging(first=first)) as worker:
        await _rested(worker)
        await worker.submit(turn, questions())
        await worker.drain()
    assert [given is turn for given in seen] == [True]
    assert watched.claimed == []
    assert store.funnel().judged == 1


async def test_where_older_work_waits_a_turn_takes_its_place_behind_it(
    store: Store, watched: Watched, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    store.add_turns([(new_turn(number), questions(), ()) for number in range(5)])
    judge = judging()
    async with Worker(store, judge, concurrency=1) as worker:
        await worker.submit(new_turn(5), questions())
        await worker.drain()
    assert [asked[0] for asked in judge.asked] == watched.claimed == [f"t-{number}" for number in range(6)]


async def test_turns_stored_at_once_are_no_more_than_may_be_judged_at_once(
    store: Store, watched: Watched, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    running, most, let = set[str](), 0, asyncio.Event()

    async def first(turn: Turn, attempt: int) -> None:
        nonlocal most
        running.add(turn.id)
        most = max(most, len(running))
        await let.wait()
        running.discard(turn.id)

    async with Worker(store, judging(first=first), concurrency=3) as worker:
        await _rested(worker)
        await asyncio.gather(*(worker.submit(new_turn(number), questions()) for number in range(12)))
        assert (most, watched.claimed) == (3, [])
        let.set()
        await worker.drain()
    assert most == 3
    assert len(watched.claimed) == 9
    assert store.funnel().judged == 12


async def test_a_turn_whose_sender_is_cancelled_while_it_is_stored_is_judged(
    store: Store, watched: Watched, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    asked = asyncio.Event()

    async def first(turn: Turn, attempt: int) -> None:
        asked.set()

    judge = judging(first=first)
    async with Worker(store, judge) as worker:
        await _rested(worker)
        watched.let.clear()
        sending = asyncio.create_task(worker.submit(new_turn(1), questions()))
        await asyncio.sleep(0)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        watched.let.set()
        await asked.wait()
        await worker.drain()
    assert (judge.asked, watched.claimed) == ([("t-1", ("conversation",), 1)], [])
    assert store.funnel().judged == 1


async def test_a_stop_gives_back_what_was_being_stored(
    store: Store, watched: Watched, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    async def hangs(turn: Turn, attempt: int) -> None:
        await asyncio.Event().wait()

    worker = Worker(store, judging(first=hangs))
    await worker.start()
    await _rested(worker)
    watched.let.clear()
    sending = asyncio.create_task(worker.submit(new_turn(1), questions()))
    await asyncio.sleep(0)
    stopping = asyncio.create_task(worker.stop())
    await asyncio.sleep(0)
    watched.let.set()
    await asyncio.gather(sending, stopping)
    (claimed,) = store.claim("next", lease_s=60).claims
    assert (claimed.turn.id, claimed.attempt) == ("t-1", 1)


async def test_no_variable_of_the_senders_context_shows_while_its_turn_is_judged(
    store: Store, watched: Watched, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    request: ContextVar[str] = ContextVar("request", default="none")
    seen: list[str] = []

    async def first(turn: Turn, attempt: int) -> None:
        seen.append(request.get())

    async with Worker(store, judging(first=first)) as worker:
        await _rested(worker)
        request.set("a customer's")
        await worker.submit(new_turn(1), questions())
        await worker.drain()
    assert (seen, watched.claimed) == (["none"], [])


_HALF = "half \ud83d pair"


@pytest.mark.parametrize(
    "fields",
    [
        {"messages": (Message(role="user", text=_HALF),)},
        {"messages": (Message(role="user", text="hi"), Message(role="assistant", refusal=_HALF))},
        {"agent": Agent("support", instructions=_HALF)},
        {"agent": Agent("support", categories=(_HALF,))},
        {"agent": Agent("support", categories=("a",), category_descriptions={"a": _HALF})},
        {"passages": (Passage(alias="c1", text=_HALF),)},
        {"passages": (Passage(alias="c1", text="text", title=_HALF),)},
        {"passages": (Passage(alias="", text="text"),)},
        {"reply": Reply(text=_HALF, raw="raw")},
    ],
    ids=["message", "refusal", "scope", "category", "description", "passage", "title", "alias", "reply"],
)
async def test_a_turn_that_the_store_would_not_give_back_as_it_is_is_read_from_there(
    fields: dict[str, Any],
    store: Store,
    watched: Watched,
    new_turn: NewTurn,
    questions: Questions,
    judging: Judging,
) -> None:
    seen: list[Turn] = []

    async def first(turn: Turn, attempt: int) -> None:
        seen.append(turn)

    async with Worker(store, judging(first=first)) as worker:
        await _rested(worker)
        await worker.submit(new_turn(1, **fields), questions())
        await worker.drain()
    assert watched.claimed == ["t-1"]
    assert seen == [store.turn("acme", "t-1")]


def test_a_worker_that_dies_leaves_the_turn_to_the_end_of_its_lease(
    path: Path, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    async def dies(turn: Turn, attempt: int) -> None:
        asyncio.get_running_loop().stop()
        await asyncio.Event().wait()

    with open_store(path) as store:
        loop = asyncio.new_event_loop()
        worker = Worker(store, judging(first=dies), lease_s=0.2)

        async def lives() -> None:
            await worker.start()
            await _rested(worker)
            await worker.submit(new_turn(1), questions())

        loop.create_task(lives())  # noqa: RUF006
        loop.run_forever()  # until the judging stops the loop: nothing of this worker runs any more
        judge = judging()

        async def another() -> None:
            async with Worker(store, judge, poll_s=0.02) as second:
                await second.drain()

        asyncio.run(another())
        assert judge.asked == [("t-1", ("conversation",), 2)]
        assert store.funnel().judged == 1
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.01))
        loop.close()
