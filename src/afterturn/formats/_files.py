"""Chooses the file format by the ending of the name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from afterturn.formats._lines import BadLine
from afterturn.formats._parquet import read_numbered_parquet_turns, read_parquet_turns, write_parquet_turns
from afterturn.formats.jsonl import read_numbered_turns, read_turns, write_turns
from afterturn.turns import Turn

_PARQUET_ENDINGS = (".parquet", ".pq")


def read_any(path: Path | str) -> Iterator[Turn | BadLine]:
    """Reads turns: Parquet where the name ends in `.parquet` or `.pq`, else JSONL; `-` is standard input."""
    return read_parquet_turns(path) if _is_parquet(path) else read_turns(path)


def read_any_numbered(path: Path | str) -> Iterator[tuple[int, Turn | BadLine]]:
    """Reads what `read_any` reads, each with the number of its line, in a Parquet file of its row, from 1."""
    return read_numbered_parquet_turns(path) if _is_parquet(path) else read_numbered_turns(path)


def write_any(turns: Iterable[Turn], path: Path | str) -> int:
    """Writes turns: Parquet where the name ends in `.parquet` or `.pq`, else JSONL; `-` is standard output.

    Returns:
        How many were written.
    """
    return write_parquet_turns(turns, path) if _is_parquet(path) else write_turns(turns, path)


def _is_parquet(path: Path | str) -> bool:
    return Path(path).suffix.lower() in _PARQUET_ENDINGS
