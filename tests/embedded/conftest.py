"""A library on a database of its own, with the judge that a test gives it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from afterturn import Afterturn, Agent, Tool
from afterturn.calls import Judge
from afterturn.config import Config

MakeAfterturn = Callable[..., Afterturn]

AGENT = Agent(
    "support", instructions="You help.", categories=("Leave", "IT"), parent="desk", tools=(Tool(name="search"),)
)


@pytest.fixture
def agent() -> Agent:
    return AGENT


@pytest.fixture
async def make_afterturn(tmp_path: Path) -> AsyncIterator[MakeAfterturn]:
    opened: list[Afterturn] = []

    def make(judge: Judge | None = None, **options: Any) -> Afterturn:
        settings = {"db": str(tmp_path / "test.db"), "judge": "scripted" if judge else None, "retry_s": 0}
        settings |= options.pop("config", {})

        def opener(name: str) -> Judge:
            assert judge is not None
            return judge

        at = Afterturn(config=Config.model_validate(settings), open_judge=opener if judge else None, **options)
        opened.append(at)
        return at

    yield make
    for at in opened:
        await at.aclose()
