"""Reads an eval dataset: every row once to check it before anything is spent, and then again, a row at a time.

What is kept in memory is eight bytes a row; a small file's rows are kept, so that they are read once.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from afterturn.errors import InputError, TurnFormatError, UnreadableInputError, UsageError
from afterturn.evals._keys import Hashes, hash_of
from afterturn.evals._records import Row
from afterturn.evals._row_keys import check_keys
from afterturn.evals._rows import broken_row, read_row
from afterturn.evals.assertions import check_row
from afterturn.evals.importers import OWN, Importer, detect, format_names, open_importer
from afterturn.formats import BadLine, FormatProblem, Record, is_list, is_object, read_records, to_plain
from afterturn.turns import JsonValue

KEPT_BYTES = 4 * 2**20
"""The rows of a file up to this size are kept in memory."""

WHOLE_BYTES = 64 * 2**20
"""The largest file that is one document (YAML, one JSON object), since such a file is read as a whole."""

Tell = Callable[[BadLine], None]


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Is a checked dataset.

    Attributes:
        path: Its file.
        format: Its format.
        count: How many rows it has, without lines that are none.
        bad_lines: How many lines of it are no row.
    """

    path: Path
    format: str
    count: int
    bad_lines: int
    _twins: frozenset[int] = frozenset()
    _kept: tuple[Row, ...] | None = field(default=None, repr=False)

    @property
    def planned(self) -> int:
        """How many rows a run of it has: a line that is no row is a row of the run, which is skipped."""
        return self.count + self.bad_lines

    def rows(self) -> Iterator[Row]:
        """The rows, in the order of the file; as often as wanted.

        Raises:
            UnreadableInputError: The file cannot be read any more.
        """
        return (row for row in self.all_rows() if not row.problem)

    def all_rows(self) -> Iterator[Row]:
        """The rows, and in their places the lines that are none, each as a row with a `problem`; as often as wanted.

        Raises:
            UnreadableInputError: The file cannot be read any more.
        """
        return iter(self._kept) if self._kept is not None else _numbered(_read(self.path, self.format), self._twins)


def open_dataset(path: Path, *, format: str | None = None, tell: Tell | None = None) -> Dataset:
    """Reads a dataset once and checks it.

    Args:
        path: The file: JSONL, one JSON document, CSV, or YAML (promptfoo).
        format: Its format (`importers.format_names()`); None finds out by the first record.
        tell: Is told of every line that is no row; a run skips them, and they lower its coverage.

    Raises:
        UnreadableInputError: The file cannot be read.
        InputError: Two rows have the same id, a row asserts what has no meaning, or one of its keys looks misspelt; the
            lines are named.
        UsageError: No format has the name.
    """
    if str(path) == "-":
        raise UnreadableInputError("a dataset is read twice, so it cannot come from standard input; name a file")
    found = format or _detected(path)
    keep = path.is_file() and path.stat().st_size <= KEPT_BYTES
    kept: list[Row] = []
    bad = 0

    def hashes() -> Iterator[int]:
        nonlocal bad
        for row in _read(path, found):
            if isinstance(row, BadLine):
                bad += 1
                if tell is not None:
                    tell(row)
                if keep:
                    kept.append(broken_row(row))
                continue
            _check(row)
            if keep:
                kept.append(row)
            yield hash_of(row.id)

    ids = Hashes(hashes())
    twins = frozenset(ids.repeated())
    if twins:
        _refuse_doubles(_read(path, found), twins)
        kept = list(_numbered(kept, twins))
    return Dataset(
        path=path, format=found, count=len(ids), bad_lines=bad, _twins=twins, _kept=tuple(kept) if keep else None
    )


def _read(path: Path, format: str) -> Iterator[Row | BadLine]:
    importer = open_importer(format)
    for record in _records(path, importer):
        if isinstance(record, BadLine):
            yield record
        else:
            yield from _rows(record, importer, str(path))


def _rows(record: Record, importer: Importer | None, file: str) -> Iterator[Row | BadLine]:
    """Reads the rows of one record; a promptfoo test may make several."""
    source = f"{file}:{record.line}"
    if is_object(record.value) and (importer is None or importer.keys is not None):
        check_keys(record.value, source, () if importer is None else importer.keys or ())
    try:
        if importer is None:
            yield read_row(record.value, source=source)
            return
        if not is_object(record.value):
            raise FormatProblem("the record is no object", "write one JSON object a row")
        for wire in importer.convert(record.value):
            yield read_row(wire, source=source)
    except FormatProblem as problem:
        yield BadLine(file=file, line=record.line, problem=problem.problem, hint=problem.hint)
    except TurnFormatError as error:
        yield BadLine(file=file, line=record.line, problem=str(error), hint="mend it or take it out")


def _numbered(rows: Iterable[Row | BadLine], twins: frozenset[int]) -> Iterator[Row]:
    """Gives the second and third of rows that are the same in every word, and have no id, an id of their own."""
    seen: Counter[int] = Counter()
    for row in rows:
        if isinstance(row, BadLine):
            yield broken_row(row)
            continue
        if row.problem or not twins or (key := hash_of(row.id)) not in twins:
            yield row
            continue
        seen[key] += 1
        yield row if seen[key] == 1 else _twin(row, seen[key])


def _twin(row: Row, number: int) -> Row:
    content = f"{hash_of(row.content, number):016x}"
    return replace(row, id=f"{row.id}-{number}", content=content)


def _check(row: Row) -> None:
    """Refuses a row that asserts what has no meaning: passing over it would check less than it seems."""
    if not row.assertions and row.expected_tool_calls is None:
        return
    try:
        check_row(row)
    except UsageError as error:
        raise InputError(f"{row.source}: {error}") from None


def _refuse_doubles(rows: Iterable[Row | BadLine], twins: frozenset[int]) -> None:
    """Refuses two rows with one id. Rows whose id was made from their content are no such thing."""
    first: dict[str, Row] = {}
    for row in rows:
        if isinstance(row, BadLine) or hash_of(row.id) not in twins or row.id.endswith(row.content):
            continue
        other = first.setdefault(row.id, row)
        if other is not row:
            places = f"{other.source} and {row.source}"
            raise InputError(f"two rows have the same id: {places}; give each row an id of its own")


def _detected(path: Path) -> str:
    """Names the format by the document as a whole, or by the first record."""
    if _is_document(path):
        document = _document(path)
        for name in format_names():
            importer = open_importer(name)
            if importer is not None and is_object(document) and importer.unpack(document) is not None:
                return name
    for record in _records(path, None):
        if isinstance(record, Record) and is_object(record.value):
            return detect(record.value)
    return OWN


def _records(path: Path, importer: Importer | None) -> Iterator[Record | BadLine]:
    """Gives the records of a file of any of the kinds."""
    if path.suffix.lower() == ".csv":
        return _csv(path)
    return _unpacked(_document(path), importer) if _is_document(path) else read_records(path)


def _unpacked(document: JsonValue, importer: Importer | None) -> Iterator[Record]:
    items: Iterable[JsonValue] = document if is_list(document) else (document,)
    if is_object(document) and importer is not None:
        found = importer.unpack(document)
        items = items if found is None else found
    return (Record(line=number, value=item) for number, item in enumerate(items, start=1))


def _is_document(path: Path) -> bool:
    """Whether the file is one document; a `.json` file may be JSONL or a list of records as well."""
    ending = path.suffix.lower()
    return ending in (".yaml", ".yml") or (ending == ".json" and _begins_object(path))


def _document(path: Path) -> JsonValue:
    """Reads a file that is one document."""
    import yaml

    try:
        if path.stat().st_size > WHOLE_BYTES:
            raise UnreadableInputError(f"{path} is too large for one document; write JSONL, one row a line")
        text = path.read_text(encoding="utf-8-sig")
        value = json.loads(text) if path.suffix.lower() == ".json" else yaml.safe_load(text)
        return to_plain(value)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read: {error.strerror}; check the path and its rights") from None
    except FormatProblem as problem:
        raise UnreadableInputError(f"{path}: {problem}") from None
    except (ValueError, RecursionError, yaml.YAMLError):
        raise UnreadableInputError(
            f"{path} is neither valid JSON nor YAML; mend it, or give it its own ending"
        ) from None


def _csv(path: Path) -> Iterator[Record | BadLine]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            for values in reader:
                record = {key: value for key, value in cast(dict[Any, Any], values).items() if key and value}
                yield Record(line=reader.line_num, value=record)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UnreadableInputError(f"{path} is no CSV file that can be read ({type(error).__name__})") from None


def _begins_object(path: Path) -> bool:
    """Whether a `.json` file is one object over several lines, and not JSONL or a list under another ending."""
    try:
        with path.open("rb") as stream:
            first = stream.readline(2**20).strip()
    except OSError:
        return False
    return first.startswith(b"{") and not first.endswith(b"}")
