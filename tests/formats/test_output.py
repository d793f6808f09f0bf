"""Claims about writing files of turns."""

from __future__ import annotations

import os
import resource
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from afterturn.errors import OutputError, TurnFormatError
from afterturn.formats import line_by_line, read_turns, turn_from_json, write_any, write_turns, writing
from afterturn.turns import Turn

FULL_DISK = Path("/dev/full")
ONE = turn_from_json({"messages": [{"role": "user", "content": "a\u2028b\x85c é"}]})


def test_turns_are_written_one_a_line_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    assert write_turns([ONE, ONE], path) == 2
    assert len(path.read_text().splitlines()) == 2
    assert "é" in path.read_text()
    assert list(read_turns(path)) == [ONE, ONE]
    assert [file.name for file in tmp_path.iterdir()] == ["turns.jsonl"]


def test_a_failure_in_the_middle_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text("old")

    def broken() -> Iterator[Turn]:
        yield ONE
        yield Turn(messages=ONE.messages, extra={"x": float("nan")})

    with pytest.raises(TurnFormatError):
        write_turns(broken(), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["turns.jsonl"]


def test_a_file_may_be_rewritten_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    write_turns([ONE] * 3, path)
    assert write_turns((turn for turn in read_turns(path) if isinstance(turn, Turn)), path) == 3
    assert list(read_turns(path)) == [ONE] * 3


def test_rights_and_links_stay_as_they_are(tmp_path: Path) -> None:
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    real.touch()
    real.chmod(0o640)
    link.symlink_to(real)
    write_turns([ONE], link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert list(read_turns(real)) == [ONE]


@pytest.mark.parametrize("name", ["none/turns", "file/turns", "folder", "x" * 300])
@pytest.mark.parametrize("ending", ["", ".parquet"])
def test_a_path_that_cannot_be_written_says_what_to_do(tmp_path: Path, name: str, ending: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / f"folder{ending}").mkdir()
    advice = {
        "none/turns": "the folder does not exist; create it first",
        "file/turns": "a part of the path is a file; check the path",
        "folder": "it is a folder; name a file in it",
        "x" * 300: "the name is too long; choose a shorter one",
    }
    path = tmp_path / f"{name}{ending}"
    with pytest.raises(OutputError) as caught:
        write_any([ONE], path)
    assert str(caught.value) == f"{path} cannot be written: {advice[name]}"


@pytest.mark.skipif(not FULL_DISK.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("name", ["full.jsonl", "full.parquet"])
def test_a_full_disk_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to(FULL_DISK)
    with pytest.raises(OutputError, match="the disk is full; free some space and run it again"):
        write_any([ONE], tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="make the folder writable, or write somewhere else"):
        write_turns([ONE], tmp_path / "turns.jsonl")
    tmp_path.chmod(0o700)


def test_a_dash_is_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert write_turns([ONE], "-") == 1
    assert capfdbinary.readouterr().out.count(b"\n") == 1


def test_lines_that_are_dear_are_in_a_part_until_all_are_there(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    path.chmod(0o600)
    with line_by_line(path) as lines:
        lines.write("é")
        part = tmp_path / "out.jsonl.part"
        assert (lines.path, lines.count, part.read_text()) == (part, 1, "é\n")
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
        assert path.read_text() == "old"
    assert (lines.path, path.read_text()) == (path, "é\n")
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_lines_stay_where_the_work_comes_to_no_end_and_no_part_is_overwritten(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "out.jsonl"

    def stopped(*texts: str) -> None:
        with line_by_line(path) as lines:
            for text in texts:
                lines.write(text)
            raise error

    for texts in (["0"], ["1"], ["2"], []):  # where nothing was written, nothing is left
        with pytest.raises(error):
            stopped(*texts)
    kept = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert kept == {"out.jsonl.part": "0\n", "out.jsonl.part2": "1\n", "out.jsonl.part3": "2\n"}


def test_lines_may_give_way_to_what_was_made_of_them(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    with line_by_line(path) as lines:
        lines.write("a longer line")
        lines.begin_again()
        lines.write("{}")
    assert path.read_text() == "{}\n"


def test_a_line_that_found_no_room_is_not_kept_in_half(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def full() -> None:
        with line_by_line(path) as lines:
            lines.write("whole")
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
            try:
                lines.write("x" * 1000)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)

    with pytest.raises(OutputError, match="cannot be written"):
        full()
    assert (tmp_path / "out.jsonl.part").read_text() == "whole\n"


def test_a_pipe_or_a_device_takes_lines_directly(tmp_path: Path) -> None:
    with line_by_line("/dev/null") as lines:
        lines.write("a")
    assert (lines.path, lines.count) == (None, 1)


def test_a_database_is_never_replaced(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    before = database.read_bytes()
    for name in ("a.db", "a.db-wal", "a.db-shm", "a.db-journal"):
        told = f"{tmp_path / name} cannot be written: it is a database, which would be lost; name another file"
        for opened in (writing, line_by_line):
            with pytest.raises(OutputError) as caught, opened(tmp_path / name):
                pass
            assert str(caught.value) == told
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"a.db": before}
