"""Is the process that the kill test kills: sends turns, judges them, and says each step on standard output.

Usage: judge_turns.py DATABASE HEARD TURNS
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from afterturn.calls import Planned
from afterturn.outcomes import Judgement, Outcome
from afterturn.store import Conclusion, open_store
from afterturn.turns import Agent, Message, Turn
from afterturn.verdicts import Verdict
from afterturn.worker import Hooks, Worker

_START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def turn(number: int) -> Turn:
    """Every tenth turn is a sub-agent's, in a session of its own, and ends it."""
    form = number % 10 == 0
    return Turn(
        messages=(Message(role="user", text=f"question {number}"), Message(role="assistant", text="answer " * 50)),
        agent=Agent("form", parent="main") if form else Agent("support"),
        tenant="acme",
        session=f"form-{number}" if form else f"s-{number % 7}",
        id=f"t-{number}",
        created_at=_START + timedelta(seconds=number),
    )


def planned() -> list[Planned]:
    names = {"conversation": None, "conclusion": None, "sources": "no_passages"}
    return [
        Planned(classifier=name, version="1", metric=f"agent.{name}.verdict", judge="slow", plan="p", skip=skip)
        for name, skip in names.items()
    ]


async def judge(turn: Turn, planned: tuple[Planned, ...], attempt: int) -> tuple[Judgement, ...]:
    await asyncio.sleep(0.004)  # what a judge takes; the test waits for lines, never for time
    return tuple(_judgement(turn, one, attempt) for one in planned)


def _judgement(turn: Turn, planned: Planned, attempt: int) -> Judgement:
    verdict = Verdict(
        tenant=turn.tenant,
        agent=turn.agent.id,
        session=turn.session,
        turn=turn.id,
        classifier=planned.classifier,
        version=planned.version,
        plan=planned.plan,
        metric=planned.metric,
        status="finding",
        judge=planned.judge,
        attempt=attempt,
        created_at=datetime.now(UTC),
    )
    if planned.classifier == "conclusion":
        outcome = Outcome(task_concluded=turn.agent.parent is not None)
    else:
        outcome = Outcome(title=f"Title of {turn.id}", categories=(turn.id,))
    return Judgement(verdict=verdict, outcome=outcome)


class Said:
    """Says each verdict that is stored."""

    name = "said"

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        for verdict in verdicts:
            say(f"{verdict.status} {verdict.turn} {verdict.classifier}")


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


async def main(database: str, heard: Path, turns: int) -> None:
    def on_conclusion(conclusion: Conclusion) -> None:
        with heard.open("a") as file:
            file.write(f"{conclusion.session}\n")

    with open_store(database, max_attempts=9) as store:
        hooks = Hooks(on_conclusion=on_conclusion, timeout_s=1)
        async with Worker(store, judge, sinks=[Said()], hooks=hooks, lease_s=2, poll_s=0.05) as worker:
            for number in range(turns):
                await worker.submit(turn(number), planned())
                say(f"stored t-{number}")
            await worker.drain()
    say("done")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
