"""Reads texts to check, a line each: `{"id", "text"}` objects or plain lines, in memory that no file makes grow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterturn.formats._lines import RawLine

MAX_LINE_BYTES = 16 * 2**20
_HINT = 'write {"id": "…", "text": "…"} on one line'


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """Is one text, with the id that the line gives or else its number, from 1."""

    id: object
    text: str


def texts(file: Path) -> Iterator[Line | str]:
    """Reads the texts of a file, or of stdin with `-`.

    The first line that is not blank decides for all: where it is a JSON object with `text`, each line must be one and
    blank lines are passed over; else every line is a text as it stands, blank ones too.

    Yields:
        Each text; for a line that is none, a message that says where it is and what to do, without its content.

    Raises:
        UnreadableInputError: The file cannot be read.
    """
    from afterturn.formats._lines import raw_lines
    from afterturn.formats._source import reading, source_name

    name = source_name(file)
    with reading(file) as stream:
        lines = raw_lines(stream, name, max_line_bytes=MAX_LINE_BYTES)
        first = next((line for line in lines if line.data is None or _stripped(line.data)), None)
        blank = range(1, first.number) if first else range(0)  # the blank lines before: they may be any number
        if first is not None and _is_json(first, name):
            for line in chain((first,), lines):
                read = _json_text(line, name)
                if read is not None:
                    yield read
            return
        yield from (Line(id=number, text="") for number in blank)
        for line in chain((first,) if first else (), lines):
            yield _plain_text(line, name)


def _is_json(line: RawLine, name: str) -> bool:
    from afterturn.formats._lines import Record, read_line

    read = read_line(line, name)
    return isinstance(read, Record) and isinstance(read.value, dict) and "text" in read.value


def _json_text(line: RawLine, name: str) -> Line | str | None:
    from afterturn.formats._lines import BadLine, read_line

    read = read_line(line, name)
    if read is None or isinstance(read, BadLine):
        return None if read is None else str(read)
    if not isinstance(read.value, dict):
        return f"{name}:{line.number}: not a JSON object; {_HINT}"
    text = read.value.get("text")
    if not isinstance(text, str):
        return f"{name}:{line.number}: `text` is not a string; {_HINT}"
    return Line(id=read.value.get("id", line.number), text=text)


def _plain_text(line: RawLine, name: str) -> Line | str:
    if line.data is None:
        return f"{name}:{line.number}: the line is too long; split it, at most {MAX_LINE_BYTES >> 20} MiB are read"
    data = _without_mark(line) if line.number == 1 else line.data
    return Line(id=line.number, text=data.removesuffix(b"\n").removesuffix(b"\r").decode(errors="replace"))


def _without_mark(line: RawLine) -> bytes:
    return (line.data or b"").removeprefix(b"\xef\xbb\xbf")


def _stripped(data: bytes) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf").strip()
