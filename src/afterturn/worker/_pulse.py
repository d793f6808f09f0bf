"""Wakes whoever waits for a change, and misses none that came between the look and the wait."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

_ANY = ""


class Pulse:
    """Is a signal that many may wait for, again and again: for any change, or for one of a key.

    Take `seen()` BEFORE looking at what may change, then `wait(seen)`: a change in between ends the wait at once.
    """

    def __init__(self) -> None:
        self._next: dict[Hashable, asyncio.Future[None]] = {}

    def seen(self, key: Hashable = _ANY) -> asyncio.Future[None]:
        """Gives what the next `fire` ends."""
        return self._next.setdefault(key, asyncio.get_running_loop().create_future())

    def fire(self, key: Hashable = _ANY) -> None:
        """Wakes all that wait for the key."""
        fired = self._next.pop(key, None)
        if fired is not None and not fired.done():
            fired.set_result(None)

    def forget(self, key: Hashable) -> None:
        """Lets go of a key; whoever still waits for it wakes and looks again."""
        self.fire(key)

    async def wait(self, seen: asyncio.Future[None], timeout_s: float) -> None:
        """Waits for the next change after `seen()`, or for the timeout."""
        await asyncio.wait({seen}, timeout=timeout_s)
