"""Walks through the stored turns of a replay, and leases what is left to do of each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence

from afterturn.calls import Planned
from afterturn.replay._pace import Sleep
from afterturn.store import Filter, ReplayClaim, Replays, StoredTurn, key_of

_PAGE = 50

Plans = Callable[[StoredTurn], tuple[Planned, ...]]
"""Gives the questions that a replay asks about a turn."""


class Walk:
    """Goes from the newest turn to the oldest, and at the end waits for what others are at.

    A turn that is being judged by another replay is left to it; if that one dies, its lease runs out and the turn is
    taken over here.

    Args:
        replays: Where replays work.
        narrow: Which turns.
        plans: What is asked about a turn.
        owner: The name that leases are held under.
        limit: How many turns at most, the newest.
        at_once: How many turns are leased at the same time.
        lease_s: How long a lease lasts.
        poll_s: How often to look whether others are done.
        sleep: Waits.
    """

    def __init__(
        self,
        replays: Replays,
        narrow: Filter,
        plans: Plans,
        *,
        owner: str,
        limit: int | None,
        at_once: int,
        lease_s: float,
        poll_s: float,
        sleep: Sleep,
    ) -> None:
        self._replays = replays
        self._narrow = narrow
        self._plans = plans
        self._owner = owner
        self._left = limit
        self._at_once = at_once
        self._lease_s = lease_s
        self._poll_s = poll_s
        self._sleep = sleep
        self._held: set[int] = set()
        self.known = 0

    async def claims(
        self, done: Callable[[], None], waits: Callable[[int], None] = lambda turns: None
    ) -> AsyncGenerator[ReplayClaim]:
        """Gives the work, turn by turn.

        Args:
            done: Is called for each turn with nothing to do.
            waits: Is called once when nothing is left but what others are at, with the number of such turns.
        """
        before: int | None = None
        while page := await asyncio.to_thread(self._page, before):
            before = page[-1].number
            for start in range(0, len(page), self._at_once):
                for claimed in await self._claimed(page[start : start + self._at_once], done, first=True):
                    yield claimed
        told = False
        while self._held:
            some = await asyncio.to_thread(self._replays.some, sorted(self._held)[:_PAGE])
            self._held.difference_update(stored.number for stored in some)
            claims = await self._claimed(some, done, first=False)
            for claimed in claims:
                yield claimed
            if not claims and self._held:
                if not told:
                    waits(len(self._held))
                told = True
                await self._sleep(self._poll_s)

    def _page(self, before: int | None) -> tuple[StoredTurn, ...]:
        size = _PAGE if self._left is None else min(_PAGE, self._left)
        page = self._replays.page(self._narrow, before=before, size=size) if size else ()
        if self._left is not None:
            self._left -= len(page)
        return page

    async def _claimed(
        self, some: Sequence[StoredTurn], done: Callable[[], None], *, first: bool
    ) -> tuple[ReplayClaim, ...]:
        answered = await asyncio.to_thread(self._replays.answered, [stored.number for stored in some])
        wanted: list[tuple[StoredTurn, tuple[Planned, ...]]] = []
        for stored in some:
            planned = self._plans(stored)
            left = tuple(one for one in planned if (stored.number, key_of(one)) not in answered)
            self.known += len(planned) - len(left) if first else 0
            if left:
                wanted.append((stored, left))
            else:
                done()
        claims = await asyncio.to_thread(self._replays.claim, wanted, owner=self._owner, lease_s=self._lease_s)
        whole = {claimed.stored.number: len(claimed.planned) for claimed in claims}
        self._held |= {stored.number for stored, left in wanted if whole.get(stored.number) != len(left)}
        return claims
