"""`afterturn clean`: runs recorded deltas through the stream filter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from afterturn.cli._common import json_line, note

_HINT = 'write {"deltas": ["…"], "aliases": ["c1"] or null, "tools": ["search"]} on one line'


def clean_command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help='JSONL with {"deltas", "aliases", "tools"} a line (tools as in turns), or - for stdin.'
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines; it prints nothing else anyway.")] = False,
) -> None:
    """Cleans recorded replies: what the user would see, what was cited where, which calls leaked, a JSON line each."""
    cleaned = skipped = 0
    for row in _rows(file):
        if isinstance(row, _Row):
            typer.echo(json_line(_clean(row)).encode())
            cleaned += 1
        else:
            note(row)
            skipped += 1
    note(f"{cleaned} replies cleaned" + (f", {skipped} bad lines skipped" if skipped else ""))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    id: object
    deltas: list[str]
    aliases: list[str] | None
    tools: list[str]


def _clean(row: _Row) -> dict[str, object]:
    from afterturn.stream import StreamFilter

    chain = StreamFilter(row.aliases, row.tools)
    text = "".join(chain.feed(delta) for delta in row.deltas) + chain.close()
    return {
        "id": row.id,
        "text": text,
        "cited": chain.cited,
        "unknown": chain.unknown,
        "marks": chain.marks,
        "leaks": chain.leaks,
    }


def _rows(file: Path) -> Iterator[_Row | str]:
    """Reads the rows; a line that is none comes as a message that says where it is and what to do."""
    # The readers of `formats` that are for all would repair the two halves of a split surrogate pair one by one.
    from afterturn.formats._lines import MAX_LINE_BYTES, decode, raw_lines
    from afterturn.formats._problem import FormatProblem
    from afterturn.formats._source import reading, source_name

    name = source_name(file)
    with reading(file) as stream:
        for line in raw_lines(stream, name, max_line_bytes=MAX_LINE_BYTES):
            try:
                if line.data is None:
                    raise FormatProblem("the line is too long", "split it; it was not read")
                text = decode(line.data).lstrip("\ufeff").strip()
                row = _row(text, line.number) if text else None
            except (FormatProblem, ValueError, RecursionError) as error:
                problem = str(error) if isinstance(error, (FormatProblem, _BadRow)) else f"not valid JSON; {_HINT}"
                yield f"{name}:{line.number}: {problem}"
            else:
                if row:
                    yield row


class _BadRow(ValueError):
    """Says what is wrong with a row, without its text."""


def _row(line: str, number: int) -> _Row:
    value: Any = json.loads(line, parse_constant=_no_constant)
    if not isinstance(value, dict):
        raise _BadRow(f"not a JSON object; {_HINT}")
    row = cast("dict[str, Any]", value)
    return _Row(
        id=row.get("id", number),
        deltas=_texts(row, "deltas"),
        aliases=None if row.get("aliases") is None else _texts(row, "aliases"),
        tools=[] if row.get("tools") is None else _tools(row["tools"]),
    )


def _tools(value: Any) -> list[str]:
    """Reads tools in every form that a turn has them in: names, and the objects of providers."""
    from afterturn.formats import FormatProblem, read_tools

    try:
        return [tool.name for tool in read_tools(value)]
    except FormatProblem as problem:
        raise _BadRow(f"`tools` are none: {problem.problem}; {_HINT}") from None


def _no_constant(name: str) -> object:
    raise ValueError(name)  # NaN and infinities are no JSON, and must not come out as an id


def _texts(row: dict[str, Any], key: str) -> list[str]:
    values = row.get(key)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in cast("list[object]", values)):
        raise _BadRow(f"`{key}` is not a list of strings; {_HINT}")
    return cast("list[str]", values)
