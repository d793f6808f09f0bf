"""Decides how many rows run at once: as many as asked for, half as many after each rate limit, and slowly up again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

LONGEST_WAIT_S = 120.0
RECOVER_AFTER = 5
"""Rows without a rate limit, for each row at once, after which one more may run."""

Sleep = Callable[[float], Awaitable[object]]


class Pace:
    """Is the number of rows that may run at once.

    Args:
        most: The most at once.
        sleep: How to wait; given in tests.

    Attributes:
        limit: How many may run now.
        limited: How often a rate limit was met.
    """

    def __init__(self, most: int, *, sleep: Sleep = asyncio.sleep) -> None:
        self.limit = most
        self.limited = 0
        self._most = most
        self._sleep = sleep
        self._running = 0
        self._calm = 0
        self._epoch = 0
        self._waiting: list[asyncio.Future[None]] = []

    async def enter(self) -> int:
        """Waits until a row may run.

        Returns:
            When the row began, for `slow_down`.
        """
        while self._running >= self.limit:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            finally:
                if turn in self._waiting:
                    self._waiting.remove(turn)
        self._running += 1
        return self._epoch

    def leave(self) -> None:
        """Says that a row has ended."""
        self._running -= 1
        if self.limit < self._most:
            self._calm += 1
            if self._calm >= RECOVER_AFTER * self.limit:
                self._calm = 0
                self.limit += 1
        free = self.limit - self._running
        while self._waiting and free > 0:
            turn = self._waiting.pop(0)
            if not turn.done():
                turn.set_result(None)
                free -= 1

    async def slow_down(self, *, attempt: int, retry_after_s: float | None, epoch: int) -> int:
        """Halves the rows at once, and waits as long as the server asks, else longer from attempt to attempt.

        Rows that were under way when the limit was met meet it, too; only the first of them halves.

        Args:
            attempt: Which attempt of the row this was, from 1.
            retry_after_s: What the server asks for, or None.
            epoch: What `enter` or the last `slow_down` of this row gave.

        Returns:
            The new epoch.
        """
        self.limited += 1
        self._calm = 0
        if epoch == self._epoch:
            self._epoch += 1
            self.limit = max(1, self.limit // 2)
        wait_s = retry_after_s if retry_after_s is not None else 2.0 ** (attempt - 1)
        await self._sleep(min(max(wait_s, 0.0), LONGEST_WAIT_S))
        return self._epoch
