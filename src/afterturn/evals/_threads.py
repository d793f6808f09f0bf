"""Runs code that blocks in threads that keep nobody from leaving: a call that hangs for good is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Runs work in a thread of its own, with the caller's context variables.

    A pool would wait for its threads when the process ends, and one agent that hangs would keep it alive.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(outcome: Callable[[], None]) -> None:
        if not future.done():
            outcome()

    def run() -> None:
        try:
            value = context.run(work)
        except BaseException as error:  # handed to the caller, who decides what it means
            failure = _carried(error)
            told = lambda: future.set_exception(failure)  # noqa: E731
        else:
            told = lambda: future.set_result(value)  # noqa: E731
        with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits any more
            loop.call_soon_threadsafe(settle, told)

    Thread(target=run, daemon=True, name="afterturn-target").start()
    return await future


def _carried(error: BaseException) -> BaseException:
    """A future refuses StopIteration, which an agent may well raise."""
    return RuntimeError("StopIteration raised by the agent") if isinstance(error, StopIteration) else error
