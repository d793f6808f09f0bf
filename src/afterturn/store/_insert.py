"""Inserts rows with as little around the database as the driver allows.

Storing a turn is in the path of every conversation, and there SQLAlchemy's own work for each statement would cost more
than the insert does. So an insert is compiled once, and its rows go straight to the driver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.sql.dml import Insert as InsertClause

from afterturn.store._schema import Instant, micros


class Insert:
    """Is one INSERT statement.

    Args:
        clause: The statement, without values.
        table: The table it inserts into.
    """

    def __init__(self, clause: InsertClause, table: Table) -> None:
        self._clause = clause
        self._instants = frozenset(column.name for column in table.columns if isinstance(column.type, Instant))
        self._compiled: dict[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...] | None]] = {}

    def run(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Inserts rows; all have the same columns."""
        sql, parameters = self._prepared(connection, rows)
        connection.connection.cursor().executemany(sql, parameters)

    def returning(self, connection: Connection, row: Mapping[str, Any]) -> Any:
        """Inserts one row and gives what the statement returns of it; None where it was not inserted."""
        sql, parameters = self._prepared(connection, [row])
        cursor = connection.connection.cursor()
        cursor.execute(sql, parameters[0])
        found = cursor.fetchone()
        return None if found is None else found[0]

    def _prepared(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> tuple[str, list[Any]]:
        names = tuple(rows[0])
        sql, order = self._sql(connection, names)
        instants = self._instants.intersection(names)
        values = [{**row, **{name: micros(row[name]) for name in instants}} for row in rows]
        return sql, values if order is None else [tuple([row[name] for name in order]) for row in values]

    def _sql(self, connection: Connection, names: tuple[str, ...]) -> tuple[str, tuple[str, ...] | None]:
        """Gives the SQL and, where the driver takes parameters by position, their order."""
        key = (connection.dialect.name, names)
        if key not in self._compiled:
            compiled: Any = self._clause.compile(dialect=connection.dialect, column_keys=list(names))
            order = tuple(compiled.positiontup) if compiled.positional else None
            self._compiled[key] = (str(compiled), order)
        return self._compiled[key]
