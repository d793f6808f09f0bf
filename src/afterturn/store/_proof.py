"""Searches a database for removed texts: in every text column of every row, and byte by byte in its files."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Select, Table, Text, null, select

from afterturn.errors import StoreError
from afterturn.store._codec import to_json
from afterturn.store._engine import Database
from afterturn.store._schema import judgements, metadata, outcomes, sessions, turns

LEAST_CHARS = 8
"""A shorter text is found anywhere by chance, so it is not looked for."""

_PIECE_CHARS = 24
_MOST_PIECES = 128
_CHUNK_BYTES = 1 << 18  # stays in the processor's cache while all pieces are looked for in it
_OVERLAP_BYTES = 12 * _PIECE_CHARS  # a character of a piece is at most 12 bytes: two escapes of JSON
_ROWS = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Is a row that holds a removed text; ids are None where the table has none."""

    table: str
    column: str
    tenant: str | None
    session: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """Is what a search for removed texts found.

    Attributes:
        texts: How many texts were looked for.
        short: How many were too short to look for.
        columns: How many text columns were read.
        rows: How many rows were read.
        own: Where rows of the forgotten session still hold one.
        elsewhere: Where rows of other sessions hold the same words: a common phrase, or the person again.
        files: The names of the files that were read byte by byte.
        residue: How many pieces of the texts stand in the files and in no row.
        emptied: Whether the log was emptied and, where there was nothing to look for, the file written anew.
    """

    texts: int
    short: int
    columns: int
    rows: int
    own: tuple[Place, ...]
    elsewhere: tuple[Place, ...]
    files: tuple[str, ...]
    residue: int
    emptied: bool

    @property
    def gone(self) -> bool | None:
        """Whether the session's rows and the free space of the files hold none of the texts.

        None where there was no text to look for: then nothing is proved, only the files were emptied. False also where
        another process kept the log full: older states of the database stand in it.
        """
        if self.own or self.residue or not self.emptied:
            return False
        return True if self.texts else None


def prove(database: Database, texts: Collection[str], *, tenant: str, session: str) -> Proof:
    """Searches for texts, and rewrites the files once if they stand in free space, or if there is none to search for.

    Raises:
        StoreError: The database could not be read.
    """
    wanted = sorted(text for text in texts if len(text) >= LEAST_CHARS)
    with database.reading() as connection:
        found, rows, columns = _in_rows(connection, wanted)
    emptied = database.checkpoint()
    files, residue = _in_files(database, wanted)
    if emptied and (residue or not wanted):  # else whoever holds the log would keep the new file out as well
        emptied = _rewritten(database)
        files, residue = _in_files(database, wanted)
    return Proof(
        texts=len(wanted),
        short=len(texts) - len(wanted),
        columns=columns,
        rows=rows,
        own=tuple(place for place in found if (place.tenant, place.session) == (tenant, session)),
        elsewhere=tuple(place for place in found if (place.tenant, place.session) != (tenant, session)),
        files=tuple(file.name for file in files),
        residue=len(residue),
        emptied=emptied,
    )


def _rewritten(database: Database) -> bool:
    with suppress(StoreError):  # others are at the database, or the disk is full
        return database.vacuum()
    return False


# --- rows -------------------------------------------------------------------------------------------------------------


def _in_rows(connection: Connection, wanted: Sequence[str]) -> tuple[list[Place], int, int]:
    found: dict[Place, None] = {}
    rows = columns = 0
    for table in metadata.sorted_tables:
        named = [column for column in table.columns if isinstance(column.type, Text)]
        columns += len(named)
        for row in _read(connection, table, named):
            rows += 1
            for column in named:
                held = _words(row[column.name])
                if held and any(text in held for text in wanted):
                    found[Place(table=table.name, column=column.name, tenant=row["_t"], session=row["_s"])] = None
    return [*found], rows, columns


def _read(connection: Connection, table: Table, columns: Sequence[Column[Any]]) -> Iterator[Any]:
    with connection.execution_options(stream_results=True).execute(_with_ids(table, columns)) as result:
        while page := result.mappings().fetchmany(_ROWS):
            yield from page


def _with_ids(table: Table, columns: Sequence[Column[Any]]) -> Select[*tuple[Any, ...]]:
    """Reads columns of a table, and whose they are as far as it can be known."""
    if table in (outcomes, judgements):
        query = select(*columns, turns.c.tenant.label("_t"), turns.c.session.label("_s"))
        joined = outcomes.join(judgements) if table is outcomes else judgements
        return query.select_from(joined.join(turns, turns.c.n == judgements.c.turn_n))
    session = sessions.c.id if table is sessions else table.columns.get("session")
    tenant = table.columns.get("tenant")
    return select(*columns, _label(tenant, "_t"), _label(session, "_s"))


def _label(column: Column[Any] | None, name: str) -> Any:
    return (null() if column is None else column).label(name)


def _words(cell: str | None) -> str:
    """Gives a cell with its JSON undone, so that a text is found however it was escaped."""
    if not cell or cell[0] not in "[{":
        return cell or ""
    try:
        return "\0".join(_strings(json.loads(cell)))
    except ValueError:
        return cell


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield str(key)  # pyright: ignore[reportUnknownArgumentType]
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:  # pyright: ignore[reportUnknownVariableType]
            yield from _strings(one)


# --- files ------------------------------------------------------------------------------------------------------------


def _in_files(database: Database, wanted: Sequence[str]) -> tuple[list[Path], set[str]]:
    """Gives the files, and the pieces that stand in one and in no row.

    A text longer than a piece is looked for in pieces, since the database cuts long values at the ends of its pages.
    """
    files = [path for path in (database.path, *_beside(database.path)) if path.is_file()]
    forms = {form: piece for piece in _pieces(wanted) for form in _forms(piece)}
    found = {forms[form] for file in files for form in _held(file, forms)}
    if not found:
        return files, found
    with database.reading() as connection:
        for table in metadata.sorted_tables:
            named = [column for column in table.columns if isinstance(column.type, Text)]
            for row in _read(connection, table, named):
                for column in named:
                    held = _words(row[column.name])
                    found = {piece for piece in found if piece not in held}
    return files, found


def _beside(path: Path) -> Iterable[Path]:
    return (path.with_name(path.name + ending) for ending in ("-wal", "-journal"))


def _pieces(wanted: Sequence[str]) -> list[str]:
    """Cuts texts into pieces: the first of each, then further ones as far as there is room."""
    firsts = dict.fromkeys(text[:_PIECE_CHARS] for text in wanted)
    further = (
        text[start : start + _PIECE_CHARS]
        for text in wanted
        for start in range(_PIECE_CHARS, len(text) - _PIECE_CHARS + 1, _PIECE_CHARS)
    )
    room = max(0, _MOST_PIECES - len(firsts))
    return [*firsts, *dict.fromkeys(islice(further, room))]


def _held(file: Path, forms: Collection[bytes]) -> set[bytes]:
    """Gives those of the byte strings that stand in a file."""
    found: set[bytes] = set()
    before = b""
    with file.open("rb") as opened:
        while read := opened.read(_CHUNK_BYTES):
            chunk = before + read
            found.update(form for form in forms if form in chunk)
            before = chunk[-_OVERLAP_BYTES:]
    return found


def _forms(piece: str) -> set[bytes]:
    """Gives a piece as it may stand in a file: as text, and in both kinds of JSON."""
    plain = piece.encode(errors="surrogatepass")
    return {plain, to_json(piece)[1:-1].encode(), json.dumps(piece)[1:-1].encode()}
