"""Runs all rows of a run: a few at once, under the cost cap, with what is done handed on at once."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from typing import Any

from afterturn.evals._grading import SlowToStart
from afterturn.evals._keys import Hashes
from afterturn.evals._pace import Pace
from afterturn.evals._records import Row, RowResult
from afterturn.evals._row import RowRunner, Setup
from afterturn.evals._spend import Spend
from afterturn.evals._storage import done_key

Take = Callable[[RowResult], None]

JUDGE_MISSING = "judge_missing"


async def run_rows(
    setup: Setup,
    rows: Iterable[Row],
    *,
    take: Take,
    repeat: int = 1,
    concurrency: int = 5,
    max_cost_usd: float | None = None,
    spend: Spend | None = None,
    done: Hashes | None = None,
    pace: Pace | None = None,
    runner: RowRunner | None = None,
) -> str | None:
    """Runs rows and hands each result on as soon as it is there, in the order in which they end.

    Args:
        setup: What each row goes through.
        rows: The rows; read as they are needed.
        take: Is given each result. What it raises ends the run.
        repeat: How often each row is run.
        concurrency: Rows at once, at most.
        max_cost_usd: The cost cap: no row is begun that would go over it.
        spend: What was spent before, where a run is resumed; wins over `max_cost_usd`.
        done: Keys of results that are there already.
        pace: How many may run at once; given in tests.
        runner: Runs a row; given in tests.

    Returns:
        Why it stopped before the end (`cost_cap`, `unknown_price`, `judge_missing`), or None.
    """
    work = _Work(
        runner=runner or RowRunner(setup, pace or Pace(concurrency)),
        items=_items(rows, repeat, done or Hashes()),
        take=take,
        spend=spend or Spend(max_cost_usd),
    )
    for grader in setup.graders:
        if isinstance(grader, SlowToStart):
            await grader.warm()
    if work.spend.capped:
        await work.run(workers=1, most=1)  # the first row tells what a row costs
    await work.run(workers=concurrency)
    return work.stop


class _Work:
    """Is the work that the workers share."""

    def __init__(self, *, runner: RowRunner, items: Iterator[tuple[Row, int]], take: Take, spend: Spend) -> None:
        self._runner = runner
        self._runner.watch.stuck = self._leave_behind
        self._items = items
        self._take = take
        self._under_way: dict[asyncio.Task[Any], tuple[Row, int]] = {}
        self._workers: set[asyncio.Task[None]] = set()
        self._most: float = math.inf
        self._end: asyncio.Future[None] | None = None
        self._context = copy_context()
        self._lost: str | None = None
        self.spend = spend
        self.stop: str | None = None

    async def run(self, *, workers: int, most: float = math.inf) -> None:
        """Runs rows until there are none, or none may begin.

        Args:
            workers: Rows at once.
            most: How many rows may be begun.
        """
        self._most = most
        self._end = asyncio.get_running_loop().create_future()
        for _ in range(workers):
            self._start()
        try:
            await self._end
        finally:
            for worker in self._workers:
                worker.cancel()
            await asyncio.gather(*self._workers, return_exceptions=True)

    def _start(self) -> None:
        worker = asyncio.get_running_loop().create_task(self._worker(), context=self._context.copy())
        self._workers.add(worker)
        worker.add_done_callback(self._ended)

    def _ended(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        error = None if worker.cancelled() else worker.exception()
        if error is not None or not self._workers:
            self._finish(error)

    def _finish(self, error: BaseException | None = None) -> None:
        if self._end is None or self._end.done():
            return
        if error is None:
            self._end.set_result(None)
        else:
            self._end.set_exception(error)

    async def _worker(self) -> None:
        task: asyncio.Task[Any] | None = asyncio.current_task()
        assert task is not None
        while (item := self._next()) is not None:
            self._under_way[task] = item
            result = await self._runner.run(*item)
            if self._under_way.pop(task, None) is None:
                return  # it was left behind, and its row is overdue
            self._keep(result)
            await asyncio.sleep(0)  # agents that never wait would let nothing else run, an interruption neither
            if copy_context() != self._context:
                self._start()  # an agent set a context variable, which the next row is not to see
                return

    def _next(self) -> tuple[Row, int] | None:
        """Gives the next row; None where there is none, or none may begin now."""
        if self.stop is not None or self._most <= 0:
            return None
        reason = self._lost or self.spend.stop(len(self._under_way))
        if reason == "cost_cap" and self._under_way:
            return None  # those under way may turn out cheaper; the last worker decides
        item = next(self._items, None)
        if item is not None and reason is not None:
            self.stop = reason
            return None
        self._most -= item is not None and not item[0].problem  # a line that is no row tells nothing of costs
        return item

    def _keep(self, result: RowResult) -> None:
        self.spend.add(result)
        if result.state == "judge_error" and str(result.reason).endswith(JUDGE_MISSING):
            self._lost = JUDGE_MISSING  # no key, no model: no row can be judged, and agents cost money
        self._take(result)

    def _leave_behind(self, task: asyncio.Task[Any]) -> None:
        """Goes on without a task whose agent swallows its cancellation: its row is overdue, another worker begins.

        Nobody waits for the task any more, the end of the event loop neither.
        """
        item = self._under_way.pop(task, None)
        if item is None:
            return
        asyncio._unregister_task(task)  # of asyncio's documented interface for extensions
        task._log_destroy_pending = False  # pyright: ignore[reportAttributeAccessIssue]  # that it pends is known
        task.remove_done_callback(self._ended)
        self._workers.discard(task)
        self._start()
        try:
            self._keep(self._runner.leave_behind(task, *item))
        except BaseException as error:  # this is a timer's callback: whoever waits for the run is to know
            self._finish(error)


def _items(rows: Iterable[Row], repeat: int, done: Hashes) -> Iterator[tuple[Row, int]]:
    for row, number in ((row, number) for row in rows for number in range(1, repeat + 1)):
        if not done or done_key(row.content, number) not in done:
            yield row, number
