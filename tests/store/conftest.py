"""Turns, questions and judgements to store, and a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from afterturn.calls import Planned
from afterturn.outcomes import Judgement, Outcome
from afterturn.session import apply
from afterturn.store import Claim, Finished, Store, open_store
from afterturn.turns import Agent, Message, Turn
from afterturn.verdicts import Verdict

_START = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)


@pytest.fixture
def time() -> list[datetime]:
    return [_START]


@pytest.fixture
def now(time: list[datetime]) -> Callable[[], datetime]:
    return lambda: time[0]


@pytest.fixture
def pass_s(time: list[datetime]) -> Callable[[float], None]:
    def passed(seconds: float) -> None:
        time[0] += timedelta(seconds=seconds)

    return passed


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
def question() -> Callable[..., Planned]:
    def made(classifier: str = "conversation", *, skip: str | None = None, judge: str = "encoder") -> Planned:
        metric = f"agent.{classifier}.verdict"
        plan = "" if skip else "0" * 16
        return Planned(classifier=classifier, version="1", metric=metric, judge=judge, plan=plan, skip=skip)

    return made


@pytest.fixture
def answer(now: Callable[[], datetime]) -> Callable[..., Judgement]:
    """Answers one planned question of a claim, by default its first."""

    def made(
        claimed: Claim, planned: Planned | None = None, *, outcome: Outcome | None = None, **verdict: Any
    ) -> Judgement:
        one = planned or claimed.planned[0]
        values: dict[str, Any] = {
            "tenant": claimed.turn.tenant,
            "agent": claimed.turn.agent.id,
            "session": claimed.turn.session,
            "turn": claimed.turn.id,
            "classifier": one.classifier,
            "version": one.version,
            "plan": one.plan,
            "metric": one.metric,
            "status": "finding",
            "judge": one.judge,
            "attempt": claimed.attempt,
            "created_at": now(),
        }
        return Judgement(verdict=Verdict(**(values | verdict)), outcome=outcome)

    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "afterturn.db"


@pytest.fixture
def store(path: Path, now: Callable[[], datetime]) -> Iterator[Store]:
    with open_store(path, clock=now) as opened:
        yield opened


@pytest.fixture
def finish(store: Store, answer: Callable[..., Judgement]) -> Callable[..., Finished]:
    """Finishes a claim with one outcome for each of its questions."""

    def finished(claimed: Claim, outcome: Outcome | None = None, **verdict: Any) -> Finished:
        judgements = [answer(claimed, one, outcome=outcome, **verdict) for one in claimed.planned]
        return store.finish(claimed, judgements, apply)

    return finished
