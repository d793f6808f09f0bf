from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.dialects import sqlite

from afterturn.errors import StoreError
from afterturn.store import Store, _migrate, open_store
from afterturn.store._schema import Instant, metadata

_DIALECT = sqlite.dialect()


def test_the_migrations_make_the_tables_that_the_queries_know(path: Path) -> None:
    open_store(path).close()
    engine = create_engine(f"sqlite:///{path}")
    found = inspect(engine)
    made = {name: [column["name"] for column in found.get_columns(name)] for name in found.get_table_names()}
    engine.dispose()
    del made["afterturn_schema"]
    assert made == {table.name: [column.name for column in table.columns] for table in metadata.sorted_tables}


def test_each_migration_has_a_number_and_none_is_missing() -> None:
    assert list(_migrate.migrations()) == list(range(1, len(_migrate.migrations()) + 1))


def test_a_later_step_is_applied_to_a_database_with_data(
    path: Path, store: Store, new_turn: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_turn(new_turn(1))  # type: ignore[arg-type]
    store.close()
    newest = max(_migrate.migrations())
    steps = _migrate.migrations() | {
        newest + 1: "ALTER TABLE turns ADD COLUMN mood TEXT;\n-- a word on it; why\nSELECT 1"
    }
    monkeypatch.setattr(_migrate, "migrations", lambda: steps)
    with open_store(path) as opened, opened._database.reading() as connection:  # pyright: ignore[reportPrivateUsage]
        assert connection.execute(text("SELECT id, mood FROM turns")).all() == [("t-1", None)]
        assert _migrate.version_of(connection) == newest + 1


def test_a_step_that_breaks_leaves_the_database_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(path).close()
    newest = max(_migrate.migrations())
    steps = _migrate.migrations() | {newest + 1: "ALTER TABLE turns ADD COLUMN mood TEXT; SELECT nothing FROM nowhere"}
    with monkeypatch.context() as patched:
        patched.setattr(_migrate, "migrations", lambda: steps)
        with pytest.raises(StoreError):
            open_store(path)
    with open_store(path) as opened, opened._database.reading() as connection:  # pyright: ignore[reportPrivateUsage]
        assert _migrate.version_of(connection) == newest
        assert "mood" not in [column["name"] for column in inspect(connection).get_columns("turns")]


def test_many_that_open_a_new_database_at_once_make_it_once(path: Path) -> None:
    errors: list[BaseException] = []

    def opened() -> None:
        try:
            open_store(path).close()
        except BaseException as error:  # reported below
            errors.append(error)

    threads = [Thread(target=opened) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_new_file_that_another_program_is_just_making_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # SQLite refuses at once to change the journal's mode now

    def ends(seconds: float) -> None:
        other.execute("ROLLBACK")

    monkeypatch.setattr("afterturn.store._engine.time.sleep", ends)
    with open_store(path) as opened:
        assert opened.funnel().stored == 0
    assert not other.in_transaction
    other.close()


@pytest.mark.parametrize(
    "at",
    [
        datetime(2026, 11, 30, 10, 0, 0, 123456, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        None,
    ],
)
def test_an_instant_comes_back_to_the_microsecond(at: datetime | None) -> None:
    kind = Instant()
    assert kind.result_processor(_DIALECT, None)(kind.bind_processor(_DIALECT)(at)) == at
