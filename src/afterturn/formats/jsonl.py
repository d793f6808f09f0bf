"""Reads and writes files of turns: JSONL, one finished turn a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from afterturn.errors import UnreadableInputError
from afterturn.formats._array import opens_array, read_array
from afterturn.formats._lines import MAX_LINE_BYTES, BadLine, RawLine, Record, raw_lines, read_line
from afterturn.formats._output import writing
from afterturn.formats._passages import AliasBook
from afterturn.formats._problem import FormatProblem
from afterturn.formats._source import Source, reading, source_name
from afterturn.formats._turn import read_turn, turn_from_json, turn_to_json
from afterturn.formats._values import dump_json
from afterturn.turns import Turn

__all__ = ["read_records", "read_turns", "turn_from_json", "turn_to_json", "write_turns"]


def read_turns(source: Source, *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[Turn | BadLine]:
    """Reads the turns of a file, in order, and reports the lines that are none.

    The aliases that earlier turns of a session handed out become the `known_aliases` of its later turns. Turns with
    the same id are all given out: which of them counts is the store's decision.

    Args:
        source: A path, `-` for standard input, or an open stream (which stays open).
        max_line_bytes: Longer lines are skipped without being held in memory.

    Yields:
        A Turn for each line that is one, a BadLine for each other line that is not blank.

    Raises:
        UnreadableInputError: If the file as a whole cannot be read; says what to do.
    """
    return (item for _, item in read_numbered_turns(source, max_line_bytes=max_line_bytes))


def read_numbered_turns(
    source: Source, *, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, Turn | BadLine]]:
    """Reads what `read_turns` reads, each with the number of its line, from 1."""
    name = source_name(source)
    book = AliasBook()
    for record in read_records(source, max_line_bytes=max_line_bytes):
        yield record.line, record if isinstance(record, BadLine) else _read_turn(record, name, book)


def read_records(source: Source, *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[Record | BadLine]:
    """Reads any file of JSON records, one a line (or a small array), as `read_turns` does, but as plain JSON.

    Raises:
        UnreadableInputError: If the file as a whole cannot be read.
    """
    name = source_name(source)
    with reading(source) as stream:
        lines = raw_lines(stream, name, max_line_bytes=max_line_bytes)
        yield from _records(lines, name, max_line_bytes)


def write_turns(turns: Iterable[Turn], path: Path | str) -> int:
    """Writes turns to a JSONL file, in one step: the file is there whole, or as it was before.

    Args:
        turns: The turns; they may be generated while they are written.
        path: The file, or `-` for standard output.

    Returns:
        How many were written.

    Raises:
        OutputError: If the file cannot be written (folder missing or read-only, disk full); says what to do.
        TurnFormatError: If a turn holds what JSON does not have.
    """
    count = 0
    with writing(path) as stream:
        for turn in turns:
            stream.write(f"{dump_json(turn_to_json(turn))}\n".encode())
            count += 1
    return count


def _read_turn(record: Record, name: str, book: AliasBook) -> Turn | BadLine:
    try:
        return read_turn(record.value, book)
    except FormatProblem as problem:
        return BadLine(file=name, line=record.line, problem=problem.problem, hint=problem.hint)


def _records(lines: Iterator[RawLine], name: str, max_bytes: int) -> Iterator[Record | BadLine]:
    begun = False
    for line in lines:
        record = read_line(line, name)
        if record is None:
            continue
        if not begun and line.data is not None and opens_array(line.data):
            # A broken first line may be the first of an array that goes on below; a sound one is all of it.
            data = line.data if isinstance(record, Record) else _whole(chain([line], lines), name, max_bytes)
            yield from read_array(data, name, first=line.number)
        else:
            yield record
        begun = True


def _whole(lines: Iterator[RawLine], name: str, max_bytes: int) -> bytes:
    """Collects an array, which must be held whole, as long as it is small."""
    pieces: list[bytes] = []
    size = 0
    for line in lines:
        pieces.append(line.data or b"")
        size += len(pieces[-1])
        if line.data is None or size > max_bytes:
            raise UnreadableInputError(
                f"{name} is one JSON array of more than {max_bytes} bytes; write one record a line (jq -c '.[]')"
            )
    return b"".join(pieces)
