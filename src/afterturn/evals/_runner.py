"""Runs all rows of a run: a few at once, under the cost cap, with what is done handed on at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator

from afterturn.evals._keys import Hashes
from afterturn.evals._pace import Pace
from afterturn.evals._records import Row, RowResult
from afterturn.evals._row import RowRunner, Setup
from afterturn.evals._spend import Spend
from afterturn.evals._storage import done_key

Take = Callable[[RowResult], None]


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
        Why it stopped before the end (`cost_cap`, `unknown_price`), or None.
    """
    pace = pace or Pace(concurrency)
    work = _Work(
        runner=runner or RowRunner(setup, pace),
        items=_items(rows, repeat, done or Hashes()),
        take=take,
        spend=spend or Spend(max_cost_usd),
    )
    if work.spend.capped and not await work.one():  # the first row tells what a row costs
        return work.stop
    workers = [asyncio.ensure_future(work.all()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return work.stop


class _Work:
    """Is the work that the workers share."""

    def __init__(self, *, runner: RowRunner, items: Iterator[tuple[Row, int]], take: Take, spend: Spend) -> None:
        self._runner = runner
        self._items = items
        self._take = take
        self._running = 0
        self.spend = spend
        self.stop: str | None = None

    async def all(self) -> None:
        """Takes rows until there are none, or none may begin."""
        while await self.one():
            pass

    async def one(self) -> bool:
        """Runs the next row; False where there is none, or none may begin now."""
        if self.stop is not None:
            return False
        reason = self.spend.stop(self._running)
        if reason == "cost_cap" and self._running:
            return False  # those under way may turn out cheaper; the last worker decides
        item = next(self._items, None)
        if item is None:
            return False
        if reason is not None:
            self.stop = reason
            return False
        self._running += 1
        try:
            result = await self._runner.run(*item)
        finally:
            self._running -= 1
        self.spend.add(result)
        self._take(result)
        return True


def _items(rows: Iterable[Row], repeat: int, done: Hashes) -> Iterator[tuple[Row, int]]:
    for row, number in ((row, number) for row in rows for number in range(1, repeat + 1)):
        if not done or done_key(row.content, number) not in done:
            yield row, number
