"""Runs code that others wrote: whatever it raises is given back, and what takes too long is cancelled.

The code runs in the caller's task, since a task of its own would cost more than an instant agent. Only the interruption
of the process and the cancellation of the caller pass through. Code that swallows its cancellation is told to `stuck`,
who can only leave the whole task behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
Stuck = Callable[["asyncio.Task[object]"], None]

GRACE_S = 1.0
"""How long a cancelled call may clean up before it counts as stuck."""


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


async def safely(call: Callable[[], Awaitable[T]], *, deadline_s: float, watch: Watch) -> Done[T] | Failed | Overdue:
    """Awaits a call, for so long.

    Args:
        call: Makes what is awaited.
        deadline_s: Seconds that it may take.
        watch: Looks at the clock.
    """
    task = asyncio.current_task()
    assert task is not None
    alarm = watch.set(task, deadline_s)
    before = task.cancelling()
    outcome: Done[T] | Failed
    try:
        outcome = Done(await call())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # agents raise anything, SystemExit and CancelledError too; see the module
        if alarm.rang and isinstance(error, GeneratorExit):
            raise  # a task that was left behind is taken apart
        outcome = Failed(error)
    finally:
        watch.off(alarm)
    if alarm.rang:
        task.uncancel()
    if task.cancelling() > before:
        raise asyncio.CancelledError
    return Overdue() if alarm.rang else outcome


class Alarm:
    """Is the time at which a task is cancelled."""

    __slots__ = ("due_s", "rang", "task")

    def __init__(self, task: asyncio.Task[object], due_s: float) -> None:
        self.task = task
        self.due_s = due_s
        self.rang = False


class Watch:
    """Looks at the clock for all calls at once: a timer for each would cost more than an instant call.

    A call is ended at most a twentieth of its time late, and never more than a second.

    Attributes:
        stuck: Is told the task of a call that goes on after its cancellation.
    """

    def __init__(self) -> None:
        self.stuck: Stuck | None = None
        self._alarms: dict[Alarm, None] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tick_s = 1.0

    def set(self, task: asyncio.Task[object], after_s: float) -> Alarm:
        """Has a task cancelled after some time."""
        loop = asyncio.get_running_loop()
        alarm = Alarm(task, loop.time() + after_s)
        self._alarms[alarm] = None
        if self._loop is not loop:
            self._loop, self._tick_s = loop, min(max(after_s / 20, 0.001), 1.0)
            loop.call_later(self._tick_s, self._look)
        return alarm

    def off(self, alarm: Alarm) -> None:
        """Has the task of an alarm cancelled no more."""
        self._alarms.pop(alarm, None)

    def _look(self) -> None:
        if not self._alarms or self._loop is None:
            self._loop = None
            return
        self._loop.call_later(self._tick_s, self._look)
        now_s = self._loop.time()
        for alarm in [alarm for alarm in self._alarms if alarm.due_s <= now_s]:
            if not alarm.rang:
                alarm.rang, alarm.due_s = True, now_s + GRACE_S
                alarm.task.cancel()
            elif self.stuck is not None:
                del self._alarms[alarm]
                self.stuck(alarm.task)
