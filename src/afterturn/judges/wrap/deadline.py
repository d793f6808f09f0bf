"""Gives a whole call a deadline: retries, refusals of a form and waiting included."""

from __future__ import annotations

import asyncio

from afterturn.calls import Answer, Call, Judge
from afterturn.errors import JudgeTimeoutError
from afterturn.judges.wrap._base import Around

DEFAULT_S = 20.0


class Deadline(Around):
    """Ends a call that takes too long.

    The call inside is cancelled and its cleaning up awaited. A cancellation from outside passes through as one, and an
    answer that arrived before the cancellation did is kept.

    Args:
        judge: The judge that may take too long.
        seconds: How long the whole call may take.
    """

    def __init__(self, judge: Judge, *, seconds: float = DEFAULT_S) -> None:
        super().__init__(judge)
        self._seconds = seconds

    async def ask(self, call: Call) -> Answer:
        """Answers a call in time.

        Raises:
            JudgeTimeoutError: The deadline passed.
            JudgeError: Whatever else the judge inside raised.
        """
        try:
            async with asyncio.timeout(self._seconds):
                return await self._judge.ask(call)
        except TimeoutError:
            pass  # raised below, so that the cancelled call is not its context
        raise JudgeTimeoutError(f"no answer within {self._seconds:g} s; a smaller model or a later deadline helps")
