"""Opens a database that will only be read, also where nothing may be written: a copy of somebody else's, a backup."""

from __future__ import annotations

from pathlib import Path

from afterturn.errors import StoreError
from afterturn.store import _migrate
from afterturn.store._engine import Database
from afterturn.store._open import path_of
from afterturn.store._store import Store, open_store, utc_now

_UNWRITABLE = ("readonly", "cannot_open")
_BUSY_TIMEOUT_S = 10.0


def open_to_read(database: str | Path) -> Store:
    """Opens a database for questions alone; where it may be written, as `open_store` does.

    Raises:
        ConfigError: The address is of no kind that this version knows.
        StoreError: There is no such file, or it cannot be read without writing; says what to do.
    """
    try:
        return open_store(database, create=False)
    except StoreError as error:
        if error.code not in _UNWRITABLE:
            raise
    return Store(_unwritable(path_of(database)), max_attempts=1, clock=utc_now)


def _unwritable(path: Path) -> Database:
    database = Database(path, busy_timeout_s=_BUSY_TIMEOUT_S, read_only=True)
    try:
        with database.reading() as connection:
            version = _migrate.version_of(connection)
    except StoreError as error:
        database.close()
        if error.code in _UNWRITABLE:
            raise StoreError(
                f"database {path}: it cannot be read without writing beside it; copy it with its -wal file, if there "
                "is one, to a folder that you may write to",
                code=error.code,
            ) from None
        raise
    if version != max(_migrate.migrations()):
        database.close()
        raise StoreError(
            f"database {path}: it is of another version of Afterturn and may not be written; copy it to a folder that "
            "you may write to",
            code="older_schema",
        )
    return database
