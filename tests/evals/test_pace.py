"""Rate limits halve the rows at once, and calm brings them back."""

from __future__ import annotations

import asyncio

from afterturn.evals._pace import LONGEST_WAIT_S, RECOVER_AFTER, Pace


async def no_wait(_: float) -> None:
    pass


async def test_a_rate_limit_halves_the_rows_at_once_down_to_one() -> None:
    pace = Pace(5, sleep=no_wait)
    limits: list[int] = []
    epoch = 0
    for _ in range(4):
        epoch = await pace.slow_down(attempt=1, retry_after_s=None, epoch=epoch)
        limits.append(pace.limit)
    assert limits == [2, 1, 1, 1]
    assert pace.limited == 4


async def test_rows_that_meet_the_same_limit_halve_once() -> None:
    pace = Pace(8, sleep=no_wait)
    epochs = [await pace.enter() for _ in range(4)]
    for epoch in epochs:
        await pace.slow_down(attempt=1, retry_after_s=None, epoch=epoch)
    assert pace.limit == 4


async def test_calm_brings_one_row_at_once_back_after_another() -> None:
    pace = Pace(4, sleep=no_wait)
    await pace.slow_down(attempt=1, retry_after_s=None, epoch=0)
    limits: list[int] = []
    for _ in range(RECOVER_AFTER * (2 + 3) + 3):
        await pace.enter()
        pace.leave()
        limits.append(pace.limit)
    assert (limits[RECOVER_AFTER * 2 - 2], limits[RECOVER_AFTER * 2 - 1]) == (2, 3)
    assert limits[-1] == 4


async def test_a_wait_is_as_long_as_the_server_asks_and_else_doubles() -> None:
    waits: list[float] = []

    async def noted(seconds: float) -> None:
        waits.append(seconds)

    pace = Pace(1, sleep=noted)
    for attempt, asked in ((1, 3.0), (1, None), (4, None), (1, 9_999.0), (1, -1.0)):
        await pace.slow_down(attempt=attempt, retry_after_s=asked, epoch=0)
    assert waits == [3.0, 1.0, 8.0, LONGEST_WAIT_S, 0.0]


async def test_no_more_rows_run_than_the_limit_and_nobody_waits_for_ever() -> None:
    pace = Pace(6, sleep=no_wait)
    running = most = done = 0

    async def one(number: int) -> None:
        nonlocal running, most, done
        epoch = await pace.enter()
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        if number == 3:
            await pace.slow_down(attempt=1, retry_after_s=None, epoch=epoch)
        running -= 1
        done += 1
        pace.leave()

    await asyncio.gather(*(one(number) for number in range(60)))
    assert (most, done) == (6, 60)


async def test_a_row_that_is_cancelled_while_it_waits_leaves_the_queue() -> None:
    pace = Pace(1, sleep=no_wait)
    await pace.enter()
    waiting = asyncio.ensure_future(pace.enter())
    other = asyncio.ensure_future(pace.enter())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    pace.leave()
    assert await other == 0
