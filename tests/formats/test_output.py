"""Claims about writing files of turns."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from afterturn.errors import OutputError, TurnFormatError
from afterturn.formats import read_turns, turn_from_json, write_any, write_turns
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
