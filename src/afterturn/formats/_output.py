"""Writes a file in one step, or line by line where its lines are dear; says what to do where it cannot be written."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from itertools import count
from pathlib import Path
from typing import IO, TextIO
from uuid import uuid4

from afterturn.errors import OutputError

_HINTS = {
    errno.ENOSPC: "the disk is full; free some space and run it again",
    errno.EDQUOT: "your disk quota is used up; free some space and run it again",
    errno.EROFS: "the disk is read-only; write somewhere else",
    errno.EACCES: "permission denied; make the folder writable, or write somewhere else",
    errno.EPERM: "permission denied; make the folder writable, or write somewhere else",
    errno.ENOENT: "the folder does not exist; create it first",
    errno.ENOTDIR: "a part of the path is a file; check the path",
    errno.EISDIR: "it is a folder; name a file in it",
    errno.EPIPE: "the program that read the output has ended",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}


_NAME_CHARS = 40
_DATABASE = b"SQLite format 3\x00"
_DATABASE_ENDINGS = ("-wal", "-shm", "-journal")


@contextmanager
def writing(path: Path | str) -> Generator[IO[bytes]]:
    """Opens a file for writing, under another name until it is whole; on any error the old file stays as it was.

    `-` is standard output. What is no regular file (a pipe, a device) is written directly.

    Raises:
        OutputError: If it cannot be written; says what to do.
    """
    with _told(path):
        if str(path) == "-":
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.flush()
            return
        target = _target(path)
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
            return
        with _beside(target) as stream:
            yield stream


@dataclass(kw_only=True, slots=True)
class Lines:
    """Is an output that grows line by line; made by `line_by_line`.

    Attributes:
        path: The file that holds the lines now; None where they go to a stream, which keeps nothing for anybody.
        count: How many lines are in it.
    """

    path: Path | None
    count: int = 0
    _stream: TextIO | FileIO
    _bytes: int = 0

    def write(self, line: str) -> None:
        """Writes a line, whole, at once."""
        if not isinstance(self._stream, FileIO):
            self._stream.write(f"{line}\n")
        else:
            left = memoryview(f"{line}\n".encode())
            size = len(left)
            while left:
                left = left[self._stream.write(left) :]
            self._bytes += size
        self.count += 1

    def begin_again(self) -> None:
        """Drops the lines: what is written next is all that there will be."""
        if isinstance(self._stream, FileIO):
            self._stream.seek(0)
            self._stream.truncate()
        self.count = self._bytes = 0

    def cut(self) -> None:
        """Takes away the part of a line that a full disk left."""
        if isinstance(self._stream, FileIO):
            self._stream.truncate(self._bytes)


@contextmanager
def line_by_line(path: Path | str) -> Generator[Lines]:
    """Opens a file for lines that are dear: what was written stays, whatever ends the work, in `FILE.part`.

    At the end it takes the place of the file. Where it comes to no end, `FILE` stays as it was and `FILE.part` holds
    the lines up to there, also after `kill -9`; one of an earlier time is never overwritten (`FILE.part2`, …). `-` is
    standard output; what is no regular file is written directly.

    Raises:
        OutputError: If it cannot be written; says what to do.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with line_by_line(f"{folder}/out.jsonl") as lines:
        ...         lines.write("{}")
        ...     Path(f"{folder}/out.jsonl").read_text().splitlines()
        ['{}']
    """
    if str(path) == "-":
        yield Lines(path=None, _stream=sys.stdout)
        sys.stdout.flush()
        return
    with _told(path):
        target = _target(path)
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", buffering=1) as stream:
                yield Lines(path=None, _stream=stream)
            return
        part, raw = _part(target if Path(path).is_symlink() else Path(path), target)
        with raw:
            lines = Lines(path=part, _stream=raw)
            try:
                yield lines
                os.fsync(raw.fileno())
            except BaseException:
                with suppress(OSError):
                    lines.cut() if lines.count else part.unlink()
                raise
        part.replace(target)
        lines.path = Path(path)


def _part(path: Path, target: Path) -> tuple[Path, FileIO]:
    """Makes the first of `FILE.part`, `FILE.part2`, … that is not there."""
    for number in count(1):
        part = path.with_name(f"{path.name}.part{number if number > 1 else ''}")
        with suppress(FileExistsError):
            raw = part.open("xb", buffering=0)
            _take_rights(part, target)
            return part, raw
    raise AssertionError  # it counts for ever


@contextmanager
def _beside(target: Path) -> Generator[IO[bytes]]:
    # Not hidden: `kill -9` leaves it there, and it may hold text of conversations.
    temporary = target.with_name(f"{target.name[:_NAME_CHARS]}.{uuid4().hex[:12]}.tmp")
    try:
        with temporary.open("xb") as stream:
            _take_rights(temporary, target)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _target(path: Path | str) -> Path:
    """Finds the file to be replaced: a link stays a link, what it points to is replaced."""
    target = Path(path).resolve()
    ending = next((ending for ending in _DATABASE_ENDINGS if target.name.endswith(ending)), "")
    for file in {target, target.with_name(target.name.removesuffix(ending))}:
        if _is_database(file):
            raise OutputError(f"{path} cannot be written: it is a database, which would be lost; name another file")
    return target


def _is_database(file: Path) -> bool:
    if not file.is_file():
        return False
    try:
        with file.open("rb") as stream:
            return stream.read(len(_DATABASE)) == _DATABASE
    except PermissionError:
        return False  # one who may not read it may replace it, as ever


def _take_rights(file: Path, target: Path) -> None:
    """Gives a file the rights of the one that it will replace, before there is anything to read in it."""
    if target.exists():
        file.chmod(target.stat().st_mode)


@contextmanager
def _told(path: Path | str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {_hint(error)}") from error


def _hint(error: OSError) -> str:
    fallback = f"{error.strerror or type(error).__name__}; check the disk or the network it is on"
    return _HINTS.get(error.errno or 0, fallback)
