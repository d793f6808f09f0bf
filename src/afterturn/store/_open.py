"""Finds the file that an address names, and opens it with its tables up to date."""

from __future__ import annotations

from pathlib import Path

from afterturn.errors import ConfigError
from afterturn.store import _migrate
from afterturn.store._engine import Database


def path_of(database: str | Path) -> Path:
    """Gives the file of an address.

    Args:
        database: A file, or `sqlite:///FILE`.

    Raises:
        ConfigError: The address is of no kind that this version knows.
    """
    if isinstance(database, Path):
        return database
    scheme, found, rest = database.partition("://")
    if not found:
        path = database
    elif scheme == "sqlite" and rest.startswith("/"):
        path = rest[1:]
    else:
        raise ConfigError("this version stores in SQLite: give a file, or sqlite:///FILE")
    if path in ("", ":memory:"):
        raise ConfigError("a database in memory is gone with its process: give a file")
    return Path(path)


def migrated(path: Path, *, busy_timeout_s: float, synchronous: str) -> Database:
    """Opens a database and brings its tables up to date.

    Raises:
        StoreError: The file is no database of Afterturn's, is newer than this version, or cannot be written.
    """
    database = Database(path, busy_timeout_s=busy_timeout_s, synchronous=synchronous)
    try:
        database.prepare(_migrate.migrate)
    except BaseException:
        database.close()
        raise
    return database
