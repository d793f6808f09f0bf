"""Replays the recording: guard, stream filter, store, judge, session state, each step timed."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from afterturn.classification import Classification, classification
from afterturn.embedded import Afterturn
from afterturn.formats import messages_from_json
from afterturn.guard import GuardResult
from afterturn.store import SessionState, TimelineEvent
from afterturn.turns import Agent, Passage, Reply


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """Is what each step of a turn took, in milliseconds of wall time.

    Attributes:
        guard_ms: Checking the message.
        filter_ms: Filtering the reply, all deltas together.
        store_ms: Storing the turn with its questions.
        judge_ms: Asking the judge; the customer has the whole reply by then.
    """

    guard_ms: float
    filter_ms: float
    store_ms: float
    judge_ms: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    """Is one replayed turn and everything that is known of it.

    Attributes:
        message: What the customer wrote.
        deltas: The pieces of the reply as the model wrote them.
        guard: What the guard said.
        reply: The reply after the stream filter.
        passages: The passages that were retrieved.
        found: What the judge found.
        state: The state of the session after the turn.
        timeline: What happened in the turn.
        cost: What each step took.
    """

    message: str
    deltas: tuple[str, ...]
    guard: GuardResult
    reply: Reply
    passages: tuple[Passage, ...]
    found: Classification
    state: SessionState
    timeline: tuple[TimelineEvent, ...]
    cost: Cost

    def to_json(self) -> dict[str, Any]:
        """Gives the turn as JSON: the `classify` line, what the customer saw, and what each step cost."""
        return {
            **self.found.to_json(),
            "message": self.message,
            "text": self.reply.text,
            "guard": {"flagged": self.guard.flagged, "category": self.guard.category, "blocked": self.guard.blocked},
            "cited": list(self.reply.cited),
            "marks": [list(mark) for mark in self.reply.marks],
            "leaks": list(self.reply.leaks),
            "session_title": self.state.title,
            "concluded": self.state.concluded,
            "timeline": [{"name": event.name, "at": event.at.isoformat(), **event.data} for event in self.timeline],
            "cost_ms": {
                "guard": self.cost.guard_ms,
                "filter": self.cost.filter_ms,
                "store": self.cost.store_ms,
                "judge": self.cost.judge_ms,
            },
        }


async def replay(at: Afterturn) -> AsyncIterator[Replayed]:
    """Replays the recorded turns one after another, in sessions of their own.

    Args:
        at: The library, open.

    Yields:
        Each turn once it is judged.
    """
    await asyncio.to_thread(lambda: at.store)  # opened here, so that the first turn's figure is that of any turn
    run = secrets.token_hex(3)
    recording = json.loads(files("afterturn.demo").joinpath("recording.json").read_text(encoding="utf-8"))
    for recorded in recording["turns"]:
        yield await _turn(at, recorded, f"{recorded['session']}-{run}")


async def _turn(at: Afterturn, recorded: Mapping[str, Any], session: str) -> Replayed:
    agent = Agent(**recorded["agent"])
    history = messages_from_json(recorded["history"]) if recorded["history"] else None
    live = at.turn(agent=agent, session=session, message=recorded["message"], history=history)
    started = time.perf_counter()
    at.guard.check(recorded["message"])
    guard_ms = _ms_since(started)
    async with live as turn:
        passages = tuple(turn.passages(recorded["passages"])) if recorded["passages"] else ()
        started = time.perf_counter()
        async for _text in turn.stream(recorded["deltas"]):
            pass  # a host would send it to the customer
        filter_ms = _ms_since(started)
        started = time.perf_counter()
    store_ms = _ms_since(started)
    await turn.verdicts()
    return await _replayed(at, turn.id, recorded, session, passages, turn.guard, (guard_ms, filter_ms, store_ms))


async def _replayed(
    at: Afterturn,
    turn_id: str,
    recorded: Mapping[str, Any],
    session: str,
    passages: tuple[Passage, ...],
    guard: GuardResult,
    took: Sequence[float],
) -> Replayed:
    turn, state = at.store.turn("default", turn_id), at.session(session)
    if turn is None or turn.reply is None or state is None:
        raise AssertionError("a turn that was judged is stored with its reply and its session")
    found = classification(turn, await at.judgements("default", turn_id))
    guard_ms, filter_ms, store_ms = took
    return Replayed(
        message=recorded["message"],
        deltas=tuple(recorded["deltas"]),
        guard=guard,
        reply=turn.reply,
        passages=passages,
        found=found,
        state=state,
        timeline=tuple(event for event in at.timeline(session) if event.turn == turn_id),
        cost=Cost(
            guard_ms=guard_ms,
            filter_ms=filter_ms,
            store_ms=store_ms,
            judge_ms=max((verdict.latency_ms for verdict in found.verdicts), default=0.0),
        ),
    )


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
