"""Runs statements with as little around the database as the driver allows.

Storing and claiming a turn are in the path of every conversation, and there SQLAlchemy's own work for each statement
would cost more than the statement does. So these are compiled once, and their values go straight to the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from sqlalchemy import ClauseElement, Connection, Select
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.dml import Insert, Update
from sqlalchemy.types import TypeEngine

from afterturn.store._connections import driver_of

Row = Mapping[Any, Any]
"""Is what a statement takes or gives, by the names of its columns and parameters."""

Convert = Callable[[Any], Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Compiled:
    """Is a statement for one kind of database.

    Attributes:
        sql: The statement.
        parameters: Makes the driver's parameters of a row.
    """

    sql: str
    parameters: Callable[[Row], Any]


class Write:
    """Is one INSERT or UPDATE.

    Args:
        clause: The statement. It sets the columns that its rows name; what else they name are its bound parameters.
            One that inserts what it selects has bound parameters alone.
    """

    def __init__(self, clause: Insert | Update) -> None:
        self._clause = clause
        self._compiled: dict[tuple[str, tuple[str, ...]], _Compiled] = {}

    def run(self, connection: Connection, rows: Sequence[Row]) -> int:
        """Writes rows, all with the same columns; gives how many rows of the table that made or changed."""
        if not rows:
            return 0
        compiled = self._for(connection.dialect, rows[0])
        cursor = driver_of(connection).cursor()
        cursor.executemany(compiled.sql, [compiled.parameters(row) for row in rows])
        return cursor.rowcount

    def returning(self, connection: Connection, row: Row) -> Any:
        """Writes one row and gives what the statement returns of it; None where nothing was written."""
        compiled = self._for(connection.dialect, row)
        cursor = driver_of(connection).cursor()
        cursor.execute(compiled.sql, compiled.parameters(row))
        found = cursor.fetchone()
        return None if found is None else found[0]

    def _for(self, dialect: Dialect, row: Row) -> _Compiled:
        key = (dialect.name, tuple(row))
        if key not in self._compiled:
            selects = isinstance(self._clause, Insert) and self._clause.select is not None
            self._compiled[key] = _compile(self._clause, dialect, None if selects else row)
        return self._compiled[key]


class Read:
    """Is one SELECT.

    Args:
        clause: The statement; its parameters are bound by name, none of them is a list.
    """

    def __init__(self, clause: Select[*tuple[Any, ...]]) -> None:
        self._clause = clause
        columns = clause.selected_columns.values()
        self._names = tuple(str(column.key) for column in columns)
        self._types: tuple[TypeEngine[Any], ...] = tuple(column.type for column in columns)
        self._compiled: dict[str, tuple[_Compiled, tuple[tuple[str, Convert], ...]]] = {}

    def rows(self, connection: Connection, values: Row) -> list[dict[str, Any]]:
        """Reads all rows."""
        compiled, converts = self._for(connection.dialect)
        cursor = driver_of(connection).cursor()
        cursor.execute(compiled.sql, compiled.parameters(values))
        found = [dict(zip(self._names, row, strict=True)) for row in cursor.fetchall()]
        for row in found:
            for name, convert in converts:
                row[name] = convert(row[name])
        return found

    def first(self, connection: Connection, values: Row) -> dict[str, Any] | None:
        """Reads the one row that a statement with a key or a limit gives; None where there is none."""
        found = self.rows(connection, values)
        return found[0] if found else None

    def _for(self, dialect: Dialect) -> tuple[_Compiled, tuple[tuple[str, Convert], ...]]:
        if dialect.name not in self._compiled:
            converts = [kind.dialect_impl(dialect).result_processor(dialect, None) for kind in self._types]
            own = tuple((name, one) for name, one in zip(self._names, converts, strict=True) if one is not None)
            self._compiled[dialect.name] = _compile(self._clause, dialect, None), own
        return self._compiled[dialect.name]


def _compile(clause: ClauseElement, dialect: Dialect, names: Iterable[str] | None) -> _Compiled:
    compiled: Any = clause.compile(dialect=dialect, column_keys=None if names is None else list(names))
    constants = {name: bind.value for name, bind in compiled.binds.items() if not bind.required}
    asked = {name: bind.type for name, bind in compiled.binds.items() if name not in constants}
    found = {name: kind.dialect_impl(dialect).bind_processor(dialect) for name, kind in asked.items()}
    binds = {name: convert for name, convert in found.items() if convert is not None}
    if not compiled.positional:
        return _Compiled(sql=str(compiled), parameters=partial(_named, constants, binds))
    order = tuple(compiled.positiontup)
    places = tuple((place, binds[name]) for place, name in enumerate(order) if name in binds)
    values = partial(_values, order) if len(order) < 2 else itemgetter(*order)
    return _Compiled(sql=str(compiled), parameters=partial(_placed, constants, values, places))


def _named(constants: Row, binds: Mapping[str, Convert], row: Row) -> dict[str, Any]:
    """Makes the parameters of a driver that takes them by name."""
    ready = {**constants, **row}
    return ready | {name: convert(ready[name]) for name, convert in binds.items()}


def _values(order: Sequence[str], row: Row) -> list[Any]:
    """Does what an `itemgetter` of two and more names does."""
    return [row[name] for name in order]


def _placed(
    constants: Row, values: Callable[[Row], Iterable[Any]], places: Sequence[tuple[int, Convert]], row: Row
) -> list[Any]:
    """Makes the parameters of a driver that takes them in their places."""
    ready = [*values({**constants, **row} if constants else row)]
    for place, convert in places:
        ready[place] = convert(ready[place])
    return ready
