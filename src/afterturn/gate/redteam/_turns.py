"""Asks an agent turn by turn where a row has several user messages in a row, and keeps the answers away from it."""

from __future__ import annotations

from dataclasses import replace

from afterturn.errors import AgentError
from afterturn.evals import Reply, Row
from afterturn.evals._joining import added_messages, joined_replies, parts_of
from afterturn.evals.targets import Target
from afterturn.turns import JsonObject, Message


class TurnByTurn:
    """Is a target that lets another answer each user message of a row.

    The agent sees neither the metadata of a row (they say what a success looks like) nor its assertions.

    Args:
        inner: The agent under test.
    """

    def __init__(self, inner: Target) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The agent's name."""
        return self._inner.name

    @property
    def options(self) -> JsonObject:
        """The agent's options."""
        return self._inner.options

    @property
    def free(self) -> bool:
        """Whether asking it costs nothing for sure."""
        return self._inner.free

    async def ask(self, row: Row) -> Reply:
        """Lets the agent answer, message by message.

        Raises:
            AgentError: With the code of what went wrong, at whichever message.
        """
        bare = replace(row, metadata={}, assertions=(), expected=None)
        said: list[Message] = []
        replies: list[Reply] = []
        for part in parts_of(row.input):
            said += part
            reply = await self._inner.ask(replace(bare, input=tuple(said)))
            if not reply.text.strip() and not reply.tool_calls:
                raise AgentError("no_reply", "the agent said nothing and called no tool")
            replies.append(reply)
            said += added_messages(reply)
        return replies[0] if len(replies) == 1 else joined_replies(replies)

    async def aclose(self) -> None:
        """Frees what the agent holds."""
        await self._inner.aclose()
