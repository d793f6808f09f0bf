"""Opens what is to be read, and says what to do where that is not possible."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from afterturn._unreadable import why_unreadable
from afterturn.errors import UnreadableInputError

Source = Path | str | BinaryIO | TextIO


@contextmanager
def reading(source: Source) -> Generator[BinaryIO | TextIO]:
    """Opens a path (`-` is standard input); an open stream is taken as it is, and stays open.

    Raises:
        UnreadableInputError: If it cannot be opened or read; says what to do.
    """
    name = source_name(source)
    try:
        if name == "<stdin>":
            yield _stdin()
        elif isinstance(source, str | Path):
            with Path(source).open("rb") as stream:
                yield stream
        else:
            yield source
    except UnicodeDecodeError:
        raise UnreadableInputError(f"{name} is not UTF-8; save it as UTF-8, or open it in binary mode") from None
    except OSError as error:
        raise UnreadableInputError(f"{name} cannot be read: {why_unreadable(error)}") from error


def source_name(source: Source) -> str:
    """Names a source for messages."""
    if isinstance(source, str | Path):
        return "<stdin>" if str(source) == "-" else str(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def _stdin() -> BinaryIO | TextIO:
    stdin: TextIO | None = sys.stdin
    if stdin is None:  # a process may be started without one
        raise UnreadableInputError("there is no standard input; name a file")
    return getattr(stdin, "buffer", stdin)
