"""Runs the stream filter over the finished reply of a turn."""

from __future__ import annotations

from dataclasses import replace

from afterturn import stream
from afterturn.turns import Mark, Reply, Turn


def filtered(turn: Turn) -> Turn:
    """Gives the turn with its reply filtered; a turn that has one, or that ends without a reply, comes back as it is.

    Args:
        turn: A turn whose last message is the raw reply.

    Returns:
        The turn with `reply` set: clean text, citations with positions, leaked calls. The messages stay raw.
    """
    if turn.reply is not None or not turn.messages or turn.messages[-1].role != "assistant":
        return turn
    last = turn.messages[-1]
    cleaned = stream.clean(last.text or last.refusal or "", aliases=turn.aliases, tools=turn.agent.tool_names)
    reply = Reply(
        text=cleaned.text,
        raw=cleaned.raw,
        cited=tuple(cleaned.cited),
        unknown=tuple(cleaned.unknown),
        marks=tuple(Mark(*mark) for mark in cleaned.marks),
        leaks=tuple(cleaned.leaks),
    )
    return replace(turn, reply=reply)
