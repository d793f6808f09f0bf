"""Runs code that others wrote: whatever it raises is given back, however long it takes it is left behind.

A task of its own does it, since an agent may swallow its cancellation, and since `SystemExit` in a task would end the
event loop. Only the interruption of the process and the cancellation of the caller pass through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

GRACE_S = 1.0
"""How long a cancelled call may clean up before it is left behind."""


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """Is what a call gave."""

    value: T


@dataclass(frozen=True, slots=True)
class Failed:
    """Is what a call raised."""

    error: BaseException


class Overdue:
    """Says that a call took too long."""


async def safely(call: Callable[[], Awaitable[T]], *, deadline_s: float) -> Done[T] | Failed | Overdue:
    """Awaits a call, for so long.

    Args:
        call: Makes what is awaited.
        deadline_s: Seconds that it may take.
    """
    task = asyncio.get_running_loop().create_task(_caught(call))
    try:
        done, _ = await asyncio.wait({task}, timeout=deadline_s)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE_S)
        _forget(task)
        raise
    if done:
        return task.result()
    task.cancel()
    await asyncio.wait({task}, timeout=GRACE_S)
    _forget(task)
    return Overdue()


async def _caught(call: Callable[[], Awaitable[T]]) -> Done[T] | Failed:
    try:
        return Done(await call())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # agents raise anything, SystemExit and CancelledError too; see the module
        return Failed(error)


def _forget(task: asyncio.Task[Done[T] | Failed]) -> None:
    """Leaves a call behind: nobody reads its result, and the end of the loop does not wait for it."""
    if task.done():
        return
    asyncio._unregister_task(task)  # of asyncio's documented interface for extensions
    task._log_destroy_pending = False  # pyright: ignore[reportAttributeAccessIssue]  # that it pends is known
