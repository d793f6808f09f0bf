"""The rules of the guard are read when the host starts, not at a customer's first message."""

from __future__ import annotations

from pathlib import Path

from afterturn import Afterturn
from afterturn.config import Config
from afterturn.guard import Finding, Guard


async def test_entering_the_library_asks_the_guard_once_in_each_scope(tmp_path: Path) -> None:
    asked: list[str] = []

    def engine(text: str) -> tuple[Finding, ...]:
        asked.append(text)
        return ()

    config = Config(db=str(tmp_path / "a.db"))
    async with Afterturn(config=config, guard=Guard(engines={"own": engine})):
        assert len(asked) == 2
