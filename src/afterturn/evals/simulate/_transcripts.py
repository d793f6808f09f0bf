"""Writes conversations as turns, so that everything that reads turns reads them: classify, replay, review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from afterturn.evals._records import RowResult
from afterturn.evals.simulate._played import played
from afterturn.turns import Turn

TENANT = "simulation"


def turns_of(result: RowResult) -> Iterator[Turn]:
    """Gives the turns of a conversation, each with what was said before it.

    Passages are not among them: a conversation keeps which it used, but not in which turn.
    """
    reply, found = result.reply, played(result.reply)
    if reply is None or found is None:
        return
    messages = reply.messages
    ends = [
        place
        for place, message in enumerate(messages, start=1)
        if message.role != "user" and (place == len(messages) or messages[place].role == "user")
    ]
    asked = [end for end in ends if any(message.role == "user" for message in messages[:end])]
    session = f"{result.row.id}#{result.repeat}"
    for number, end in enumerate(asked, start=1):
        yield Turn(
            messages=messages[:end],
            agent=reply.agent,
            tenant=TENANT,
            session=session,
            id=f"{session}/{number}",
            created_at=result.created_at,
            extra={"persona": found.persona, "stop": found.stop, "state": result.state},
        )


def transcripts(results: Iterable[RowResult]) -> Iterator[Turn]:
    """Gives the turns of all conversations, in the order in which they ended; an agent's error leaves none."""
    for result in results:
        yield from turns_of(result)
