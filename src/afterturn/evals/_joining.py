"""Cuts a scripted conversation into what is said at a time, and makes one reply of the replies to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from afterturn.evals._records import Reply
from afterturn.turns import Message
from afterturn.verdicts import Usage


def parts_of(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Cuts a conversation before each user message that follows on another one.

    Example:
        >>> said = [Message(role="user", text="Hello"), Message(role="user", text="Are you there?")]
        >>> [[message.text for message in part] for part in parts_of(said)]
        [['Hello'], ['Are you there?']]
    """
    part: list[Message] = []
    for message in messages:
        if message.role == "user" and part and part[-1].role == "user":
            yield part
            part = []
        part.append(message)
    if part:
        yield part


def added_messages(reply: Reply) -> tuple[Message, ...]:
    """What a reply adds to a conversation; its text alone where the target told no messages."""
    return reply.messages or (Message(role="assistant", text=reply.text),)


def joined_replies(replies: Sequence[Reply]) -> Reply:
    """Makes one reply of several: the last one, with the calls, messages, tokens, costs and times of all.

    What is unknown of one is unknown of all.
    """
    return replace(
        replies[-1],
        tool_calls=tuple(call for reply in replies for call in reply.tool_calls),
        messages=tuple(message for reply in replies for message in added_messages(reply)),
        usage=Usage(
            input_tokens=_sum([reply.usage.input_tokens for reply in replies]),
            output_tokens=_sum([reply.usage.output_tokens for reply in replies]),
        ),
        cost_usd=_sum_known([reply.cost_usd for reply in replies]),
        latency_ms=_sum_known([reply.latency_ms for reply in replies]),
    )


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _sum_known(amounts: list[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None
