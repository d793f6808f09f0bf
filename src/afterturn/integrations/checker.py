"""Checks single rows from code that is not asynchronous, as a test is."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from afterturn.calls import Judge
from afterturn.errors import UsageError
from afterturn.evals import (
    PASS_SCORE,
    Grader,
    Prices,
    Row,
    RowResult,
    RowRunner,
    Setup,
    load_prices,
    load_rubric,
    open_grader,
    read_row,
)
from afterturn.evals._pace import Pace
from afterturn.evals.assertions import open_assertion
from afterturn.evals.reports._rows import broken
from afterturn.evals.targets import Target, open_target
from afterturn.evals.targets._objects import wrapped
from afterturn.evals.targets.python import PythonTarget

T = TypeVar("T")

BY_DEFAULT = "expected_tool_calls"
"""The assertion that is made of every row that declares it (SPEC D4)."""


class Checker:
    """Runs an agent over rows, one call a row, with a thread of its own for what is asynchronous.

    It is a context manager; leaving it closes the agent and the judge.

    Args:
        target: The agent: a callable, an object of a framework, a `Target`, or how `--target` writes it.
        rubrics: Names of rubrics, or files.
        judge: Who applies them: a judge, or its name.
        assertions: What must hold of every reply (`contains:TEXT`); those of a row come beside them.
        threshold: The score from which a row passes.
        deadline_s: Seconds that the agent, and each judge, has for a row.
        prices: A file of prices.

    Raises:
        UsageError: One of them is not there or out of bounds, or a rubric has no judge.

    Example:
        >>> with Checker(lambda row: "A refund takes five days.", assertions=["contains:five days"]) as checker:
        ...     checker.check({"input": "How long does a refund take?"}).state
        'pass'
    """

    def __init__(
        self,
        target: Target | Callable[..., object] | object | str,
        *,
        rubrics: Sequence[str] = (),
        judge: Judge | str | None = None,
        assertions: Sequence[str] = (),
        threshold: int = PASS_SCORE,
        deadline_s: float = 120.0,
        prices: Path | str | None = None,
    ) -> None:
        _refuse_odd(assertions, rubrics, threshold, deadline_s)
        table = load_prices(Path(prices) if prices else None)
        self._judge = _opened_judge(judge, deadline_s) if rubrics else None
        self._target = _opened_target(target)
        names = {spec.partition(":")[0] for spec in assertions}
        specs = [*assertions] if BY_DEFAULT in names else [*assertions, BY_DEFAULT]
        setup = Setup(
            target=self._target,
            graders=_graders(rubrics, self._judge, table),
            assertions=tuple(map(open_assertion, specs)),
            threshold=threshold,
            deadline_s=deadline_s,
            prices=table,
        )
        self._runner = RowRunner(setup, Pace(1))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="afterturn-checker", daemon=True)
        self._thread.start()

    def check(self, row: Row | Mapping[str, Any], *, repeat: int = 1) -> RowResult:
        """Runs one row. Whatever breaks in the agent or the judge, there is a result.

        Raises:
            InputError: The row cannot be read.
        """
        return self._run(self._runner.run(row if isinstance(row, Row) else read_row(dict(row)), repeat))

    def close(self) -> None:
        """Closes agent, judge and thread; closing twice does nothing."""
        if self._loop.is_closed():
            return
        try:
            self._run(self._target.aclose())
            if self._judge is not None:
                self._run(self._judge.aclose())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()


def assert_passed(result: RowResult) -> None:
    """Fails a test where a row did not pass; says its id, why, and the figures, and no text of the conversation.

    Raises:
        AssertionError: The state is not `pass`.
    """
    __tracebackhide__ = True
    if result.state == "pass":
        return
    scores = [f"{one.rubric} {one.score}" for one in result.scores]
    told = "; ".join(filter(None, [broken(result), *scores]))
    raise AssertionError(f"row {result.row.id}: {result.state} ({result.reason})" + (f": {told}" if told else ""))


def _refuse_odd(assertions: Sequence[str], rubrics: Sequence[str], threshold: int, deadline_s: float) -> None:
    """Refuses what would only break, or pass, at the first row."""
    for name, given in (("assertions", assertions), ("rubrics", rubrics)):
        if isinstance(given, str):
            raise UsageError(f"{name} takes a list: {name}=[{given!r}]")
    if not 0 <= threshold <= 100:
        raise UsageError(f"threshold={threshold} is no score; give one from 0 to 100")
    if not 0 < deadline_s < math.inf:
        raise UsageError(f"deadline_s={deadline_s} is no time for a row; give seconds, more than 0")


def _opened_target(target: object) -> Target:
    if isinstance(target, str):
        return open_target(target)
    if isinstance(target, Target):
        return target
    name = getattr(target, "__qualname__", type(target).__qualname__)
    found = wrapped(target, name)
    if found is not None:
        return found
    if not callable(target):
        raise UsageError(f"{type(target).__name__} is no agent; give a callable, a Target, or what --target takes")
    return PythonTarget(target, name=name)


def _opened_judge(judge: Judge | str | None, deadline_s: float) -> Judge:
    from afterturn.judges import open_judge

    if judge is None:
        raise UsageError("a rubric needs a judge; give judge='provider:model', or a Judge")
    return open_judge(judge, deadline_s=deadline_s, retries=False) if isinstance(judge, str) else judge


def _graders(rubrics: Sequence[str], judge: Judge | None, prices: Prices) -> tuple[Grader, ...]:
    if judge is None:
        return ()
    return tuple(open_grader(load_rubric(name), judge, prices=prices) for name in rubrics)
