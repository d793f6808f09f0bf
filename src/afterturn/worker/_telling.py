"""Tells the host's hooks what was stored: events in order, conclusions until they were heard."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from contextvars import Context

from afterturn.store import Store, TimelineEvent, renamed
from afterturn.turns import Turn
from afterturn.worker._calls import StoreCalls
from afterturn.worker._hooks import Hooks, heard
from afterturn.worker._pulse import Pulse


class Telling:
    """Calls the hooks of one worker, beside its work and never in its way.

    Args:
        store: The store.
        calls: The way to it.
        pulse: Fires when something changed.
        hooks: What the host wants to hear.
        event_names: The host's names for events.
        lease_s: How long a conclusion stays with a worker that gives no sign of life.
        poll_s: How often to look for conclusions of other processes.
        retry_s: How long the second try at a conclusion waits; the third waits twice as long.
    """

    def __init__(
        self,
        store: Store,
        calls: StoreCalls,
        pulse: Pulse,
        hooks: Hooks,
        *,
        event_names: Mapping[str, str],
        lease_s: float,
        poll_s: float,
        retry_s: float,
    ) -> None:
        self._store = store
        self._calls = calls
        self._pulse = pulse
        self._hooks = hooks
        self._event_names = event_names
        self._lease_s = lease_s + hooks.timeout_s
        self._poll_s = poll_s
        self._retry_s = retry_s
        self._queue: asyncio.Queue[tuple[str, str, TimelineEvent]] = asyncio.Queue()
        self._loops: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begins to tell what there is a hook for."""
        if self._hooks.on_event is not None:
            self._loops.append(asyncio.create_task(self._tell_events(), context=Context()))
        if self._hooks.on_conclusion is not None:
            self._loops.append(asyncio.create_task(self._tell_conclusions(), context=Context()))

    def events(self, turn: Turn, events: Sequence[TimelineEvent]) -> None:
        """Queues the events of a turn for the hook."""
        if self._hooks.on_event is not None:
            for event in events:
                self._queue.put_nowait((turn.tenant, turn.session, renamed(event, self._event_names)))

    async def told(self) -> None:
        """Waits until the hook has heard all events so far."""
        await self._queue.join()

    def unheard(self) -> int:
        """Counts the conclusions that the hook shall still hear; 0 where there is no hook."""
        return self._store.unheard_conclusions() if self._hooks.on_conclusion is not None else 0

    async def stop(self) -> None:
        """Stops telling, the queued events told. An unheard conclusion stays in the store for the next worker."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.told(), self._hooks.timeout_s)
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)

    async def _tell_events(self) -> None:
        while True:
            event = await self._queue.get()
            hook = self._hooks.on_event
            if hook is not None:
                await heard("hooks.on_event", self._hooks.timeout_s, hook, *event)
            self._queue.task_done()

    async def _tell_conclusions(self) -> None:
        while True:
            seen = self._pulse.seen()
            if not await self._tell_conclusion():
                await self._pulse.wait(seen, self._poll_s)

    async def _tell_conclusion(self) -> bool:
        """Tells the hook one conclusion; False where none is due, or the database refused."""
        hook = self._hooks.on_conclusion
        place = "worker.conclusions"
        due = await self._calls.guarded(place, None, self._store.claim_conclusion, lease_s=self._lease_s)
        if due is None or hook is None:
            return False
        conclusion, attempt = due
        if await heard("hooks.on_conclusion", self._hooks.timeout_s, hook, conclusion):
            await self._calls.guarded(place, None, self._store.conclusion_heard, conclusion)
        else:
            delay_s = self._retry_s * 2 ** (attempt - 1) if attempt < self._store.max_attempts else None
            await self._calls.guarded(place, None, self._store.conclusion_unheard, conclusion, delay_s=delay_s)
        self._pulse.fire()
        return True
