"""Counts spent tokens in the database, so that all processes of a host share one budget."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Self

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from afterturn.guard import Slot
from afterturn.store._direct import Read, Write
from afterturn.store._engine import Database
from afterturn.store._open import migrated, path_of
from afterturn.store._schema import token_counts

_PATIENCE_S = 0.25

_SELECT = Read(select(token_counts).where(token_counts.c.key == bindparam("of")).with_for_update())
_upsert = insert(token_counts)
_UPSERT = Write(
    _upsert.on_conflict_do_update(
        index_elements=["key"], set_={"tokens": _upsert.excluded.tokens, "expires_at": _upsert.excluded.expires_at}
    )
)


class DatabaseCounters:
    """Keeps counts in a database, which it opens at the first count; the one of the turns, usually.

    It has a connection of its own that waits but a moment: a conversation must not stand still for a count.

    Args:
        database: A file, or `sqlite:///FILE`.

    Raises:
        ConfigError: The address is of no kind that this version knows.

    Example:
        >>> from datetime import UTC, datetime, timedelta
        >>> from tempfile import TemporaryDirectory
        >>> now = datetime(2026, 11, 30, tzinfo=UTC)
        >>> slot = Slot("session:acme:s-1", 100, now + timedelta(days=30))
        >>> with TemporaryDirectory() as folder, DatabaseCounters(f"{folder}/a.db") as counters:
        ...     counters.add([slot], 80, whatever=False, now=now), counters.add([slot], 30, whatever=False, now=now)
        ((True, (80,)), (False, (80,)))
    """

    def __init__(self, database: str | Path) -> None:
        self._path = path_of(database)
        self._opening = Lock()
        self._database: Database | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection."""
        with self._opening:
            if self._database is not None:
                self._database.close()
                self._database = None

    def add(self, slots: Sequence[Slot], tokens: int, *, whatever: bool, now: datetime) -> tuple[bool, tuple[int, ...]]:
        """Adds tokens to all slots, or to none of them where one would go over its limit.

        Raises:
            StoreError: The database was busy or refused; nothing was counted.
        """
        with self._opened().writing() as connection:
            before = [_count(connection, slot, now) for slot in slots]
            fits = all(count + tokens <= slot.limit for count, slot in zip(before, slots, strict=True))
            if not (fits or whatever):
                return False, tuple(before)
            after = tuple(max(0, count + tokens) for count in before)
            _UPSERT.run(
                connection,
                [
                    {"key": slot.key, "tokens": count, "expires_at": slot.expires_at}
                    for slot, count in zip(slots, after, strict=True)
                ],
            )
            connection.execute(delete(token_counts).where(token_counts.c.expires_at <= now))
            return True, after

    def _opened(self) -> Database:
        with self._opening:
            if self._database is None:
                self._database = migrated(self._path, busy_timeout_s=_PATIENCE_S, synchronous="NORMAL")
            return self._database


def _count(connection: Connection, slot: Slot, now: datetime) -> int:
    row = _SELECT.first(connection, {"of": slot.key})
    return row["tokens"] if row is not None and row["expires_at"] > now else 0
