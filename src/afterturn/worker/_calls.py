"""Runs the store's calls in one thread of their own, and lives on where the database refuses."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from afterturn import failopen
from afterturn.errors import StoreError

P = ParamSpec("P")
R = TypeVar("R")

_TRIES = 3
_PAUSES_S = (0.1, 0.5)  # before the second and the third try at what must not be lost


@dataclass(frozen=True, kw_only=True, slots=True)
class _Failed:
    """Is a call that gave nothing; `refused` where the database said so."""

    refused: bool


class StoreCalls:
    """Is the way of the worker to its database.

    One thread: SQLite has one writer, and the event loop must not wait for a disk.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="afterturn-store")
        self._refused: Counter[str] = Counter()  # in a row, by place: looks that go well say nothing of writes
        self._last: StoreError | None = None

    def begin(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[R]:
        """Begins a call; the future has its result or its error."""
        return asyncio.wrap_future(self._threads.submit(function, *args, **kwargs))

    async def call(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs a call and gives its result or raises its error."""
        return await self.begin(function, *args, **kwargs)

    async def guarded(
        self, place: str, instead: R, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Runs a call; where it fails, reports that and gives `instead`."""
        result = await self._tried(place, function, *args, **kwargs)
        return instead if isinstance(result, _Failed) else result

    async def persistent(
        self,
        place: str,
        instead: R,
        ending: Callable[[], bool],
        function: Callable[P, R],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """Does what `guarded` does, and tries again soon where the database refuses; not while all is ending."""
        for pause_s in _PAUSES_S:
            result = await self._tried(place, function, *args, **kwargs)
            if not isinstance(result, _Failed):
                return result
            if not result.refused or ending():
                return instead
            await asyncio.sleep(pause_s)
        return await self.guarded(place, instead, function, *args, **kwargs)

    async def _tried(self, place: str, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R | _Failed:
        def refused(error: BaseException) -> R | _Failed:
            if isinstance(error, StoreError):
                self._refused[place] += 1
                self._last = error
            return _Failed(refused=isinstance(error, StoreError))

        async def ran() -> R | _Failed:
            result = await self.call(function, *args, **kwargs)
            self._refused[place] = 0
            return result

        return await failopen.acall(place, ran, refused)

    def give_up(self) -> None:
        """Ends a wait that the database will not let end; the next wait counts anew.

        Raises:
            StoreError: The last calls at one place were refused one after another.
        """
        if self._last is not None and any(times >= _TRIES for times in self._refused.values()):
            self._refused.clear()
            raise self._last

    def close(self) -> None:
        """Waits for the running call and ends the thread."""
        self._threads.shutdown()
