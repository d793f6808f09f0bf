"""Parts of eval runs for tests: a target made of a function, rows, and a run in one call."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from afterturn.evals import JudgeGrader, Prices, Reply, Row, RowResult, RowRunner, Setup, load_rubric, read_row
from afterturn.evals._pace import Pace
from afterturn.evals.targets import reply_from
from afterturn.testing import Script, ScriptedJudge
from afterturn.turns import JsonObject, Message

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
GOOD: JsonObject = {"reasoning": "It fits.", "score": 80}


@dataclass
class FunctionTarget:
    """Is a target that does what a function says, and keeps the ids of the rows it was asked."""

    function: Callable[[Row], Any] = lambda row: "A reply."
    name: str = "test:agent"
    free: bool = True
    options: JsonObject = field(default_factory=dict[str, Any])
    asked: list[str] = field(default_factory=list[str])
    closed: bool = False

    async def ask(self, row: Row) -> Reply:
        self.asked.append(row.id)
        value: Any = self.function(row)
        if inspect.isawaitable(value):
            value = await value
        return reply_from(value, row)

    async def aclose(self) -> None:
        self.closed = True


def row(**fields: Any) -> Row:
    return read_row({"id": "r1", "input": "What is 1+1?", "expected": "2", **fields}, source="rows.jsonl:1")


def rows(count: int) -> list[Row]:
    return [row(id=f"r{number}", input=f"What is {number}+1?") for number in range(count)]


def said(text: str, **fields: Any) -> Reply:
    return Reply(text=text, messages=(Message(role="assistant", text=text),), **fields)


def grader(script: Script = GOOD, *, rubric: str = "correctness", prices: Prices | None = None) -> JudgeGrader:
    return JudgeGrader(load_rubric(rubric), ScriptedJudge(script), prices=prices or Prices({}))


def result_of(
    function: Callable[[Row], Any] = lambda row: "2",
    script: Script | None = None,
    *,
    of: Row | None = None,
    sleeps: list[float] | None = None,
    **setup: Any,
) -> RowResult:
    """Runs one row; waits are noted and not waited for."""
    noted = sleeps if sleeps is not None else []

    async def sleep(seconds: float) -> None:
        noted.append(seconds)

    setup.setdefault("target", FunctionTarget(function))
    if script is not None:
        setup.setdefault("graders", (grader(script),))
    runner = RowRunner(Setup(**setup), Pace(5, sleep=sleep), now=lambda: NOW)
    return asyncio.run(runner.run(of or row(), 1))


def states(results: Sequence[RowResult]) -> dict[str, str]:
    return {result.row.id: result.state for result in results}
