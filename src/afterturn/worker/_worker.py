"""The worker: leases open questions, has them judged, stores what came of it; in the process of the host."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Self

from afterturn.calls import Planned
from afterturn.errors import UsageError
from afterturn.ledger import Sink, publish
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Claim, Claims, DaysFor, Fold, Lease, Store, TimelineEvent
from afterturn.turns import Turn
from afterturn.worker._calls import StoreCalls
from afterturn.worker._expiry import AGAIN_S, Expiry
from afterturn.worker._hooks import Hooks
from afterturn.worker._ingest import Taken, reads_back, take_in
from afterturn.worker._judging import Broken, JudgeTurn, judged
from afterturn.worker._pulse import Pulse
from afterturn.worker._telling import Telling

_OWN_NAMES: Mapping[str, str] = MappingProxyType({})


@dataclass(kw_only=True, slots=True)
class _Running:
    """Is what a worker has while it runs."""

    loop: asyncio.AbstractEventLoop
    pulse: Pulse  # what was judged
    work: Pulse  # what may be claimed
    calls: StoreCalls
    telling: Telling
    loops: list[asyncio.Task[None]]
    hungry: bool = True  # the last claim took as much as there was room for, so more may be due
    stopping: bool = False
    stop: asyncio.Task[None] | None = None


class Worker:
    """Judges what the store holds, until it is stopped.

    A worker needs no clean end: what it had leased falls due again. Its name is random, so a new process on a machine
    of any name takes over at once when the lease is out.

    Args:
        store: The store.
        judge: Judges a turn; what it raises becomes another attempt or `error` verdicts.
        sinks: Where verdicts go once they are stored.
        hooks: What the host wants to hear.
        concurrency: How many turns are judged at the same time.
        lease_s: How long a turn stays with a worker that gives no sign of life.
        poll_s: How often to look for work that other processes stored; own work is seen at once.
        deadline_s: How long judging one turn may take.
        retry_s: How long the second attempt waits; the third waits twice as long.
        event_names: The host's names for the events that `on_event` hears.
        fold: Folds judgements into the state of their session.
        retention_days: Says how many days the text of a tenant is kept; None where none expires.
        expire_every_s: How often to look for text that has expired; the first time at once.

    Example:
        ```python
        async with Worker(store, judge) as worker:
            await worker.submit(turn, planned)
            judgements = await worker.judged(turn.tenant, turn.id)
        ```
    """

    def __init__(
        self,
        store: Store,
        judge: JudgeTurn,
        *,
        sinks: Iterable[Sink] = (),
        hooks: Hooks | None = None,
        concurrency: int = 4,
        lease_s: float = 60.0,
        poll_s: float = 1.0,
        deadline_s: float = 300.0,
        retry_s: float = 2.0,
        event_names: Mapping[str, str] = _OWN_NAMES,
        fold: Fold = apply,
        retention_days: DaysFor | None = None,
        expire_every_s: float = 3600.0,
    ) -> None:
        self._store = store
        self._judge = judge
        self._sinks = tuple(sinks)
        self._hooks = hooks or Hooks()
        self._concurrency = concurrency
        self._lease_s = lease_s
        self._poll_s = poll_s
        self._deadline_s = deadline_s
        self._retry_s = retry_s
        self._event_names = event_names
        self._fold = fold
        self._retention_days = retention_days
        self._expire_every_s = expire_every_s
        self._owner = secrets.token_hex(8)
        self._held: dict[int, Claim] = {}
        self._judging: set[asyncio.Task[None]] = set()
        self._settling: set[asyncio.Task[None]] = set()  # those of them that store what was answered
        self._taking: set[asyncio.Future[Taken | None]] = set()
        self._promised = 0  # turns that are being stored and will be judged at once
        self._claiming = 0  # the most that the claim under way may give
        self._submitted: set[tuple[str, str]] = set()  # own turns that are not settled yet
        self._run: _Running | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Begins to work; a second call changes nothing."""
        if self._run is not None:
            return
        pulse, calls = Pulse(), StoreCalls()
        telling = Telling(
            self._store,
            calls,
            pulse,
            self._hooks,
            event_names=self._event_names,
            lease_s=self._lease_s,
            poll_s=self._poll_s,
            retry_s=self._retry_s,
        )
        loop = asyncio.get_running_loop()
        self._run = _Running(loop=loop, pulse=pulse, work=Pulse(), calls=calls, telling=telling, loops=[])
        telling.start()
        # Without the context of whoever came first: a request's variables must not show in the turns of others.
        self._run.loops = [
            asyncio.create_task(work(self._run), context=Context())
            for work in (self._claim_work, self._beat, self._expire)
        ]

    def notify(self) -> None:
        """Says that there is new work; may be called from any thread."""
        if self._run is not None and not self._run.loop.is_closed():
            self._run.loop.call_soon_threadsafe(self._run.work.fire)

    async def submit(self, turn: Turn, planned: Sequence[Planned], *, events: Sequence[TimelineEvent] = ()) -> bool:
        """Stores a turn with its questions and begins to judge it.

        Where there is room and nothing older waits, it is leased at once instead of being claimed then.

        Returns:
            False where the tenant already has a turn of this id; then nothing changes.

        Raises:
            StoreError: Nothing was stored.
        """
        run = self._running()
        at_once = not (run.stopping or run.hungry) and self._room() > 0 and reads_back(turn)
        lease = Lease(owner=self._owner, lease_s=self._lease_s) if at_once else None
        taking = run.calls.begin(take_in, self._store, turn, planned, lease, events=events, sinks=self._sinks)
        self._promised += at_once
        self._taking.add(taking)
        taking.add_done_callback(partial(self._taken, run, turn, planned, at_once))
        return await asyncio.shield(taking) is not None  # judged also where the caller is cancelled meanwhile

    async def judged(self, tenant: str, turn: str) -> tuple[Judgement, ...]:
        """Waits until every question about a stored turn has its verdict, and gives the judgements.

        Raises:
            UsageError: No such turn is stored.
            StoreError: The database refused again and again.
        """
        run = self._running()
        key = (tenant, turn)
        try:
            if key in self._submitted:  # not settled yet: nothing to look up before it is, or before another did it
                await run.pulse.wait(run.pulse.seen(key), self._poll_s)
            while True:
                seen = run.pulse.seen(key)
                known = await run.calls.call(self._store.judged, tenant, turn)
                if known is None:
                    raise UsageError("only a stored turn is judged; submit it first")
                if not known.open:
                    return known.judgements
                run.calls.give_up()
                await run.pulse.wait(seen, self._poll_s)
        finally:
            run.pulse.forget(key)

    async def drain(self) -> None:
        """Waits until no question is open and all hooks have heard, the work of other processes included.

        Raises:
            StoreError: The database refused again and again.
        """
        run = self._running()
        while True:
            seen = run.pulse.seen()
            if not self._judging and not await run.calls.call(self._unfinished, run):
                return await run.telling.told()
            run.calls.give_up()
            await run.pulse.wait(seen, self._poll_s)

    async def stop(self) -> None:
        """Stops working. What is not judged is given back: another worker may take it at once.

        A caller that is cancelled meanwhile does not end the stop: it goes on, and who calls again waits for it.
        """
        run = self._run
        if run is None:
            return
        if run.stop is None:
            run.stopping = True
            run.stop = asyncio.create_task(self._stop(run), context=Context())
        await asyncio.shield(run.stop)

    async def _stop(self, run: _Running) -> None:
        run.work.fire()
        run.pulse.fire()
        claiming, *others = run.loops
        await claiming
        if self._taking:
            await asyncio.wait(self._taking)
        for task in (*others, *(self._judging - self._settling)):  # what was answered is stored and published
            task.cancel()
        await asyncio.gather(*others, *self._judging, return_exceptions=True)
        for claimed in tuple(self._held.values()):
            await run.calls.guarded("worker.release", None, self._store.release, claimed)
        self._held.clear()
        await run.telling.stop()
        run.calls.close()
        self._run = None

    # --- the loops ----------------------------------------------------------------------------------------------

    async def _claim_work(self, run: _Running) -> None:
        while not run.stopping:
            seen = run.work.seen()
            free = self._claiming = max(self._room(), 0)
            claims = Claims()
            if free > 0:
                claims = await run.calls.guarded(
                    "worker.claim", claims, self._store.claim, self._owner, lease_s=self._lease_s, limit=free
                )
            self._claiming = 0
            publish(claims.dead, self._sinks)
            for claimed in claims.claims:
                if claimed.key not in self._held:  # else its heartbeat came late, and the claim renewed the lease
                    self._begin(run, claimed)
            run.hungry = len(claims.claims) >= free
            if not (claims.claims and run.hungry) and not run.stopping:
                await run.work.wait(seen, self._poll_s)

    async def _beat(self, run: _Running) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            held = tuple(self._held.values())
            if held:
                await run.calls.guarded(
                    "worker.heartbeat",
                    frozenset[int](),
                    self._store.heartbeat,
                    self._owner,
                    held,
                    lease_s=self._lease_s,
                )

    async def _expire(self, run: _Running) -> None:
        """Removes text that has expired, in portions, so that turns get their turn at the database between them."""
        if self._retention_days is None:
            return
        expiry = Expiry(self._store, run.calls, self._retention_days)
        while True:
            gone = await expiry.portion()
            publish(gone.verdicts, self._sinks)
            if gone.verdicts:
                run.pulse.fire()
            if not gone.turns:
                emptied = await expiry.emptied()
                await asyncio.sleep(self._expire_every_s if emptied else min(AGAIN_S, self._expire_every_s))

    # --- turns in -----------------------------------------------------------------------------------------------

    def _taken(
        self,
        run: _Running,
        turn: Turn,
        planned: Sequence[Planned],
        at_once: bool,
        taking: asyncio.Future[Taken | None],
    ) -> None:
        """Begins to judge a turn that was stored now, or has it claimed; tells its events."""
        self._taking.discard(taking)
        self._promised -= at_once
        if run.hungry or not at_once:
            run.work.fire()
        if taking.cancelled() or taking.exception() is not None:  # whoever submitted it hears of it
            return
        taken = taking.result()
        if taken is None:
            return
        if any(one.skip is None for one in planned):
            self._submitted.add((turn.tenant, turn.id))
        if taken.claim is not None and taken.claim.planned:
            self._begin(run, taken.claim)
        run.pulse.fire()
        run.telling.events(turn, taken.events)

    def _room(self) -> int:
        """Counts the turns that may be taken beside those that are judged, promised or being claimed."""
        return self._concurrency - len(self._judging) - self._promised - self._claiming

    # --- one turn -----------------------------------------------------------------------------------------------

    def _begin(self, run: _Running, claimed: Claim) -> None:
        def ended(task: asyncio.Task[None]) -> None:
            self._judging.discard(task)
            self._settling.discard(task)
            if not run.stopping:
                # Also after a cancellation from within: without heartbeats the lease runs out.
                self._held.pop(claimed.key, None)
            if run.hungry:
                run.work.fire()
            run.pulse.fire()

        self._held[claimed.key] = claimed

        async def judge_one() -> None:
            result = await judged(claimed, self._judge, deadline_s=self._deadline_s, clock=self._store.clock)
            self._settling.add(task)
            await self._settle(run, claimed, result)

        task = asyncio.create_task(judge_one(), context=Context())
        self._judging.add(task)
        task.add_done_callback(ended)

    async def _settle(self, run: _Running, claimed: Claim, result: tuple[Judgement, ...] | Broken) -> None:
        """Stores what came of judging, then publishes it; a stop does not cut this in two."""
        if isinstance(result, Broken):
            delay_s = self._retry_s * 2 ** (claimed.attempt - 1)
            dead = await run.calls.guarded(
                "worker.fail", (), self._store.fail, claimed, code=result.code, delay_s=delay_s
            )
            publish(dead, self._sinks)
            run.loop.call_later(delay_s, run.work.fire)  # due by then: the commit came before this
        else:
            finished = await run.calls.persistent(  # else it is judged again once the lease is out
                "worker.finish", None, lambda: run.stopping, self._store.finish, claimed, result, self._fold
            )
            if finished is not None:
                publish([judgement.verdict for judgement in finished.judgements], self._sinks)
                run.telling.events(claimed.turn, finished.events)
        self._held.pop(claimed.key, None)
        self._submitted.discard((claimed.turn.tenant, claimed.turn.id))
        run.pulse.fire((claimed.turn.tenant, claimed.turn.id))

    def _running(self) -> _Running:
        if self._run is None:
            raise UsageError("the worker does not run; use `async with Worker(…) as worker`")
        return self._run

    def _unfinished(self, run: _Running) -> int:
        return self._store.open_questions() + run.telling.unheard()
