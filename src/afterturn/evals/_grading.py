"""Says what scores a reply: a rubric with a judge, or anything else that looks like it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from afterturn.evals._records import Reply, Row, Score


@runtime_checkable
class Grader(Protocol):
    """Scores replies under one rubric."""

    @property
    def rubric(self) -> str:
        """Name of the rubric."""
        ...

    @property
    def free(self) -> bool:
        """Whether a score costs nothing for sure."""
        ...

    @property
    def priced(self) -> bool:
        """Whether the cost of a score is known, because it is free or has a price."""
        ...

    def skips(self, row: Row, reply: Reply | None) -> str | None:
        """Gives the code of the reason why it cannot score a row, or None; before the agent, `reply` is None."""
        ...

    async def grade(self, row: Row, reply: Reply) -> Score:
        """Scores a reply.

        Raises:
            JudgeError: With the code of what went wrong; the row becomes a `judge_error`.
        """
        ...


@runtime_checkable
class SlowToStart(Protocol):
    """Is a grader that loads something first; it is begun before the rows, so that no row waits for it."""

    async def warm(self) -> None:
        """Loads it. Where it is not there nothing is raised: the first score says so."""
        ...
