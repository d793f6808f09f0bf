"""Reads and writes turns as Parquet: one row a turn, its ids as columns, all of it as JSON in the column `record`."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, cast

from afterturn.errors import UnreadableInputError, UsageError
from afterturn.formats._fields import write_time
from afterturn.formats._lines import BadLine
from afterturn.formats._output import writing
from afterturn.formats._passages import AliasBook
from afterturn.formats._problem import FormatProblem
from afterturn.formats._source import reading
from afterturn.formats._turn import read_turn, turn_to_json
from afterturn.formats._values import dump_json, parse_json, to_plain
from afterturn.turns import Turn

_GROUP_ROWS = 1000
_RECORD = "record"


def read_parquet_turns(path: Path | str) -> Iterator[Turn | BadLine]:
    """Reads the turns of a Parquet file, a batch of rows at a time.

    Reads the files of `write_parquet_turns`, and any other that has the keys of a turn as its columns.

    Yields:
        A Turn for each row that is one, a BadLine with the number of the row for each other.

    Raises:
        UnreadableInputError: If it is no readable Parquet file, or has none of the columns.
        UsageError: If pyarrow is not installed.
    """
    return (item for _, item in read_numbered_parquet_turns(path))


def read_numbered_parquet_turns(path: Path | str) -> Iterator[tuple[int, Turn | BadLine]]:
    """Reads what `read_parquet_turns` reads, each with the number of its row, from 1."""
    arrow, parquet = _pyarrow()
    book = AliasBook()
    try:
        with reading(Path(path)) as stream, parquet.ParquetFile(stream) as file:
            columns = _columns(set(file.schema_arrow.names), path)
            batches = file.iter_batches(batch_size=_GROUP_ROWS, columns=columns)
            rows = (row for batch in batches for row in batch.to_pylist())
            for number, row in enumerate(rows, start=1):
                yield number, _read_row(row, str(path), number, book)
    except arrow.ArrowException:
        raise UnreadableInputError(f"{path} is no whole Parquet file; export it again") from None


def write_parquet_turns(turns: Iterable[Turn], path: Path | str) -> int:
    """Writes turns to a Parquet file, in one step and in row groups of a thousand.

    Returns:
        How many were written.

    Raises:
        OutputError: If the file cannot be written; says what to do.
        TurnFormatError: If a turn holds what JSON does not have.
        UsageError: If pyarrow is not installed.
    """
    arrow, parquet = _pyarrow()
    schema = arrow.schema(
        [
            *((name, arrow.string()) for name in ("tenant", "agent", "session", "turn")),
            ("created_at", arrow.timestamp("us", "UTC")),
            (_RECORD, arrow.large_string()),
        ]
    )
    count = 0
    rest = iter(turns)
    with writing(path) as stream, parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        while rows := [_row(turn) for turn in islice(rest, _GROUP_ROWS)]:
            writer.write_table(arrow.Table.from_pylist(rows, schema))
            count += len(rows)
    return count


def _row(turn: Turn) -> dict[str, Any]:
    moment = turn.created_at
    if moment is not None and moment.utcoffset() is None:
        moment = moment.replace(tzinfo=UTC)
    return {
        "tenant": turn.tenant,
        "agent": turn.agent.id,
        "session": turn.session,
        "turn": turn.id,
        "created_at": moment,
        _RECORD: dump_json(turn_to_json(turn)),
    }


def _columns(names: set[str], path: Path | str) -> list[str] | None:
    if _RECORD in names:
        return [_RECORD]
    if "messages" in names:
        return None
    raise UnreadableInputError(f"{path} has neither a column `{_RECORD}` nor a column `messages`; it holds no turns")


def _read_row(row: dict[str, Any], file: str, number: int, book: AliasBook) -> Turn | BadLine:
    record = row.get(_RECORD)
    try:
        value = parse_json(record) if isinstance(record, str) else to_plain(_without_nulls(row))
        return read_turn(value, book)
    except FormatProblem as problem:
        return BadLine(file=file, line=number, problem=problem.problem, hint=problem.hint)


def _without_nulls(value: object) -> object:
    """Drops the nulls that columns of structs fill in for keys that a row does not have, and writes times as text."""
    if isinstance(value, dict):
        items = cast(dict[object, object], value).items()
        return {key: _without_nulls(item) for key, item in items if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in cast(list[object], value)]
    return write_time(value) if isinstance(value, datetime) else value


def _pyarrow() -> tuple[Any, Any]:
    """Imports pyarrow when it is needed: it is large, and most users read JSONL."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError("Parquet needs pyarrow; install it with: pip install 'afterturn[data]'") from None
