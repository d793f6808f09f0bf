"""Reads JSON records line by line, in bounded memory, and reports the lines that hold none."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, TextIO

from afterturn.errors import UnreadableInputError
from afterturn.formats._problem import FormatProblem
from afterturn.formats._values import parse_json
from afterturn.turns import JsonValue

MAX_LINE_BYTES = 64 * 2**20
_SKIP_BYTES = 2**20

_SIGNATURES = {
    b"\x1f\x8b": "is compressed (gzip); unpack it first",
    b"\x28\xb5\x2f\xfd": "is compressed (zstd); unpack it first",
    b"BZh": "is compressed (bzip2); unpack it first",
    b"PK\x03\x04": "is a zip archive; unpack it first",
    b"PAR1": "is a Parquet file; give it the ending .parquet",
    b"SQLite format 3": "is a database; export turns from it first",
    codecs.BOM_UTF16_LE: "is UTF-16; save it as UTF-8",
    codecs.BOM_UTF16_BE: "is UTF-16; save it as UTF-8",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class BadLine:
    """Is a line that could not be read; it is skipped, and never quoted.

    Attributes:
        file: The file, or `<stdin>` or `<stream>`.
        line: The number of the line, from 1; in a Parquet file the number of the row.
        problem: What is wrong with it.
        hint: What to do about it.
    """

    file: str
    line: int
    problem: str
    hint: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.problem}; {self.hint}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """Is one record of a file: the number of its line, from 1, and its value as plain JSON."""

    line: int
    value: JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class RawLine:
    """Is one line as bytes; `data` is None where it was too long, `ended` False where the file ends in the middle."""

    number: int
    data: bytes | None
    ended: bool


def raw_lines(stream: BinaryIO | TextIO, file: str, *, max_line_bytes: int, first: int = 1) -> Iterator[RawLine]:
    """Splits a stream at line feeds; a line that is too long is read over piece by piece, and never held whole."""
    number = first
    while data := _read(stream, max_line_bytes + 1):
        if number == 1:
            _refuse_foreign(data, file)
        too_long = len(data) > max_line_bytes and not data.endswith(b"\n")
        ended = data.endswith(b"\n")
        if too_long:
            ended = _skip_line(stream)
        yield RawLine(number=number, data=None if too_long else data, ended=ended)
        number += 1


def read_line(line: RawLine, file: str) -> Record | BadLine | None:
    """Reads one line; None where it is blank."""
    if line.data is None:
        return BadLine(file=file, line=line.number, problem="the line is too long", hint="split it; it was not read")
    data = line.data.removeprefix(codecs.BOM_UTF8).strip()
    if not data:
        return None
    try:
        return Record(line=line.number, value=parse_json(decode(data)))
    except FormatProblem as problem:
        hint = problem.hint
        if not line.ended and problem.problem.startswith("not valid JSON"):
            hint = "the file ends in the middle of the line; write it again"
        elif data in (b"{", b"["):
            hint = "a record must stand on one line, not be spread over several"
        return BadLine(file=file, line=line.number, problem=problem.problem, hint=hint)


def decode(data: bytes) -> str:
    """Decodes UTF-8.

    Raises:
        FormatProblem: With the place of the byte that is wrong.
    """
    if b"\x00" in data:
        raise FormatProblem("the line holds NUL bytes", "the file was damaged or is no text; write it again")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        place = error.start + 1
    raise FormatProblem(f"not valid UTF-8 (byte {place} of the line)", "save the file as UTF-8")


def _read(stream: BinaryIO | TextIO, size: int) -> bytes:
    data = stream.readline(size)
    # Bytes that a text stream could not decode come as surrogates; they stay invalid, and the line is reported.
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data


def _skip_line(stream: BinaryIO | TextIO) -> bool:
    while data := _read(stream, _SKIP_BYTES):
        if data.endswith(b"\n"):
            return True
    return False


def _refuse_foreign(data: bytes, file: str) -> None:
    for signature, problem in _SIGNATURES.items():
        if data.startswith(signature):
            raise UnreadableInputError(f"{file} {problem}")
