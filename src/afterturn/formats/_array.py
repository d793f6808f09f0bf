"""Reads a file that holds one JSON array of records instead of a record a line."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import cast

from afterturn.formats._lines import BadLine, RawLine, Record, decode, read_line
from afterturn.formats._problem import FormatProblem
from afterturn.formats._values import parse_json

_OPENING = re.compile(rb"\s*\[\s*(?:[{\]]|$)")
_SPACE = re.compile(r"\s*")


def opens_array(data: bytes) -> bool:
    """Says whether the first line of a file opens an array of objects."""
    return _OPENING.match(data.removeprefix(codecs.BOM_UTF8)) is not None


def read_array(data: bytes, file: str, *, first: int) -> Iterator[Record | BadLine]:
    """Reads the elements of the array one by one, and then whatever lines follow it.

    Args:
        data: The whole array, from its `[`.
        file: The name of the file, for bad lines.
        first: The number of the line that the data begins with.
    """
    try:
        text = decode(data.removeprefix(codecs.BOM_UTF8))
    except FormatProblem as problem:
        yield BadLine(file=file, line=first, problem=problem.problem, hint=problem.hint)
        return
    scanner = json.JSONDecoder(parse_int=float)  # only finds the ends; endless numbers must not stop it
    place = _after_space(text, text.index("[") + 1)
    line, counted = first, 0
    while text[place : place + 1] != "]":
        line, counted = line + text.count("\n", counted, place), place
        try:
            _, end = scanner.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = -1
        if end < 0:
            yield _broken(file, line)
            return
        yield _element(text[place:end], file, line)
        place = _after_space(text, end)
        if text[place : place + 1] == ",":
            place = _after_space(text, place + 1)
        elif text[place : place + 1] != "]":
            yield _broken(file, line)
            return
    line += text.count("\n", counted, place)
    yield from _lines_after(text[place + 1 :], file, line)


def _element(text: str, file: str, line: int) -> Record | BadLine:
    try:
        return Record(line=line, value=parse_json(text))
    except FormatProblem as problem:
        return BadLine(file=file, line=line, problem=problem.problem, hint=problem.hint)


def _lines_after(text: str, file: str, line: int) -> Iterator[Record | BadLine]:
    for offset, rest in enumerate(text.split("\n")):
        record = read_line(RawLine(number=line + offset, data=rest.encode(), ended=True), file)
        if record is not None:
            yield record


def _broken(file: str, line: int) -> BadLine:
    return BadLine(
        file=file,
        line=line,
        problem="the JSON array breaks off or is not valid here",
        hint="the rest of the file was not read; write one record a line instead of an array",
    )


def _after_space(text: str, place: int) -> int:
    match = cast("re.Match[str]", _SPACE.match(text, place))
    return match.end()
