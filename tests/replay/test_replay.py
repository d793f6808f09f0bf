"""A replay judges each stored turn once, beside what live traffic has, and touches nothing else."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from afterturn import Message, Turn
from afterturn.calls import Call, Planned
from afterturn.classifiers import SAFETY
from afterturn.config import Config
from afterturn.errors import JudgeMissingError, ProviderError, RateLimitedError, UsageError
from afterturn.judging import MissingJudge
from afterturn.replay import Replay, ReplayCounts
from afterturn.store import Filter, Store, open_store
from afterturn.testing import ScriptedJudge

Live = Callable[..., Awaitable[None]]
MakeReplay = Callable[..., Replay]
MakeTurn = Callable[..., Turn]

_REPLAYED = Filter(replayed=True)


def _everything_live(path: Path) -> dict[str, list[Any]]:
    """Gives all rows of all tables but those that a replay adds."""
    with sqlite3.connect(path) as raw:
        tables = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        narrow = {"judgements": " WHERE replayed = 0", "histogram_series": " WHERE replayed_by = ''"}
        narrow["histogram_bins"] = " WHERE series_n IN (SELECT n FROM histogram_series WHERE replayed_by = '')"
        found = {
            name: raw.execute(f"SELECT * FROM {name}{narrow.get(name, '')}").fetchall()
            for name in tables
            if name != "sqlite_sequence"
        }
    raw.close()
    return found


def _counted(store: Store) -> Counter[tuple[Any, ...]]:
    return Counter(
        {
            (one.series.classifier, one.series.version, one.series.status, one.series.replayed_by, value): number
            for one in store.histograms(_REPLAYED)
            for value, number in one.histogram.counts.items()
        }
    )


async def test_new_verdicts_stand_beside_the_old_and_nothing_else_changes(
    live: Live, make_replay: MakeReplay, store: Store, path: Path
) -> None:
    await live(20)
    before, seen = _everything_live(path), store.funnel()
    counts = await make_replay().run()
    assert counts == ReplayCounts(turns=20, judged=20)
    assert _everything_live(path) == before
    assert store.funnel() == seen
    new = list(store.verdicts(_REPLAYED))
    assert {(one.classifier, one.version, one.judge) for one in new} == {("safety", "2", "new")}
    assert sorted(one.turn for one in new if one.status == "finding") == ["t-0", "t-10", "t-15", "t-5"]
    assert len(new) == 20
    judged = store.judged("acme", "t-5")
    assert judged is not None
    assert {one.verdict.version for one in judged.judgements if one.verdict.classifier == "safety"} == {"1"}


async def test_counts_are_those_of_the_rows_and_stand_on_the_days_of_the_turns(
    live: Live, make_replay: MakeReplay, store: Store
) -> None:
    await live(8)
    await make_replay().run()
    days = [one for one in store.histograms(_REPLAYED) if one.series.status == "no_finding"]
    assert [(one.day.day, one.histogram.counts) for one in days] == [(2, {70: 2}), (3, {70: 3}), (4, {70: 1})]
    assert {one.series.replayed_by for one in days} == {"new"}
    assert {one.series.version for one in store.histograms()} == {"1"}
    assert store.histograms(Filter(replayed=True, judge="other")) == ()
    later = replace(_REPLAYED, since=datetime(2026, 11, 3, tzinfo=UTC))
    assert sum(one.histogram.total for one in store.histograms(later)) == len(list(store.verdicts(later))) == 5


async def test_a_second_run_finds_nothing_to_do(live: Live, make_replay: MakeReplay, store: Store) -> None:
    await live(20)
    await make_replay().run()
    before = _counted(store)
    judge = ScriptedJudge({}, name="new")
    assert await make_replay(scripted=judge).run() == ReplayCounts(turns=20, known=20)
    assert judge.calls == []
    assert _counted(store) == before


async def test_what_live_traffic_judged_the_same_way_is_left_alone(live: Live, make_replay: MakeReplay) -> None:
    await live(5)
    judge = ScriptedJudge({}, name="live")
    counts = await make_replay(scripted=judge, classifiers=[SAFETY]).run()
    assert (counts.known, judge.calls) == (5, [])


async def test_the_question_is_asked_in_the_company_of_live_traffic(
    live: Live, make_replay: MakeReplay, new_script: Any, store: Store
) -> None:
    await live(1)
    judge = ScriptedJudge(new_script, name="new")
    await make_replay(scripted=judge).run()
    (call,) = judge.calls
    assert [(one.classifier, one.version) for one in call.questions] == [("conversation", "1"), ("safety", "2")]
    assert [one.classifier for one in store.verdicts(_REPLAYED)] == ["safety"]


async def test_another_judge_judges_the_same_version_beside_the_first(
    live: Live, make_replay: MakeReplay, store: Store
) -> None:
    await live(10)
    counts = await make_replay(classifiers=[SAFETY]).run()
    assert counts.judged == 10
    sides = {(one.version, one.judge) for narrow in (Filter(), _REPLAYED) for one in store.verdicts(narrow)}
    assert sides == {("1", "live"), ("1", "new")}


async def test_only_the_newest_turns_of_the_period_and_tenant_are_judged(
    live: Live, make_replay: MakeReplay, make_turn: MakeTurn, store: Store
) -> None:
    await live([make_turn(number, tenant="acme" if number % 2 else "other") for number in range(20)])
    since = make_turn(6).created_at
    narrow = Filter(tenant="acme", since=since, until=make_turn(18).created_at)
    assert (await make_replay(narrow=narrow, limit=3).run()).judged == 3
    assert sorted(one.turn for one in store.verdicts(_REPLAYED)) == ["t-13", "t-15", "t-17"]
    assert (await make_replay(narrow=narrow).run()).judged == 3
    assert make_replay(narrow=narrow).turns() == 6


async def test_turns_without_text_are_skipped_with_the_reason(
    live: Live, make_replay: MakeReplay, make_turn: MakeTurn, store: Store
) -> None:
    await live([make_turn(number, session=f"s-{number}") for number in range(3)])
    store.forget("acme", "s-0")
    with open_store(store._database.path, clock=lambda: datetime.now(UTC) + timedelta(days=9)) as later:  # pyright: ignore[reportPrivateUsage]
        later.forget_expired(lambda _: 7, limit=1)
    counts = await make_replay().run()
    assert counts == ReplayCounts(turns=3, judged=1, skips={"expired": 1, "forgotten": 1})
    assert {one.turn: one.reason for one in store.verdicts(_REPLAYED)} == {
        "t-0": "forgotten",
        "t-1": "expired",
        "t-2": None,
    }


async def test_a_turn_that_is_forgotten_while_it_is_judged_leaves_no_answer(
    live: Live, make_replay: MakeReplay, store: Store, new_script: Any
) -> None:
    await live(1)

    def forgets(call: Call) -> Any:
        store.forget("acme", "s-0")
        return new_script(call)

    assert (await make_replay(forgets).run()).skips == {"forgotten": 1}
    assert [(one.status, one.reason) for one in store.verdicts(_REPLAYED)] == [("skipped", "forgotten")]


async def test_text_that_may_not_leave_the_machine_is_skipped(
    live: Live, make_replay: MakeReplay, config: Config
) -> None:
    await live(2)
    remote = ScriptedJudge({}, name="far", location="remote")
    counts = await make_replay(scripted=remote, config=config.model_copy(update={"residency": "local"})).run()
    assert (counts.skips, remote.calls) == ({"residency": 2}, [])


async def test_an_outage_is_tried_again_and_then_a_row(live: Live, make_replay: MakeReplay, store: Store) -> None:
    await live(3)
    judge = ScriptedJudge(RateLimitedError("later"), name="new")
    with capture_logs():
        counts = await make_replay(scripted=judge).run()
    assert (counts.failures, len(judge.calls)) == ({"rate_limited": 3}, 9)
    assert [one.attempt for one in store.verdicts(_REPLAYED)] == [3, 3, 3]
    assert not counts.stopped


async def test_errors_are_asked_again_on_demand_and_counted_once(
    live: Live, make_replay: MakeReplay, store: Store
) -> None:
    await live(4)
    with capture_logs():
        await make_replay(ProviderError("broken")).run()
    assert (await make_replay().run()).judged == 0
    again = make_replay()
    assert again.reopen() == 4
    assert store.histograms(_REPLAYED) == ()
    assert (await again.run()).judged == 4
    assert sum(one.histogram.total for one in store.histograms(_REPLAYED)) == 4
    assert again.reopen() == 0


async def test_a_judge_that_fails_turn_after_turn_stops_the_replay(
    live: Live, make_replay: MakeReplay, store: Store, path: Path
) -> None:
    await live(60)
    with capture_logs():
        counts = await make_replay(ProviderError("down")).run()
    assert counts.stopped
    assert 10 <= sum(counts.failures.values()) < 20
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM replay_leases").fetchone() == (0,)
    raw.close()


async def test_a_judge_that_does_not_exist_ends_the_replay_and_leaves_no_row(
    live: Live, make_replay: MakeReplay, store: Store
) -> None:
    await live(3)
    with capture_logs(), pytest.raises(JudgeMissingError):
        await make_replay(scripted=MissingJudge("gone", "install it")).run()
    assert list(store.verdicts(_REPLAYED)) == []


async def test_a_turn_that_cannot_be_read_is_an_error_row(
    live: Live, make_replay: MakeReplay, store: Store, path: Path
) -> None:
    await live(2)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE turns SET body = '{' WHERE id = 't-0'")
    raw.close()
    with capture_logs():
        counts = await make_replay().run()
    assert (counts.judged, counts.failures) == (1, {"invalid_json": 1})


async def test_a_question_that_is_skipped_live_is_skipped_anew(
    live: Live, make_replay: MakeReplay, make_turn: MakeTurn
) -> None:
    await live([make_turn(1, messages=(Message(role="user", text="question 1"),))])
    assert (await make_replay().run()).skips == {"no_reply": 1}


async def test_two_replays_at_the_same_time_share_the_work(
    live: Live, make_replay: MakeReplay, store: Store, path: Path, new_script: Any
) -> None:
    await live(40)
    both = asyncio.Barrier(2)  # neither answers before the other was asked: each leases fewer turns than there are

    class Meeting(ScriptedJudge):
        met: asyncio.Task[int] | None = None

        async def ask(self, call: Call) -> Any:
            self.met = self.met or asyncio.ensure_future(both.wait())
            await asyncio.shield(self.met)
            return await super().ask(call)

    judges = [Meeting(new_script, name="new") for _ in range(2)]
    with open_store(path) as second:
        replays = [make_replay(scripted=judges[0]), make_replay(scripted=judges[1], store=second)]
        counts = await asyncio.gather(*(replay.run() for replay in replays))
    assert sum(one.judged for one in counts) == 40
    assert len(judges[0].calls) + len(judges[1].calls) == 40
    assert min(one.judged for one in counts) > 0
    assert len(list(store.verdicts(_REPLAYED))) == 40
    assert sum(one.histogram.total for one in store.histograms(_REPLAYED)) == 40


async def test_turns_that_a_dead_replay_still_holds_are_told_once_and_then_taken_over(
    live: Live, make_replay: MakeReplay, store: Store
) -> None:
    await live(5)
    planned = Planned(classifier="safety", version="2", metric="m", judge="new", plan="")
    held = store.replays.page(Filter(), size=2)
    store.replays.claim([(one, [planned]) for one in held], owner="dead", lease_s=3600)
    waits: list[tuple[int, float]] = []

    async def their_lease_ends(seconds: float) -> None:
        store.replays.release("dead")

    replay = make_replay(lease_s=30.0, sleep=their_lease_ends)
    counts = await replay.run(on_wait=lambda turns, lease_s: waits.append((turns, lease_s)))
    assert (counts.judged, waits) == (5, [(2, 30.0)])


async def test_progress_moves_once_a_turn(live: Live, make_replay: MakeReplay, store: Store) -> None:
    await live(7)
    await make_replay(limit=3).run()
    moved: list[int] = []
    replay = make_replay()
    await replay.run(lambda: moved.append(1))
    assert len(moved) == replay.turns() == 7


async def test_a_cancelled_replay_gives_its_turns_back_at_once(
    live: Live, make_replay: MakeReplay, store: Store, path: Path
) -> None:
    await live(3)
    asked = asyncio.Event()

    class Hanging(ScriptedJudge):
        async def ask(self, call: Call) -> Any:
            asked.set()
            await asyncio.Event().wait()

    running = asyncio.create_task(make_replay(scripted=Hanging({}, name="new")).run())
    await asked.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await make_replay().run()).judged == 3


async def test_the_rate_is_kept(live: Live, make_replay: MakeReplay) -> None:
    await live(3)
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    await make_replay(rate=0.5, sleep=sleep).run()
    assert len(waits) == 2
    assert [round(seconds) for seconds in waits] == [2, 4]


def test_what_makes_no_sense_is_refused(make_replay: MakeReplay) -> None:
    with pytest.raises(UsageError, match="at least one classifier"):
        make_replay(classifiers=[])
    with pytest.raises(UsageError, match="leave the rest out"):
        make_replay(narrow=Filter(status="error"))
