"""A database that refuses is told once, with what to do, however many turns were under way; nothing else is printed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from afterturn.store import open_store

Folder = Callable[[str], Path]


def _turns(folder: Path, count: int, *, size: int = 10) -> Path:
    path = folder / "turns.jsonl"
    lines = [
        {
            "session": f"s-{number}",
            "turn": f"t-{number}",
            "messages": [
                {"role": "user", "content": f"Where is parcel {number}? " + "x" * size},
                {"role": "assistant", "content": "On its way."},
            ],
        }
        for number in range(count)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _started(turns: Path, database: Path, *more: str, user: bool = False) -> subprocess.Popen[str]:
    """Starts the command; for a user who may not write everywhere, which root may, where that is asked for."""
    command = [sys.executable, "-m", "afterturn", "classify", str(turns), "--db", str(database), *more]
    if user and os.geteuid() == 0:
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("root may write anywhere, and there is no setpriv(1) to take that away")
        command = [setpriv, "--bounding-set", "-dac_override,-dac_read_search", *command]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _told(process: subprocess.Popen[str]) -> list[str]:
    """Gives the lines on stderr of a command that was refused, and checks that there is no traceback among them."""
    try:
        _, told = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 2
    assert "Traceback" not in told
    assert "Task" not in told
    return told.splitlines()


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp())
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


@pytest.mark.parametrize("count", [1, 6])
def test_a_folder_or_file_that_may_only_be_read_is_one_line(folder: Path, count: int) -> None:
    turns = _turns(folder, count)
    open_store(folder / "a.db").close()
    for name, mode in (("a.db", 0o444), ("turns.jsonl", 0o444)):
        (folder / name).chmod(mode)
    folder.chmod(0o555)
    new, old = (_started(turns, folder / name, user=True) for name in ("new.db", "a.db"))  # both at once
    assert "it cannot be opened; make the folder exist and be writable" in _told(new)[-1]
    assert "it cannot be written; make the file and its folder writable" in _told(old)[-1]


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path) -> None:
    other = tmp_path / "a.db"
    other.write_text("no database at all " * 100)
    told = _told(_started(_turns(tmp_path, 6), other))
    assert "the file is no SQLite database; give another path" in told[-1]


@pytest.fixture
def small_disk() -> Iterator[Folder]:
    """Mounts real file systems of a few kilobytes."""
    mount = shutil.which("mount")
    made: list[Path] = []

    def mounted(size: str) -> Path:
        place = Path(tempfile.mkdtemp())
        command: list[Any] = [mount, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
        if mount is None or os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
            place.rmdir()
            pytest.skip("this machine does not allow mounting a small file system")
        made.append(place)
        return place

    yield mounted
    for place in made:
        subprocess.run(["umount", str(place)], check=True)
        place.rmdir()


def test_a_disk_that_is_full_from_the_start_is_called_full(small_disk: Folder, tmp_path: Path) -> None:
    turns = _turns(tmp_path, 6)
    for process in [_started(turns, small_disk(size) / "a.db") for size in ("12k", "40k")]:  # both at once
        assert "the disk is full; free some space and try again" in _told(process)[-1]


def test_a_disk_that_fills_up_on_the_way_ends_the_command_at_once_and_keeps_what_was_stored(
    small_disk: Folder, tmp_path: Path
) -> None:
    database = small_disk("600k") / "a.db"
    turns = _turns(tmp_path, 60, size=9000)
    told = _told(_started(turns, database, "-o", str(tmp_path / "out.jsonl")))  # within the time that it gives it
    assert "the disk is full; free some space and try again" in told[-1]
    codes = {json.loads(line)["code"] for line in told if '"afterturn.failed_open"' in line}
    assert codes <= {"full"}
    note = next(line for line in told if line.startswith("afterturn: stopped early"))
    assert note.endswith("; mend it and run it again: it goes on from there")
    kept = (tmp_path / "out.jsonl.part").read_text().splitlines() if "results are in" in note else []
    assert (f"{len(kept)} results are in {tmp_path}/out.jsonl.part" in note) == bool(kept)
    assert not (tmp_path / "out.jsonl").exists()
    for file in database.parent.iterdir():
        shutil.copy(file, tmp_path / file.name)
    with open_store(tmp_path / "a.db") as store:
        assert 0 < store.funnel().stored < 60
