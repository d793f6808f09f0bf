"""Runs the store's calls in one thread of their own, and lives on where the database refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from afterturn import failopen
from afterturn.errors import StoreError

P = ParamSpec("P")
R = TypeVar("R")

_TRIES = 3


class StoreCalls:
    """Is the way of the worker to its database.

    One thread: SQLite has one writer, and the event loop must not wait for a disk.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="afterturn-store")
        self._refused = 0
        self._last: StoreError | None = None

    async def call(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs a call and gives its result or raises its error."""
        return await asyncio.wrap_future(self._threads.submit(function, *args, **kwargs))

    async def guarded(
        self, place: str, instead: R, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Runs a call; where it fails, reports that and gives `instead`."""

        def refused(error: BaseException) -> R:
            if isinstance(error, StoreError):
                self._refused, self._last = self._refused + 1, error
            return instead

        async def ran() -> R:
            result = await self.call(function, *args, **kwargs)
            self._refused = 0
            return result

        return await failopen.acall(place, ran, refused)

    def give_up(self) -> None:
        """Ends a wait that the database will not let end; the next wait counts anew.

        Raises:
            StoreError: The last calls were refused one after another.
        """
        if self._last is not None and self._refused >= _TRIES:
            self._refused = 0
            raise self._last

    def close(self) -> None:
        """Waits for the running call and ends the thread."""
        self._threads.shutdown()
