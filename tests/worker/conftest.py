"""A store, turns to submit, and a judging that answers what a test says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from afterturn.calls import Planned
from afterturn.outcomes import Judgement, Outcome
from afterturn.store import Store, open_store
from afterturn.turns import Agent, Message, Turn
from afterturn.verdicts import Verdict

Answering = Callable[[Turn, tuple[Planned, ...], int], Awaitable[tuple[Judgement, ...]]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "afterturn.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with open_store(path) as opened:
        yield opened


@pytest.fixture
def new_turn() -> Callable[..., Turn]:
    def made(number: int = 1, **fields: Any) -> Turn:
        values: dict[str, Any] = {
            "messages": (Message(role="user", text=f"question {number}"), Message(role="assistant", text="answer")),
            "agent": Agent("support"),
            "tenant": "acme",
            "session": "s-1",
            "id": f"t-{number}",
            "created_at": datetime(2026, 11, 30, 9, 0, tzinfo=UTC) + timedelta(minutes=number),
        }
        return Turn(**(values | fields))

    return made


@pytest.fixture
def questions() -> Callable[..., list[Planned]]:
    def made(*classifiers: str, skip: str | None = None) -> list[Planned]:
        return [
            Planned(classifier=name, version="1", metric=f"agent.{name}.verdict", judge="test", plan="p", skip=skip)
            for name in classifiers or ("conversation",)
        ]

    return made


@dataclass
class Judging:
    """Answers every question with one outcome, or does what `first` says before; remembers what it was asked."""

    outcome: Outcome | None = None
    first: Callable[[Turn, int], Awaitable[None]] | None = None
    asked: list[tuple[str, tuple[str, ...], int]] = field(default_factory=list[tuple[str, tuple[str, ...], int]])

    async def __call__(self, turn: Turn, planned: tuple[Planned, ...], attempt: int) -> tuple[Judgement, ...]:
        self.asked.append((turn.id, tuple(one.classifier for one in planned), attempt))
        if self.first is not None:
            await self.first(turn, attempt)
        return tuple(self._judgement(turn, one, attempt) for one in planned)

    def _judgement(self, turn: Turn, planned: Planned, attempt: int) -> Judgement:
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
            created_at=datetime(2026, 11, 30, 10, 0, tzinfo=UTC),
        )
        return Judgement(verdict=verdict, outcome=self.outcome)


@pytest.fixture
def judging() -> Callable[..., Any]:
    return Judging
