"""Runs statements with as little around the database as the driver allows.

Storing and claiming a turn are in the path of every conversation, and there SQLAlchemy's own work for each statement
would cost more than the statement does. So these are compiled once, and their values go straight to the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ClauseElement, Connection, Select
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.dml import Insert, Update
from sqlalchemy.types import TypeEngine

from afterturn.store._connections import driver_of

Row = Mapping[Any, Any]
"""Is what a statement takes or gives, by the names of its columns and parameters."""

Convert = Callable[[Any], Any] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Compiled:
    """Is a statement for one kind of database.

    Attributes:
        sql: The statement.
        order: The names of the parameters in their places; None where the driver takes them by name.
        constants: The values that the statement brings itself.
        binds: What makes a value ready for the driver, by parameter.
    """

    sql: str
    order: tuple[str, ...] | None
    constants: Mapping[str, Any]
    binds: Mapping[str, Callable[[Any], Any]]

    def parameters(self, row: Row) -> Any:
        """Makes the driver's parameters of a row."""
        if self.constants:
            row = {**self.constants, **row}
        ready = {**row, **{name: convert(row[name]) for name, convert in self.binds.items()}}
        return ready if self.order is None else [*map(ready.__getitem__, self.order)]


class Write:
    """Is one INSERT or UPDATE.

    Args:
        clause: The statement. It sets the columns that its rows name; what else they name are its bound parameters.
            One that inserts what it selects has bound parameters alone.
    """

    def __init__(self, clause: Insert | Update) -> None:
        self._clause = clause
        self._compiled: dict[tuple[str, tuple[str, ...]], _Compiled] = {}

    def run(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Writes rows; all have the same columns."""
        if rows:
            compiled = self._for(connection.dialect, rows[0])
            driver_of(connection).cursor().executemany(compiled.sql, [compiled.parameters(row) for row in rows])

    def changed(self, connection: Connection, row: Row) -> int:
        """Writes one row and gives how many rows of the table that made or changed."""
        compiled = self._for(connection.dialect, row)
        return driver_of(connection).cursor().execute(compiled.sql, compiled.parameters(row)).rowcount

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
        self._compiled: dict[str, tuple[_Compiled, tuple[Convert, ...]]] = {}

    def rows(self, connection: Connection, values: Row) -> list[dict[str, Any]]:
        """Reads all rows."""
        compiled, converts = self._for(connection.dialect)
        cursor = driver_of(connection).cursor()
        cursor.execute(compiled.sql, compiled.parameters(values))
        return [
            {
                name: value if convert is None else convert(value)
                for name, value, convert in zip(self._names, row, converts, strict=True)
            }
            for row in cursor.fetchall()
        ]

    def first(self, connection: Connection, values: Row) -> dict[str, Any] | None:
        """Reads the one row that a statement with a key or a limit gives; None where there is none."""
        found = self.rows(connection, values)
        return found[0] if found else None

    def _for(self, dialect: Dialect) -> tuple[_Compiled, tuple[Convert, ...]]:
        if dialect.name not in self._compiled:
            converts = tuple(kind.dialect_impl(dialect).result_processor(dialect, None) for kind in self._types)
            self._compiled[dialect.name] = _compile(self._clause, dialect, None), converts
        return self._compiled[dialect.name]


def _compile(clause: ClauseElement, dialect: Dialect, names: Iterable[str] | None) -> _Compiled:
    compiled: Any = clause.compile(dialect=dialect, column_keys=None if names is None else list(names))
    constants = {name: bind.value for name, bind in compiled.binds.items() if not bind.required}
    asked = {name: bind.type for name, bind in compiled.binds.items() if name not in constants}
    found = {name: kind.dialect_impl(dialect).bind_processor(dialect) for name, kind in asked.items()}
    return _Compiled(
        sql=str(compiled),
        order=tuple(compiled.positiontup) if compiled.positional else None,
        constants=constants,
        binds={name: convert for name, convert in found.items() if convert is not None},
    )
