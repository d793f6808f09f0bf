"""Asks once more after an error that a retry helps: a rate limit, a 5xx, a broken connection. Once, never more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from afterturn.calls import Answer, Call, Judge
from afterturn.errors import JudgeError
from afterturn.judges.wrap._base import Around

Sleep = Callable[[float], Awaitable[object]]


class Retry(Around):
    """Gives a call one second chance.

    Args:
        judge: The judge to ask again.
        wait_s: Seconds before the second attempt where the provider names none.
        longest_wait_s: Where the provider asks for a longer wait than this, the first error is final: the work queue
            tries later, and nobody sleeps on a lease.
        sleep: How to wait; given in tests.
    """

    def __init__(
        self, judge: Judge, *, wait_s: float = 0.5, longest_wait_s: float = 5.0, sleep: Sleep = asyncio.sleep
    ) -> None:
        super().__init__(judge)
        self._wait_s = wait_s
        self._longest_wait_s = longest_wait_s
        self._sleep = sleep

    async def ask(self, call: Call) -> Answer:
        """Answers a call, at the second attempt if need be.

        Raises:
            JudgeError: The second error, or the first where a retry does not help.
        """
        wait_s = self._wait_s
        try:
            return await self._judge.ask(call)
        except JudgeError as error:
            if error.retry_after_s is not None:
                wait_s = max(0.0, error.retry_after_s)
            if not error.transient or wait_s > self._longest_wait_s:
                raise
        await self._sleep(wait_s)
        return await self._judge.ask(call)
