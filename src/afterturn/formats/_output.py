"""Writes a file in one step, and says what to do where it cannot be written."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
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


@contextmanager
def writing(path: Path | str) -> Generator[IO[bytes]]:
    """Opens a file for writing, under another name until it is whole; on any error the old file stays as it was.

    `-` is standard output. What is no regular file (a pipe, a device) is written directly.

    Raises:
        OutputError: If it cannot be written; says what to do.
    """
    try:
        if str(path) == "-":
            sys.stdout.flush()
            yield sys.stdout.buffer
            sys.stdout.flush()
            return
        # A link stays a link: what it points to is replaced.
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
            return
        with _beside(target) as stream:
            yield stream
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {_hint(error)}") from error


@contextmanager
def _beside(target: Path) -> Generator[IO[bytes]]:
    temporary = target.with_name(f".{uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode)
        temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _hint(error: OSError) -> str:
    fallback = f"{error.strerror or type(error).__name__}; check the disk or the network it is on"
    return _HINTS.get(error.errno or 0, fallback)
