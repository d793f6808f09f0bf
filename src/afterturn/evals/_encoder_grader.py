"""Applies a rubric with the local encoder, on this machine: what it finds is put on the rubric's scale."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

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
        clock: Gives seconds; given in tests.
    """

    free = True
    priced = True

    def __init__(
        self,
        rubric: Rubric,
        look: Callable[[Row, Reply], Found],
        *,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._rubric = rubric
        self._look = look
        self._clock = clock

    @property
    def rubric(self) -> str:
        """Name of the rubric."""
        return self._rubric.name

    def skips(self, row: Row, reply: Reply | None) -> str | None:
        """Gives the code of the reason why this rubric cannot score a row, or None."""
        return self._rubric.skips(row, reply)

    async def grade(self, row: Row, reply: Reply) -> Score:
        """Scores a reply.

        Raises:
            JudgeError: The encoder is not there.
        """
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
