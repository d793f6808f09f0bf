"""Whoever is cancelled, once or at every wait, has the turn stored; and who leaves one waits for no locked database."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from afterturn import Afterturn, Agent, live
from afterturn.store import open_store
from afterturn.testing import ScriptedJudge

ANSWER = {"title": "Leave", "categoryNames": ["Leave"], "safetySignal": "none", "taskConcluded": False}

Make = Callable[..., Afterturn]


class Model:
    """Streams an answer without end, says when it began, and needs a moment to close, as a client of HTTP does."""

    def __init__(self) -> None:
        self.began = asyncio.Event()

    async def __call__(self) -> AsyncIterator[str]:
        try:
            while True:
                yield "You have 27 days. "
                self.began.set()
                await asyncio.sleep(0)
        finally:
            for _ in range(3):
                await asyncio.sleep(0)


async def _answer(at: Afterturn, agent: Agent, model: Model, *, sends: bool) -> None:
    async with at.turn(agent=agent, session="s-1", turn="t-1", message="How many days of leave have I?") as turn:
        async for _ in turn.stream(model()):
            await asyncio.sleep(0 if not sends or not model.began.is_set() else 3_600)


@pytest.mark.parametrize("sends", [False, True], ids=["by the model", "by the customer"])
@pytest.mark.parametrize("times", [1, 2, 99])
@pytest.mark.parametrize("warm", [False, True], ids=["first turn", "later turn"])
async def test_a_turn_is_stored_however_often_its_task_is_cancelled(
    make_afterturn: Make, agent: Agent, sends: bool, times: int, warm: bool
) -> None:
    at, model = make_afterturn(ScriptedJudge([ANSWER])), Model()
    if warm:
        await at.drain()  # opens the database and starts the worker
    task = asyncio.create_task(_answer(at, agent, model, sends=sends))
    await model.began.wait()
    for _ in range(times):  # a cancel scope of anyio cancels again at every wait
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    await at.aclose()  # waits for what is being stored
    with open_store(at.config.db) as store:
        assert store.funnel().skips == {"incomplete": 6}


async def test_the_end_of_a_turn_waits_for_no_locked_database(
    make_afterturn: Make, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "STORE_S", 0.01)
    at: Any = make_afterturn(ScriptedJudge([ANSWER]))
    await at.drain()
    other = sqlite3.connect(at.config.db, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    async with at.turn(agent=agent, session="s-1", turn="t-1", message="How many days?") as turn:
        turn.reply("You have 27 days of leave.")
    assert at.store.turn("default", "t-1") is None
    other.execute("ROLLBACK")
    other.close()
    verdicts = await turn.verdicts()
    assert {verdict.status for verdict in verdicts} <= {"finding", "no_finding", "skipped", "error"}
    assert at.store.turn("default", "t-1") is not None
