"""Keeps connections open, and runs transactions on them with as little around the database as possible.

SQLAlchemy's way from an engine to a transaction and back (a new connection object, its pool, its events) costs more
than most transactions do. So a connection stays as it is for the next transaction, and the driver begins and ends it.
What a statement of SQLAlchemy's begins on the way is ended by SQLAlchemy, which then asks the driver as well.
"""

from __future__ import annotations

import contextlib
from collections import deque
from types import TracebackType
from typing import Any

from sqlalchemy import Connection, Engine

_MOST_IDLE = 5


class Connections:
    """Are the open connections to one database.

    Args:
        engine: Makes a new one where none is idle; it keeps none itself.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: deque[Connection] = deque()
        self._closed = False

    def take(self) -> Connection:
        """Gives a connection that is in no transaction."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._engine.connect()

    def give_back(self, connection: Connection) -> None:
        """Keeps a connection that is in no transaction for the next one."""
        if self._closed or len(self._idle) >= _MOST_IDLE:
            connection.close()
        else:
            self._idle.append(connection)
            if self._closed:  # in between
                self.close()

    def close(self) -> None:
        """Closes the idle connections, and each other one as soon as it is given back."""
        self._closed = True
        with contextlib.suppress(IndexError):
            while True:
                self._idle.pop().close()


class Transaction:
    """Is a transaction, used by `with`: all of it is stored, or nothing of it.

    Args:
        connections: The open connections.
        begin: The statement that begins it.
        around: What is set on the connection before it begins and after it ended; None: nothing.
    """

    __slots__ = ("_around", "_begin", "_connection", "_connections")

    def __init__(self, connections: Connections, begin: str, *, around: tuple[str, str] | None = None) -> None:
        self._connections = connections
        self._begin = begin
        self._around = around

    def __enter__(self) -> Connection:
        connection = self._connection = self._connections.take()
        try:
            driver = driver_of(connection)
            if self._around is not None:
                driver.executescript(self._around[0])
            driver.execute(self._begin)
        except BaseException:
            self._undo()
            raise
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._undo()
            return
        connection = self._connection
        try:
            if connection.in_transaction():
                connection.commit()
            else:
                driver_of(connection).commit()
            self._restore()
        except BaseException:
            self._undo()
            raise
        self._connections.give_back(connection)

    def _restore(self) -> None:
        if self._around is not None:
            driver_of(self._connection).executescript(self._around[1])

    def _undo(self) -> None:
        """Rolls back; a connection that will not is closed, which undoes everything as well."""
        connection = self._connection
        try:
            connection.rollback()
            driver_of(connection).rollback()
            self._restore()
        except Exception:  # the error that brought us here is the one to tell
            with contextlib.suppress(Exception):
                connection.invalidate()
            with contextlib.suppress(Exception):
                connection.close()
        else:
            self._connections.give_back(connection)


def driver_of(connection: Connection) -> Any:
    """Gives the driver's own connection."""
    return connection.connection.dbapi_connection
