from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from afterturn.calls import Planned
from afterturn.errors import ConfigError, StoreError
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Store, _migrate, open_store, open_to_read
from afterturn.store._connections import driver_of
from afterturn.turns import Message, Turn

NewTurn = Callable[..., Turn]
Question = Callable[..., Planned]


def test_the_pragmas_keep_what_was_committed(path: Path) -> None:
    with open_store(path) as store, store._database.reading() as connection:  # pyright: ignore[reportPrivateUsage]
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
        keys = connection.exec_driver_sql("PRAGMA foreign_keys").scalar()
    assert (found, keys) == (["wal", 2], 1)  # 2 is FULL


def level(store: Store, *, again: bool) -> int:
    with store._database.writing(again=again) as connection:  # pyright: ignore[reportPrivateUsage]
        return connection.exec_driver_sql("PRAGMA synchronous").scalar_one()


def test_what_can_be_made_again_is_not_waited_for_and_the_next_write_is(path: Path) -> None:
    with open_store(path) as store:
        assert [level(store, again=again) for again in (False, True, False, True, False)] == [2, 1, 2, 1, 2]
        with (
            pytest.raises(ZeroDivisionError),
            store._database.writing(again=True),  # pyright: ignore[reportPrivateUsage]
        ):
            _ = 1 / 0
        assert level(store, again=False) == 2
    with open_store(path, synchronous="OFF") as store:
        assert level(store, again=True) == 0  # nothing is flushed, so nothing may be flushed more


def test_turns_attempts_and_titles_are_flushed_and_heartbeats_and_verdicts_are_not(
    path: Path,
    new_turn: NewTurn,
    question: Question,
    answer: Callable[..., Judgement],
) -> None:
    statements: list[str] = []
    with open_store(path) as store:
        with store._database.reading() as connection:  # pyright: ignore[reportPrivateUsage]
            driver_of(connection).set_trace_callback(statements.append)

        def lowered() -> bool:
            lower = "PRAGMA synchronous=NORMAL" in statements
            statements.clear()
            return lower

        store.add_turn(new_turn(1), [question()])
        assert not lowered()
        (claimed,) = store.claim("w", lease_s=60).claims
        assert not lowered()
        store.heartbeat("w", [claimed], lease_s=60)
        assert lowered()
        store.finish(claimed, [answer(claimed)], apply)
        assert lowered()
        store.pin_title("acme", "s-1", "Parcel")
        assert not lowered()


def test_a_url_and_a_path_name_the_same_database(path: Path, new_turn: NewTurn) -> None:
    with open_store(f"sqlite:///{path}") as store:
        store.add_turn(new_turn(1))
    with open_store(path, create=False) as store:
        assert store.funnel().stored == 1


@pytest.mark.parametrize("url", ["postgresql://somewhere/db", ":memory:", "sqlite://", "sqlite:///", ""])
def test_an_address_of_another_kind_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(ConfigError, match="file"):
        open_store(url)


def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("these are notes, no database, and long enough to have a header of their own" * 9)
    before = file.read_bytes()
    with pytest.raises(StoreError, match=r"notes\.txt: the file is no SQLite database"):
        open_store(file)
    assert file.read_bytes() == before


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere/a\.db: it cannot be opened; make the folder exist"):
        open_store(tmp_path / "nowhere" / "a.db")


def test_a_database_that_is_not_there_is_not_made_by_a_look(path: Path) -> None:
    with pytest.raises(StoreError, match="there is none; import turns first"):
        open_store(path, create=False)
    assert not path.exists()


def test_a_database_of_a_newer_version_is_left_alone(path: Path) -> None:
    open_store(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute("INSERT INTO afterturn_schema (version) VALUES (99)")
    raw.close()
    newest = max(_migrate.migrations())
    with pytest.raises(
        StoreError, match=rf"{path.name}: it has schema 99, this Afterturn knows {newest}; install a new"
    ):
        open_store(path)


def test_tables_of_another_program_are_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE turns (mine TEXT)")
    raw.close()
    with pytest.raises(StoreError, match="its tables are not Afterturn's"):
        open_store(path)
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("turns",)]
    raw.close()


def test_a_write_that_another_program_locks_out_says_so_and_stores_nothing(path: Path, new_turn: NewTurn) -> None:
    with open_store(path, busy_timeout_s=0.01) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another program kept it locked"):
            store.add_turn(new_turn(1))
        assert store.funnel().stored == 0  # reading goes on
        other.execute("ROLLBACK")
        other.close()
        assert store.add_turn(new_turn(1))


def test_an_error_of_the_database_holds_no_text(path: Path) -> None:
    with open_store(path, busy_timeout_s=0.01) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError) as caught:
            store.add_turn(Turn(messages=(Message(role="user", text="CANARY-7"),), session="s", id="t"))
        other.close()
    error: BaseException | None = caught.value
    while error is not None:
        assert "CANARY-7" not in f"{error!s} {error!r}"
        error = error.__cause__ or error.__context__


def test_a_full_database_stores_all_of_a_turn_or_nothing(path: Path, new_turn: NewTurn, question: Question) -> None:
    big = (Message(role="user", text="x" * 40_000), Message(role="assistant", text="answer"))
    with open_store(path) as store:
        _limit_pages(store, 60)
        stored, error = _fill(store, [(new_turn(n, messages=big), [question(), question("safety")]) for n in range(99)])
        assert "the disk is full; free some space" in error
        assert stored > 0
        assert [turn.id for turn in store.turns()] == [f"t-{number}" for number in range(stored)]
        assert store.funnel().planned == 2 * stored
        _limit_pages(store, 100_000)
        assert store.add_turn(new_turn(stored, messages=big), [question()])


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A real file system of 1 MB."""
    folder = Path(tempfile.mkdtemp())
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root and mount(8)")
    made = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("this machine does not allow mounting a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
    folder.rmdir()


def test_a_full_disk_loses_nothing_that_was_stored(small_disk: Path, new_turn: NewTurn, question: Question) -> None:
    big = (Message(role="user", text="x" * 40_000), Message(role="assistant", text="answer"))
    with open_store(small_disk / "a.db") as store:
        stored, error = _fill(store, [(new_turn(n, messages=big), [question()]) for n in range(99)])
        assert "the disk" in error
        assert [turn.id for turn in store.turns()] == [f"t-{number}" for number in range(stored)]
    with open_store(small_disk / "a.db") as store:
        assert store.funnel().stored == store.open_questions() == stored


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A folder with a database that this process may read, not write."""
    folder = Path(tempfile.mkdtemp())
    with open_store(folder / "a.db") as store:
        store.add_turn(Turn(messages=(Message(role="user", text="hello"),), session="s", id="t"))
    folder.chmod(0o555)
    (folder / "a.db").chmod(0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)  # root may write anywhere
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["a.db", "new.db"])
def test_a_read_only_folder_is_named_and_what_to_do(read_only: Path, name: str) -> None:
    with pytest.raises(StoreError, match=r"\.db: it cannot be (written|opened); make the (file and its )?folder"):
        open_store(read_only / name)
    with pytest.raises(OSError) as caught:
        (read_only / "other").touch()
    assert caught.value.errno == errno.EACCES


def test_a_database_in_a_read_only_folder_may_be_read_and_nothing_is_written(read_only: Path) -> None:
    with open_to_read(read_only / "a.db") as store:
        assert [turn.id for turn in store.turns()] == ["t"]
        with pytest.raises(StoreError) as caught:
            store.add_turn(Turn(messages=(Message(role="user", text="hello"),), session="s", id="t-2"))
    assert caught.value.code == "readonly"
    assert [file.name for file in read_only.iterdir()] == ["a.db"]


def test_a_log_that_cannot_be_read_without_writing_is_refused_with_what_to_do(read_only: Path) -> None:
    os.seteuid(os.getuid())
    read_only.chmod(0o755)
    (read_only / "a.db-wal").write_bytes(b"x" * 4096)
    (read_only / "a.db-wal").chmod(0o444)
    read_only.chmod(0o555)
    if os.getuid() == 0:
        os.seteuid(65534)
    with pytest.raises(StoreError, match=r"copy it with its -wal file, if there is one, to a folder"):
        open_to_read(read_only / "a.db")


def _limit_pages(store: Store, pages: int) -> None:
    with store._database.writing() as connection:  # pyright: ignore[reportPrivateUsage]
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")


def _fill(store: Store, pairs: Sequence[tuple[Turn, Sequence[Planned]]]) -> tuple[int, str]:
    """Stores turns until the database refuses; gives how many it took, and what it said."""
    for number, (turn, planned) in enumerate(pairs):
        try:
            store.add_turn(turn, planned)
        except StoreError as error:
            return number, str(error)
    return len(pairs), ""
