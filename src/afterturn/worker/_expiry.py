"""Removes text that has expired, and empties the database's log, where it stands until then."""

from __future__ import annotations

from afterturn import failopen
from afterturn.errors import StoreError
from afterturn.store import DaysFor, Forgotten, Store
from afterturn.worker._calls import StoreCalls

AGAIN_S = 60.0
"""How long to wait before the log is tried again that another process kept full."""

_WAIT_S = 0.25  # nobody can write while the log waits for its readers


class Expiry:
    """Is what a worker does about text that is kept too long.

    Args:
        store: The store.
        calls: The way to it.
        days_for: Says how many days the text of a tenant is kept.
    """

    def __init__(self, store: Store, calls: StoreCalls, days_for: DaysFor) -> None:
        self._store = store
        self._calls = calls
        self._days_for = days_for
        self._full = True  # whoever removed text before may have died before it emptied the log

    async def portion(self) -> Forgotten:
        """Removes the text of some turns that have expired; empty where none is left, or where the database refused."""
        gone = await self._calls.guarded("worker.expire", Forgotten(), self._store.forget_expired, self._days_for)
        self._full = self._full or gone.turns > 0
        return gone

    async def emptied(self) -> bool:
        """Empties the log if text was removed since; False, counted and logged, where another process keeps it full."""
        if self._full:
            done = await self._calls.guarded("worker.empty_log", None, self._store.empty_log, wait_s=_WAIT_S)
            if done is False:
                failopen.report("worker.empty_log", StoreError("another process keeps the log full", code="busy"))
            self._full = not done
        return not self._full
