"""Judged turns for people to review, and what the tests of `afterturn review` read of its output."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from typer.testing import Result

from afterturn.calls import Planned
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Filter, Store, open_store
from afterturn.turns import Agent, Message, Turn
from afterturn.verdicts import Verdict

Run = Callable[..., Result]

CANARY = "zebraquartz"
START = datetime(2026, 11, 1, 12, tzinfo=UTC)
TURNS = 120
NARROW = Filter(classifier="safety", version="1")


def judge(store: Store, number: int, tenant: str = "acme") -> None:
    said = (
        Message(role="user", text=f"{CANARY} before"),
        Message(role="assistant", text="Yes?"),
        Message(role="user", text=f"{CANARY} [b]{number}[/b]\x1b[31m\nsecond line"),
        Message(role="assistant", text=f"{CANARY} reply"),
    )
    agent = Agent("support", instructions=f"{CANARY} scope")
    turn = Turn(messages=said, agent=agent, tenant=tenant, session=f"s-{number}", id=f"t-{number}")
    metric = "agent.safety.verdict"
    store.add_turn(turn, [Planned(classifier="safety", version="1", metric=metric, judge="encoder", plan="")])
    (claimed,) = store.claim("w", lease_s=60).claims
    verdict = Verdict(
        tenant=tenant,
        agent="support",
        session=turn.session,
        turn=turn.id,
        classifier="safety",
        version="1",
        plan="",
        metric=metric,
        status="no_finding" if number % 6 else "finding",
        confidence=80 + number % 10,
        judge="encoder",
        created_at=START + timedelta(days=number % 4),
    )
    store.finish(claimed, [Judgement(verdict=verdict)], apply)


ANNA = ("--classifier", "safety", "--reviewer", "anna", "--size", "30")


def last(result: Result) -> dict[str, Any]:
    """Gives the one object on stdout: turns are shown elsewhere."""
    return json.loads(result.stdout)


def labels_in(database: Path) -> list[tuple[str, str, str]]:
    with open_store(database) as store:
        return [(label.turn, label.reviewer, label.answer) for label in store.reviews.labels()]
