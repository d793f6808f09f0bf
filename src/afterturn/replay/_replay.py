"""The replay: leases stored turns, has them judged anew, stores the verdicts beside the old ones."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from afterturn.calls import Planned
from afterturn.classifiers import Classifier
from afterturn.config import Config
from afterturn.errors import JudgeMissingError, StoreError, UsageError
from afterturn.judging import Judging, OpenJudge
from afterturn.outcomes import Judgement
from afterturn.replay._diff import Diff, compare
from afterturn.replay._judged import Labels, Told, told_of
from afterturn.replay._pace import Pace, Sleep
from afterturn.replay._walk import Walk
from afterturn.store import Change, Claim, Filter, ReplayClaim, Store, StoredTurn, TurnOrder
from afterturn.turns import Turn
from afterturn.verdicts import Verdict
from afterturn.worker import Broken, judged

FAILED_IN_A_ROW = 10
"""After so many turns without a single answer the judge is taken to be out, and the replay stops."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayCounts:
    """Counts what one run of a replay did.

    Attributes:
        turns: Turns under the filter, at most `limit`.
        known: Questions that had their row before: of live traffic, or of an earlier run.
        judged: Questions answered now.
        skips: Questions skipped now, by reason.
        failures: Questions that ended in an error now, by code.
        stopped: Whether the judge failed so often in a row that the rest was left for another run.
    """

    turns: int = 0
    known: int = 0
    judged: int = 0
    skips: Mapping[str, int] = field(default_factory=dict[str, int])
    failures: Mapping[str, int] = field(default_factory=dict[str, int])
    stopped: bool = False


class Replay:
    """Judges stored turns anew, beside the verdicts that they have.

    A question is a turn, a classifier, a version and a judge. One that has its verdict already is left alone, so a
    replay that was killed is resumed by running it again, and two at the same time share the work. The questions are
    asked in the company in which live traffic asks them. Errors and skips are verdicts, too. Sessions, timelines,
    hooks and sinks hear nothing, and what was found in words is not kept.

    Args:
        store: The store.
        config: The configuration: who judges whom, what may leave the machine, which questions are asked together.
        classifiers: What is asked anew: a classifier takes the place of the enabled one of its name.
        judge: Who answers, in place of what the configuration says.
        narrow: Which turns; `since` and `until` are times of turns.
        own: The host's own classifiers, which are asked in the same calls.
        limit: How many turns at most: the newest.
        rate: How many turns a second at most.
        open_judge: Opens a judge by name, where the host brings its own.
        lease_s: How long a turn stays with a replay that gives no sign of life.
        poll_s: How often to look whether another replay is done.
        sleep: Waits; given in tests.

    Raises:
        UsageError: There is nothing to ask, or the filter is about verdicts and not about turns.

    Example:
        ```python
        replay = Replay(store, load_config(), [SAFETY_2], narrow=Filter(since=monday))
        counts = await replay.run()
        print(counts, *replay.diffs())
        ```
    """

    def __init__(
        self,
        store: Store,
        config: Config,
        classifiers: Sequence[Classifier],
        *,
        judge: str | None = None,
        narrow: Filter | None = None,
        own: Sequence[Classifier] = (),
        limit: int | None = None,
        rate: float | None = None,
        open_judge: OpenJudge | None = None,
        lease_s: float = 60.0,
        poll_s: float = 1.0,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        narrow = narrow or Filter()
        if not classifiers:
            raise UsageError("a replay asks at least one classifier; name it")
        if narrow != replace(narrow, classifier=None, status=None, version=None, judge=None, replayed=False):
            raise UsageError("a replay takes turns by tenant, agent, session, turn and time; leave the rest out")
        self._store = store
        self._config = config if judge is None else _judged_by(judge, config)
        self._judging = Judging(
            self._config, classifiers=own, open_judge=open_judge, clock=store.clock, instead=classifiers
        )
        self._classifiers = {one.name: one for one in classifiers}
        self._narrow = narrow
        self._limit = limit
        self._pace = Pace(rate, sleep=sleep)
        self._lease_s = lease_s
        self._poll_s = poll_s
        self._sleep = sleep
        self._owner = secrets.token_hex(8)
        self._failed_in_a_row = 0
        self._judged = 0
        self._skips: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()

    def turns(self) -> int:
        """Counts the turns that are looked at, those without text and those that are judged already included."""
        found = self._store.replays.count(self._narrow)
        return found if self._limit is None else min(found, self._limit)

    def reopen(self) -> int:
        """Takes back the errors that earlier replays of this ended in, so that `run` asks again; gives how many.

        Verdicts of live traffic are never taken back.
        """
        return sum(
            self._store.replays.reopen(replace(self._narrow, classifier=one.name, version=one.version))
            for one in self._classifiers.values()
        )

    async def run(
        self,
        on_turn: Callable[[], None] = lambda: None,
        on_wait: Callable[[int, float], None] = lambda turns, lease_s: None,
    ) -> ReplayCounts:
        """Judges what is left to judge.

        Args:
            on_turn: Is called once for each turn that is done.
            on_wait: Is called once where nothing is left but what other replays are at: how many turns, and how long
                at most until they are taken over if the others have died.

        Raises:
            JudgeMissingError: The judge does not exist here; nothing is stored of it.
            StoreError: The database refused; what is stored stays, and the next run goes on.
        """
        self._judged, self._failed_in_a_row = 0, 0
        self._skips, self._failures = Counter(), Counter()
        total = await asyncio.to_thread(self.turns)
        walk = Walk(
            self._store.replays,
            self._narrow,
            self._plans,
            owner=self._owner,
            limit=self._limit,
            at_once=self._config.concurrency,
            lease_s=self._lease_s,
            poll_s=self._poll_s,
            sleep=self._sleep,
        )
        beating = asyncio.create_task(self._beat())
        try:
            async with aclosing(walk.claims(on_turn, lambda turns: on_wait(turns, self._lease_s))) as claims:
                await self._lanes(claims, on_turn)
        finally:
            beating.cancel()
            with suppress(StoreError):  # else the leases run out by themselves
                await asyncio.to_thread(self._store.replays.release, self._owner)
            await self._judging.aclose()
        return ReplayCounts(
            turns=total,
            known=walk.known,
            judged=self._judged,
            skips=dict(sorted(self._skips.items())),
            failures=dict(sorted(self._failures.items())),
            stopped=self._stopped,
        )

    def diffs(
        self, labels: Mapping[str, Labels] | None = None, *, threshold: int | None = None, confidence: float = 0.95
    ) -> tuple[Diff, ...]:
        """Compares the replayed answers with those of live traffic; one result for each pair of versions and judges.

        Args:
            labels: What people said of turns drawn at random, by classifier, then by tenant (or None) and turn; by
                default what reviewers said of the newest sample that fits, else imported labels.
            threshold: Take a score from here on for a finding, as an alert does, in place of the verdict's status.
            confidence: Of all intervals.
        """
        return tuple(
            diff
            for name, classifier in self._classifiers.items()
            for diff in differences(
                self._store,
                replace(self._narrow, classifier=name, version=classifier.version),
                labels=labels,
                threshold=threshold,
                confidence=confidence,
            )
        )

    # --- the work ---------------------------------------------------------------------------------------------------

    @property
    def _stopped(self) -> bool:
        return self._failed_in_a_row >= FAILED_IN_A_ROW

    async def _lanes(self, claims: AsyncIterator[ReplayClaim], on_turn: Callable[[], None]) -> None:
        """Judges several turns at the same time; the first error ends all."""
        lock = asyncio.Lock()

        async def lane() -> None:
            while not self._stopped:
                async with lock:
                    claimed = await anext(claims, None)
                if claimed is None:
                    return
                await self._one(claimed)
                on_turn()

        lanes = [asyncio.create_task(lane()) for _ in range(self._config.concurrency)]
        try:
            await asyncio.gather(*lanes)
        finally:
            for task in lanes:
                task.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            with suppress(StoreError):  # a busy database costs a beat, not the replay
                await asyncio.to_thread(self._store.replays.heartbeat, self._owner, lease_s=self._lease_s)

    def _plans(self, stored: StoredTurn) -> tuple[Planned, ...]:
        judge = self._judging.judge_name(stored.turn)
        return tuple(
            Planned(classifier=one.name, version=one.version, metric=one.metric, judge=judge, plan="")
            for one in self._classifiers.values()
        )

    async def _one(self, claimed: ReplayClaim) -> None:
        """Judges one turn and stores what came of it."""
        verdicts = await self._verdicts(claimed)
        new = await asyncio.to_thread(self._store.replays.finish, claimed, verdicts)
        for verdict in new:
            if verdict.status == "skipped":
                self._skips[str(verdict.reason)] += 1
            elif verdict.status == "error":
                self._failures[str(verdict.reason)] += 1
            else:
                self._judged += 1
        asked = [one for one in verdicts if one.status != "skipped"]
        if asked:
            failed = all(one.status == "error" for one in asked)
            self._failed_in_a_row = self._failed_in_a_row + 1 if failed else 0

    async def _verdicts(self, claimed: ReplayClaim) -> Sequence[Verdict]:
        stored, replays = claimed.stored, self._store.replays
        if stored.gone is not None:
            return ()  # the store says why
        if not stored.readable:
            return replays.failures(claimed, "invalid_json")
        if claimed.attempt > self._config.max_attempts:
            return replays.failures(claimed, "timeout")  # it killed whoever judged it, again and again
        await self._pace.wait()
        for attempt in range(1, self._config.max_attempts + 1):
            result = await judged(
                self._work(claimed, attempt), self._judge, deadline_s=_DEADLINE_S, clock=self._store.clock
            )
            if not isinstance(result, Broken):
                return _there(result)
            if attempt == self._config.max_attempts:
                return replays.failures(claimed, result.code)
            await self._sleep(self._config.retry_s * 2 ** (attempt - 1))
        raise AssertionError("at least one attempt is made")

    def _work(self, claimed: ReplayClaim, attempt: int) -> Claim:
        turn = claimed.stored.turn
        order = TurnOrder(turn.created_at or self._store.clock(), claimed.stored.number)
        return Claim(turn=turn, planned=claimed.planned, order=order, attempt=attempt, owner=claimed.owner)

    async def _judge(self, turn: Turn, planned: tuple[Planned, ...], attempt: int) -> tuple[Judgement, ...]:
        return await self._judging.judge_some(turn, [one.classifier for one in planned], attempt)


_DEADLINE_S = 300.0


def _there(judgements: Iterable[Judgement]) -> tuple[Verdict, ...]:
    """Gives the verdicts; a judge that does not exist is no result of a replay.

    Raises:
        JudgeMissingError: The judge does not exist.
    """
    verdicts = tuple(one.verdict for one in judgements)
    for verdict in verdicts:
        if verdict.reason == JudgeMissingError.code:
            raise JudgeMissingError(f"judge {verdict.judge} is not here; nothing was stored of it")
    return verdicts


def _judged_by(judge: str, config: Config) -> Config:
    """Gives a configuration in which one judge judges every tenant; where text may go stays as it was."""
    tenants = {name: own.model_copy(update={"judge": None}) for name, own in config.tenants.items()}
    return config.model_copy(update={"judge": judge, "tenants": tenants})


def differences(
    store: Store,
    narrow: Filter,
    *,
    labels: Mapping[str, Labels] | None = None,
    threshold: int | None = None,
    confidence: float = 0.95,
) -> tuple[Diff, ...]:
    """Compares what was replayed about the turns of a filter with what live traffic has of them.

    Args:
        store: The store.
        narrow: Which turns, and which replayed classifier, version and judge.
        labels: What people said of turns drawn at random, by classifier; by default what reviewers said of the newest
            sample that fits, else imported labels.
        threshold: Take a score from here on for a finding, in place of the verdict's status.
        confidence: Of all intervals.
    """
    options: dict[str, Any] = {"threshold": threshold, "confidence": confidence}
    return tuple(
        _difference(store, change, narrow, None if labels is None else labels.get(change.classifier, {}), options)
        for change in store.replays.changes(narrow)
    )


def _difference(
    store: Store, change: Change, narrow: Filter, labels: Labels | None, options: Mapping[str, Any]
) -> Diff:
    told = Told(labels=labels) if labels is not None else told_of(store, change, narrow) or Told(labels={})
    return compare(
        change,
        store.replays.changed(change, narrow),
        labels=told.labels,
        stratified=told.sample is not None,
        tied=told.tied,
        inside=told.stands_for,
        **options,
    )
