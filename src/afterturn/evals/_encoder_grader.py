"""Applies a rubric with the local encoder, on this machine: what it finds is put on the rubric's scale."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from afterturn.errors import JudgeError
from afterturn.evals._records import Reply, Row, Score
from afterturn.evals._rubric import Rubric
from afterturn.turns import JsonObject, JsonValue

JUDGE = "encoder"


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Is what the encoder says of a reply: the score, why, and the rubric's further fields."""

    score: int
    reasoning: str
    extra: JsonObject = field(default_factory=dict[str, JsonValue])


class EncoderGrader:
    """Is a rubric with the encoder that applies it.

    Args:
        rubric: The rubric.
        look: Looks at a reply, in a thread.
        load: Loads the encoder, in a thread; once it is there, it costs nothing.
        clock: Gives seconds; given in tests.
    """

    free = True
    priced = True

    def __init__(
        self,
        rubric: Rubric,
        look: Callable[[Row, Reply], Found],
        *,
        load: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._rubric = rubric
        self._look = look
        self._load = load
        self._warm = False
        self._clock = clock

    @property
    def rubric(self) -> str:
        """Name of the rubric."""
        return self._rubric.name

    def skips(self, row: Row, reply: Reply | None) -> str | None:
        """Gives the code of the reason why this rubric cannot score a row, or None."""
        return self._rubric.skips(row, reply)

    async def warm(self) -> None:
        """Loads the encoder. Where it is not there nothing is raised: the first score says so."""
        if not self._warm:
            with suppress(JudgeError):
                await asyncio.to_thread(self._load)
                self._warm = True

    async def grade(self, row: Row, reply: Reply) -> Score:
        """Scores a reply.

        Raises:
            JudgeError: The encoder is not there.
        """
        await self.warm()  # loading is no part of a reply's time
        started_s = self._clock()
        found = await asyncio.to_thread(self._look, row, reply)
        return Score(
            rubric=self.rubric,
            score=found.score,
            reasoning=found.reasoning,
            extra=found.extra,
            judge=JUDGE,
            cost_usd=0.0,
            latency_ms=(self._clock() - started_s) * 1000,
        )
