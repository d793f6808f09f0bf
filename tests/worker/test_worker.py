from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from verdict_sink import Sink

from afterturn import failopen
from afterturn.calls import Planned
from afterturn.errors import JudgeError, JudgeMissingError, RateLimitedError, UsageError
from afterturn.outcomes import Judgement, Outcome
from afterturn.store import Finished, Store, open_store
from afterturn.turns import Message, Turn
from afterturn.verdicts import Verdict
from afterturn.worker import Worker

NewTurn = Callable[..., Turn]
Questions = Callable[..., list[Planned]]
Judging = Callable[..., Any]


async def test_a_submitted_turn_is_judged_stored_and_published(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    sink = Sink()
    planned = [*questions("conversation", "safety"), *questions("sources", skip="no_passages")]
    async with Worker(store, judging(Outcome(title="Title")), sinks=[sink]) as worker:
        assert await worker.submit(new_turn(1), planned)
        judgements = await worker.judged("acme", "t-1")
        await worker.drain()
    assert [one.verdict.classifier for one in judgements] == ["conversation", "safety", "sources"]
    assert [one.outcome for one in judgements] == [Outcome(title="Title"), Outcome(title="Title"), None]
    assert sink.verdicts == [judgements[2].verdict, judgements[0].verdict, judgements[1].verdict]
    state = store.session("acme", "s-1")
    assert state is not None
    assert state.title == "Title"


async def test_a_turn_sent_twice_is_judged_once(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    judge, sink = judging(), Sink()
    async with Worker(store, judge, sinks=[sink]) as worker:
        assert await worker.submit(new_turn(1), questions())
        assert not await worker.submit(new_turn(1), questions())
        await worker.drain()
    assert judge.asked == [("t-1", ("conversation",), 1)]
    assert len(sink.verdicts) == 1


async def test_what_waits_in_the_store_is_judged_when_a_worker_starts(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    store.add_turns([(new_turn(number), questions(), ()) for number in range(20)])
    judge = judging()
    async with Worker(store, judge) as worker:
        await worker.drain()
    assert sorted(judge.asked) == sorted((f"t-{number}", ("conversation",), 1) for number in range(20))
    assert store.funnel().judged == 20


async def test_no_more_turns_are_judged_at_once_than_allowed(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    store.add_turns([(new_turn(number), questions(), ()) for number in range(9)])
    running: set[str] = set()
    most = 0

    async def first(turn: Turn, attempt: int) -> None:
        nonlocal most
        running.add(turn.id)
        most = max(most, len(running))
        for _ in range(20):
            await asyncio.sleep(0)
        running.discard(turn.id)

    async with Worker(store, judging(first=first), concurrency=3) as worker:
        await worker.drain()
    assert most == 3


@pytest.mark.parametrize(
    ("error", "code", "attempts"),
    [
        (JudgeMissingError("no key"), "judge_missing", 1),
        (RateLimitedError("CANARY", transient=True), "rate_limited", 3),
        (TimeoutError("CANARY"), "timeout", 3),
        (ValueError("CANARY"), "provider_error", 3),
        (type("PanicException", (BaseException,), {})("CANARY"), "provider_error", 3),
    ],
    ids=["no retry helps", "a retry may help", "timeout", "a bug", "an error beside Exception"],
)
async def test_whatever_the_judging_raises_ends_in_one_error_verdict_a_question(
    store: Store,
    new_turn: NewTurn,
    questions: Questions,
    judging: Judging,
    error: BaseException,
    code: str,
    attempts: int,
) -> None:
    async def first(turn: Turn, attempt: int) -> None:
        raise error

    judge, sink = judging(first=first), Sink()
    async with Worker(store, judge, sinks=[sink], retry_s=0, poll_s=0.01) as worker:
        await worker.submit(new_turn(1), questions("conversation", "safety"))
        judgements = await worker.judged("acme", "t-1")
    found = [(one.verdict.status, one.verdict.reason, one.verdict.attempt) for one in judgements]
    assert found == [("error", code, attempts)] * 2
    assert len(judge.asked) == attempts
    assert sink.verdicts == [one.verdict for one in judgements]
    assert "CANARY" not in repr(judgements)


async def test_an_attempt_that_succeeds_after_one_that_failed_gives_the_verdict(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    async def first(turn: Turn, attempt: int) -> None:
        if attempt == 1:
            raise JudgeError("down", transient=True)

    async with Worker(store, judging(first=first), retry_s=0, poll_s=0.01) as worker:
        await worker.submit(new_turn(1), questions())
        (judgement,) = await worker.judged("acme", "t-1")
    assert (judgement.verdict.status, judgement.verdict.attempt) == ("finding", 2)


async def test_a_judging_that_hangs_meets_the_deadline(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    async def first(turn: Turn, attempt: int) -> None:
        await asyncio.Event().wait()

    async with Worker(store, judging(first=first), deadline_s=0.01, retry_s=0, poll_s=0.01) as worker:
        await worker.submit(new_turn(1), questions())
        (judgement,) = await worker.judged("acme", "t-1")
    assert (judgement.verdict.status, judgement.verdict.reason) == ("error", "timeout")


async def test_a_question_that_the_judging_forgets_is_an_error(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    judge = judging()

    async def forgetful(turn: Turn, planned: tuple[Planned, ...], attempt: int) -> tuple[Judgement, ...]:
        return (await judge(turn, planned, attempt))[:1]

    async with Worker(store, forgetful) as worker:
        await worker.submit(new_turn(1), questions("conversation", "safety"))
        judgements = await worker.judged("acme", "t-1")
    assert [(one.verdict.classifier, one.verdict.status) for one in judgements] == [
        ("conversation", "finding"),
        ("safety", "error"),
    ]


async def test_a_stop_gives_back_what_is_not_judged(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    begun = asyncio.Event()

    async def first(turn: Turn, attempt: int) -> None:
        begun.set()
        await asyncio.Event().wait()

    worker = Worker(store, judging(first=first))
    await worker.start()
    await worker.submit(new_turn(1), questions())
    await begun.wait()
    await worker.stop()
    (claimed,) = store.claim("other", lease_s=60).claims  # at once, though the lease was for a minute
    assert claimed.attempt == 1  # and a stop is no failed attempt


async def test_a_stop_whose_caller_is_cancelled_goes_on_and_the_next_one_waits_for_it(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    begun, closing, closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def first(turn: Turn, attempt: int) -> None:
        if begun.is_set():
            return
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:  # a client that needs a moment to close
            closing.set()
            await closed.wait()

    worker = Worker(store, judging(first=first))
    await worker.start()
    await worker.submit(new_turn(1), questions())
    await begun.wait()
    stopping = asyncio.create_task(worker.stop())
    await closing.wait()
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    asyncio.get_running_loop().call_soon(closed.set)
    await worker.stop()
    (claimed,) = store.claim("other", lease_s=60).claims
    assert claimed.attempt == 1
    store.release(claimed)
    await worker.start()  # it works again
    await worker.judged("acme", "t-1")
    await worker.stop()


async def test_a_stop_publishes_what_was_being_stored_as_answered(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, let, sink = Event(), Event(), Sink()
    finish = store.finish

    def slow(*arguments: Any) -> Finished:
        begun.set()
        let.wait()
        return finish(*arguments)

    monkeypatch.setattr(store, "finish", slow)
    worker = Worker(store, judging(), sinks=[sink])
    await worker.start()
    await worker.submit(new_turn(1), questions())
    await asyncio.to_thread(begun.wait)
    stopping = asyncio.create_task(worker.stop())
    for _ in range(20):  # until all is ended that a stop does not wait for
        await asyncio.sleep(0)
    assert not stopping.done()
    let.set()
    await stopping
    assert [verdict.turn for verdict in sink.verdicts] == ["t-1"]
    assert store.open_questions() == 0


async def test_a_cancellation_from_within_leaves_the_turn_to_its_lease(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    async def first(turn: Turn, attempt: int) -> None:
        if attempt == 1:
            raise asyncio.CancelledError

    async with Worker(store, judging(first=first), lease_s=0.5, poll_s=0.01) as worker:
        await worker.submit(new_turn(1), questions())
        (judgement,) = await worker.judged("acme", "t-1")
    assert (judgement.verdict.status, judgement.verdict.attempt) == ("finding", 2)


async def test_heartbeats_keep_a_slow_turn_with_its_worker(
    path: Path, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    now = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)  # moves with the heartbeats alone, however slow this machine is
    beats = 0
    begun, beaten = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    with open_store(path, clock=lambda: now) as store, open_store(path, clock=lambda: now) as second:
        real = store.heartbeat

        def beat(*args: Any, **kwargs: Any) -> frozenset[int]:
            nonlocal now, beats
            now += timedelta(seconds=0.04)  # two thirds of the lease
            beats += 1
            if beats == 6:  # four leases: without heartbeats the other worker had the turn by now
                loop.call_soon_threadsafe(beaten.set)
            return real(*args, **kwargs)

        async def first(turn: Turn, attempt: int) -> None:
            begun.set()
            await beaten.wait()

        store.heartbeat = beat  # type: ignore[method-assign]
        judge, other = judging(first=first), judging()
        async with Worker(store, judge, lease_s=0.06, poll_s=0.005) as worker:
            await worker.submit(new_turn(1), questions())
            await begun.wait()
            async with Worker(second, other, lease_s=0.06, poll_s=0.005):
                (judgement,) = await worker.judged("acme", "t-1")
    assert (judgement.verdict.attempt, len(judge.asked), other.asked) == (1, 1, [])


async def test_two_workers_on_one_database_judge_every_turn_once(
    store: Store, path: Path, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    store.add_turns([(new_turn(number), questions("conversation", "safety"), ()) for number in range(40)])
    one, two, sink = judging(), judging(), Sink()
    with open_store(path) as second:
        async with (
            Worker(store, one, sinks=[sink], poll_s=0.01) as worker,
            Worker(second, two, sinks=[sink], poll_s=0.01) as other,
        ):
            await worker.drain()
            await other.drain()
    assert len(one.asked) + len(two.asked) == 40
    assert len(sink.verdicts) == store.funnel().judged == 80


async def test_work_that_another_process_stores_is_found(
    store: Store, path: Path, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    with open_store(path) as other:
        async with Worker(store, judging(), poll_s=0.01) as worker:
            await worker.drain()
            other.add_turn(new_turn(1), questions())
            worker.notify()
            await worker.drain()
    assert store.funnel().judged == 1


async def test_waiting_for_a_turn_that_is_not_stored_is_a_wrong_call(store: Store, judging: Judging) -> None:
    async with Worker(store, judging()) as worker:
        with pytest.raises(UsageError, match="submit it first"):
            await worker.judged("acme", "nowhere")


async def test_a_worker_that_does_not_run_says_so(store: Store, judging: Judging) -> None:
    worker = Worker(store, judging())
    with pytest.raises(UsageError, match="does not run"):
        await worker.drain()
    await worker.stop()


async def test_a_failed_judging_is_counted_where_failures_are(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    async def first(turn: Turn, attempt: int) -> None:
        raise JudgeMissingError("no model")

    before = failopen.counts["worker.judge"]
    async with Worker(store, judging(first=first)) as worker:
        await worker.submit(new_turn(1), questions())
        await worker.drain()
    assert failopen.counts["worker.judge"] == before + 1


async def test_a_turn_of_skips_alone_is_judged_at_once(
    store: Store, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    judge = judging()
    turn = new_turn(1, messages=(Message(role="user", text="hello"),))
    async with Worker(store, judge) as worker:
        await worker.submit(turn, questions(skip="no_reply"))
        (judgement,) = await worker.judged("acme", "t-1")
    assert (judgement.verdict.status, judge.asked) == ("skipped", [])


async def test_a_worker_removes_expired_text_and_publishes_what_that_closes(
    path: Path, new_turn: NewTurn, questions: Questions, judging: Judging
) -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    told = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Told(Sink):
        def publish(self, verdicts: Sequence[Verdict]) -> None:
            super().publish(verdicts)
            loop.call_soon_threadsafe(told.set)

    async def never(turn: Turn, attempt: int) -> None:
        await asyncio.Event().wait()

    with open_store(path, clock=lambda: now - timedelta(days=30)) as old:
        old.add_turn(new_turn(1), questions("safety"))
    sink = Told()
    with open_store(path, clock=lambda: now) as store:
        store.add_turn(new_turn(2), questions("safety"))
        async with Worker(store, judging(first=never), sinks=[sink], retention_days=lambda _: 30):
            await told.wait()
        assert [(one.turn, one.status, one.reason) for one in sink.verdicts] == [("t-1", "skipped", "expired")]
        assert [turn.id for turn in store.turns()] == ["t-2"]
