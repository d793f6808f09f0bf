"""Has a judge grade a whole conversation: what it is shown as the conversation is all that was said."""

from __future__ import annotations

from dataclasses import replace

from afterturn.evals._grading import Grader
from afterturn.evals._records import Reply, Row, Score

RUBRIC = "conversation"
"""The rubric of conversations, where none is named."""


class ConversationGrader:
    """Is a grader that sees the conversation in the place of the row's input.

    Args:
        inner: Who grades.
    """

    def __init__(self, inner: Grader) -> None:
        self._inner = inner

    @property
    def rubric(self) -> str:
        """Name of the rubric."""
        return self._inner.rubric

    @property
    def free(self) -> bool:
        """Whether a score costs nothing for sure."""
        return self._inner.free

    @property
    def priced(self) -> bool:
        """Whether the cost of a score is known."""
        return self._inner.priced

    def skips(self, row: Row, reply: Reply | None) -> str | None:
        """Gives the code of the reason why it cannot score a conversation, or None."""
        return self._inner.skips(row, reply)

    async def grade(self, row: Row, reply: Reply) -> Score:
        """Scores a conversation.

        Raises:
            JudgeError: With the code of what went wrong.
        """
        return await self._inner.grade(replace(row, input=reply.messages), reply)
