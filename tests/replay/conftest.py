"""Turns judged live in a store, and a replay over them with a judge that follows a script."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from afterturn import Afterturn, Agent, Message, Turn
from afterturn.calls import Answer, Call, Confidence
from afterturn.classifiers import SAFETY
from afterturn.config import Config
from afterturn.replay import Replay
from afterturn.store import Filter, Store, open_store
from afterturn.testing import ScriptedJudge

SAFETY_2 = replace(SAFETY, version="2")
START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def says(call: Call, alarms: Callable[[str], bool]) -> Answer:
    """Answers every field that is asked; safety alarms where the customer's words make it."""
    text = next(message.text for message in reversed(call.turn.messages) if message.role == "user")
    values: dict[str, Any] = {
        "title": f"title of {text}",
        "safetySignal": "self_harm" if alarms(text) else "none",
        "categoryNames": [],
    }
    asked = {name for question in call.questions for name in question.fields}
    sure = {"safetySignal": Confidence(percent=90 if alarms(text) else 70, source="logprob")}
    return Answer(values={name: values[name] for name in asked}, confidence=sure)


def live_answers(call: Call) -> Answer:
    """Alarms at every tenth turn."""
    return says(call, lambda text: text.endswith("0"))


def new_answers(call: Call) -> Answer:
    """Alarms at every fifth turn."""
    return says(call, lambda text: text[-1] in "05")


def _live_judge(name: str) -> ScriptedJudge:
    return ScriptedJudge(live_answers, name="live")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "afterturn.db"


@pytest.fixture
def config(path: Path) -> Config:
    settings = {"db": str(path), "judge": "live", "classifiers": ["conversation", "safety"], "retry_s": 0}
    return Config.model_validate(settings)


@pytest.fixture
def make_turn() -> Callable[..., Turn]:
    def made(number: int, **fields: Any) -> Turn:
        values: dict[str, Any] = {
            "messages": (
                Message(role="user", text=f"Please send me the invoice of order {number}"),
                Message(role="assistant", text="That is a fine question, here is the answer."),
            ),
            "agent": Agent("support"),
            "tenant": "acme",
            "session": f"s-{number % 3}",
            "id": f"t-{number}",
            "created_at": START + timedelta(hours=6 * number),
        }
        return Turn(**(values | fields))

    return made


@pytest.fixture
def live(config: Config, make_turn: Callable[..., Turn]) -> Callable[..., Awaitable[None]]:
    """Stores turns and has them judged as live traffic is."""

    async def judged(turns: int | list[Turn] = 20) -> None:
        many = [make_turn(number) for number in range(turns)] if isinstance(turns, int) else turns
        async with Afterturn(config=config, open_judge=_live_judge, sinks=()) as at:
            for turn in many:
                await at.submit(turn)
            await at.drain()

    return judged


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with open_store(path) as opened:
        yield opened


@pytest.fixture
def make_replay(store: Store, config: Config) -> Callable[..., Replay]:
    """Makes a replay of safety 2 whose judge follows a script."""

    def made(script: Any = new_answers, **options: Any) -> Replay:
        judge = options.pop("scripted", None) or ScriptedJudge(script, name="new")

        def opened(name: str) -> Any:
            return judge

        asked = options.pop("classifiers", [SAFETY_2])
        settings: dict[str, Any] = {"judge": "new", "narrow": Filter(), "open_judge": opened, "poll_s": 0.01}
        return Replay(options.pop("store", store), options.pop("config", config), asked, **(settings | options))

    return made


@pytest.fixture
def safety_2() -> Any:
    return SAFETY_2


@pytest.fixture
def new_script() -> Callable[[Call], Answer]:
    return new_answers
