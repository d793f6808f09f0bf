"""Asks an agent turn by turn where a row has several user messages in a row, and keeps the answers away from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from afterturn.errors import AgentError
from afterturn.evals import Reply, Row
from afterturn.evals.targets import Target
from afterturn.turns import JsonObject, Message, ToolCall
from afterturn.verdicts import Usage


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
        for part in _parts(row.input):
            said += part
            reply = await self._inner.ask(replace(bare, input=tuple(said)))
            if not reply.text.strip() and not reply.tool_calls:
                raise AgentError("no_reply", "the agent said nothing and called no tool")
            replies.append(reply)
            said += reply.messages or (Message(role="assistant", text=reply.text),)
        return replies[0] if len(replies) == 1 else _joined(replies)

    async def aclose(self) -> None:
        """Frees what the agent holds."""
        await self._inner.aclose()


def _parts(messages: tuple[Message, ...]) -> Iterator[list[Message]]:
    """Cuts a conversation before each user message that follows on another one."""
    part: list[Message] = []
    for message in messages:
        if message.role == "user" and part and part[-1].role == "user":
            yield part
            part = []
        part.append(message)
    if part:
        yield part


def _joined(replies: list[Reply]) -> Reply:
    calls: tuple[ToolCall, ...] = tuple(call for reply in replies for call in reply.tool_calls)
    messages = tuple(
        message for reply in replies for message in reply.messages or (Message(role="assistant", text=reply.text),)
    )
    costs = [reply.cost_usd for reply in replies]
    known = [cost for cost in costs if cost is not None]
    return replace(
        replies[-1],
        tool_calls=calls,
        messages=messages,
        usage=Usage(
            input_tokens=_sum([reply.usage.input_tokens for reply in replies]),
            output_tokens=_sum([reply.usage.output_tokens for reply in replies]),
        ),
        cost_usd=sum(known) if len(known) == len(costs) else None,
        latency_ms=sum(reply.latency_ms for reply in replies),
    )


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
