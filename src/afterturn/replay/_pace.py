"""Keeps a replay from asking faster than it may."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Sleep = Callable[[float], Awaitable[None]]


class Pace:
    """Lets through so many a second, evenly; None lets all through at once.

    Args:
        rate: How many a second.
        sleep: Waits; given in tests.
        time: Gives seconds that never go back; the loop's by default.
    """

    def __init__(
        self, rate: float | None, *, sleep: Sleep = asyncio.sleep, time: Callable[[], float] | None = None
    ) -> None:
        self._gap_s = 0.0 if rate is None else 1.0 / rate
        self._sleep = sleep
        self._time = time
        self._next: float | None = None

    async def wait(self) -> None:
        """Waits for its turn."""
        if not self._gap_s:
            return
        now = (self._time or asyncio.get_running_loop().time)()
        at = now if self._next is None else max(now, self._next)
        self._next = at + self._gap_s
        if at > now:
            await self._sleep(at - now)
