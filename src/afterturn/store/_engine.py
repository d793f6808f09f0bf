"""Opens the database: its pragmas, one writer at a time, and errors that say what to do.

Why `synchronous=FULL`: in WAL mode `NORMAL` keeps the file sound, but a power cut may take the latest commits with it.
The answer to the customer is gone by then, so a lost turn could never be judged. `FULL` flushes the log at each commit.
What can be made again from what is flushed (the verdicts of a stored turn) is written without waiting for it: a power
cut then has the last turns judged a second time. Any later flush takes it along.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError, StatementError
from sqlalchemy.pool import NullPool

from afterturn.errors import StoreCode, StoreError
from afterturn.store._connections import Connections, Transaction

T = TypeVar("T")

SYNCHRONOUS = "FULL"
_AGAIN = "NORMAL"  # the level of what can be made again
_READ = "BEGIN"
_WRITE = "BEGIN IMMEDIATE"  # takes the write lock first: a read that turns into a write could not wait for it
_LOOK_AGAIN_S = 0.005
_ERRORS = (SQLAlchemyError, sqlite3.Error, UnicodeEncodeError)

_LOCKED = "another program kept it locked; let it finish and try again"
_FULL = "the disk is full; free some space and try again"
_HINTS: dict[str, tuple[StoreCode, str]] = {
    "SQLITE_BUSY": ("busy", _LOCKED),
    "SQLITE_LOCKED": ("busy", _LOCKED),
    "SQLITE_FULL": ("full", _FULL),
    "SQLITE_READONLY": (
        "readonly",
        "it cannot be written; make the file and its folder writable (two files are kept beside it)",
    ),
    "SQLITE_CANTOPEN": (
        "cannot_open",
        "it cannot be opened; make the folder exist and be writable (two files are kept beside it)",
    ),
    "SQLITE_PERM": ("readonly", "it cannot be written; make the file and its folder writable"),
    "SQLITE_NOTADB": ("no_database", "the file is no SQLite database; give another path"),
    "SQLITE_CORRUPT": ("corrupt", "the database file is damaged; restore a copy"),
    "SQLITE_IOERR_SHMSIZE": ("full", _FULL),  # the file beside it could not grow: what SQLite says on a full disk
    "SQLITE_IOERR": ("disk_error", "the disk failed to read or write; check the disk, its free space and your quota"),
    "SQLITE_TOOBIG": ("too_big", "the turn is larger than SQLite takes (1 GB); leave it out"),
    "SQLITE_CONSTRAINT": ("conflict", "two records contradict each other; this is a bug, please report it"),
    "SQLITE_ERROR": ("foreign_tables", "its tables are not Afterturn's; give another path"),
}


class Database:
    """Is one database: transactions to read and to write, errors as `StoreError`.

    Args:
        path: The file.
        busy_timeout_s: How long a write waits for another process.
        synchronous: SQLite's synchronous level; leave it, unless you measure what it costs.
        read_only: Writes nothing, neither to the file nor beside it.
    """

    def __init__(
        self, path: Path, *, busy_timeout_s: float, synchronous: str = SYNCHRONOUS, read_only: bool = False
    ) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._busy_timeout_s = busy_timeout_s
        self._engine = _reader(path, busy_timeout_s) if read_only else _engine(path, busy_timeout_s, synchronous)
        self._connections = Connections(self._engine)
        lower = synchronous == SYNCHRONOUS  # else somebody measures another level
        self._relaxed = (f"PRAGMA synchronous={_AGAIN}", f"PRAGMA synchronous={synchronous}") if lower else None

    def reading(self) -> AbstractContextManager[Connection]:
        """Gives a connection in a read transaction: it sees one state of the database."""
        return _Work(self, Transaction(self._connections, _READ))

    def writing(self, *, again: bool = False) -> AbstractContextManager[Connection]:
        """Gives a connection in a write transaction: all of it is stored, or nothing of it.

        Threads of this process queue up here, since waiting on the database's own lock is slow and unfair.

        Args:
            again: Whether a power cut may undo it, since it can be made again from what was stored before it; the log
                is not flushed for it then.
        """
        around = self._relaxed if again else None
        return _Work(self, Transaction(self._connections, _WRITE, around=around), self._lock)

    def prepare(self, work: Callable[[Connection], T]) -> T:
        """Does the first work in a write transaction: again where the database was busy.

        While others make the same new file, SQLite refuses at once instead of waiting. What `work` did is undone then.
        """

        def once() -> T:
            with Transaction(self._connections, _WRITE) as connection:
                return work(connection)

        with self._lock, self.translated():
            return _patiently(once, self._busy_timeout_s)

    @contextmanager
    def translated(self) -> Generator[None]:
        """Turns errors of the database into `StoreError`s, without the values that they carry."""
        try:
            yield
        except _ERRORS as error:
            raise self.told(error) from None

    def told(self, error: BaseException) -> StoreError:
        """Makes of an error of the database one that says what to do."""
        code, reason = _reason(error)
        return StoreError(f"database {self.path}: {reason}", code=code)

    def checkpoint(self, *, wait_s: float | None = None) -> bool:
        """Moves the write-ahead log into the database and empties it.

        Args:
            wait_s: How long to wait for others, as long as a write does by default; nobody else can write meanwhile.

        Returns:
            Whether it is empty: who reads, or writes, for longer keeps it full.
        """
        with self._lock, self.translated(), self._bare() as cursor:
            if wait_s is not None:
                cursor.execute(f"PRAGMA busy_timeout={round(wait_s * 1000)}")
            busy, left, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy and left <= 0

    def vacuum(self) -> bool:
        """Writes the database anew, so that no free space holds what was removed; gives whether the log is empty."""
        with self._lock, self.translated(), self._bare() as cursor:
            cursor.execute("VACUUM")
        return self.checkpoint()

    @contextmanager
    def _bare(self) -> Generator[Any]:
        """Gives a cursor without a transaction around it."""
        connection = self._engine.raw_connection()
        try:
            yield connection.cursor()
        finally:
            connection.close()

    def close(self) -> None:
        """Closes all connections."""
        self._connections.close()
        self._engine.dispose()


class _Work:
    """Is a transaction whose errors are `StoreError`s, used by `with`; a class, as generators would cost as much as it.

    Args:
        database: The database.
        transaction: The transaction.
        lock: What to hold through it; None: nothing.
    """

    __slots__ = ("_database", "_lock", "_transaction")

    def __init__(self, database: Database, transaction: Transaction, lock: threading.Lock | None = None) -> None:
        self._database = database
        self._transaction = transaction
        self._lock = lock

    def __enter__(self) -> Connection:
        if self._lock is not None:
            self._lock.acquire()
        try:
            return self._transaction.__enter__()
        except BaseException as error:
            self._let_go()
            if isinstance(error, _ERRORS):
                raise self._database.told(error) from None
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._transaction.__exit__(kind, error, trace)
        except _ERRORS as failed:
            raise self._database.told(failed) from None
        finally:
            self._let_go()
        if isinstance(error, _ERRORS):
            raise self._database.told(error) from None

    def _let_go(self) -> None:
        if self._lock is not None:
            self._lock.release()


def _engine(path: Path, busy_timeout_s: float, synchronous: str) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        hide_parameters=True,  # an error's message must not carry the conversation
        connect_args={"timeout": busy_timeout_s, "check_same_thread": False},  # one after the other, not at once
        poolclass=NullPool,  # `Connections` keeps them
    )
    statements = (
        f"PRAGMA synchronous={synchronous}",
        "PRAGMA foreign_keys=ON",
        "PRAGMA secure_delete=ON",  # what is removed is overwritten, not only let go
        "PRAGMA journal_size_limit=67108864",
    )

    def connected(connection: Any, record: object) -> None:
        connection.isolation_level = None  # transactions begin below; the driver must not begin its own
        _patiently(lambda: _to_wal(connection), busy_timeout_s)
        for statement in statements:
            connection.execute(statement)

    event.listen(engine, "connect", connected)
    return engine


def _reader(path: Path, busy_timeout_s: float) -> Engine:
    """Opens a file that may not be written.

    SQLite reads it beside others only where the two files beside it are there. Where they are not, nobody has it open,
    and it is read as one that nobody changes.
    """
    beside = [path.with_name(path.name + ending) for ending in ("-wal", "-shm")]
    alone = not all(file.exists() for file in beside) and not (beside[0].exists() and beside[0].stat().st_size)
    address = f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"

    def connected() -> sqlite3.Connection:
        return sqlite3.connect(address, uri=True, timeout=busy_timeout_s, check_same_thread=False, isolation_level=None)

    return create_engine("sqlite://", creator=connected, hide_parameters=True, poolclass=NullPool)


def _to_wal(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode=WAL")


def _patiently(work: Callable[[], T], timeout_s: float) -> T:
    """Does work that SQLite does not wait for by itself, again and again until the database is not busy."""
    until = time.monotonic() + timeout_s
    while True:
        try:
            return work()
        except (SQLAlchemyError, sqlite3.Error) as error:
            if not _busy(error) or time.monotonic() >= until:
                raise
        time.sleep(_LOOK_AGAIN_S)


def _busy(error: BaseException) -> bool:
    cause = error.orig if isinstance(error, StatementError) else error
    return str(getattr(cause, "sqlite_errorname", "")).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _reason(error: BaseException) -> tuple[StoreCode, str]:
    """Gives the code of what is wrong, and in words what it is and what to do."""
    cause = error.orig if isinstance(error, StatementError) else error
    if isinstance(cause, UnicodeEncodeError):
        return "refused", "an id holds half of a character (a lone surrogate); mend the id"
    name = getattr(cause, "sqlite_errorname", None)
    if not isinstance(name, str):
        return "refused", f"it refused ({type(cause or error).__name__}); nothing was stored"
    unknown: tuple[StoreCode, str] = ("refused", "it refused")
    code, hint = next((known for start, known in _HINTS.items() if name.startswith(start)), unknown)
    return code, f"{hint} ({name}); nothing of this step was stored, what was stored before it is kept"
