"""Reads and writes one row of an eval dataset (CONTRACT "Eval dataset"), and makes its content hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from afterturn.evals._records import ExpectedCall, Row
from afterturn.formats import (
    BadLine,
    FormatProblem,
    canonical_json,
    is_list,
    is_object,
    message_to_json,
    messages_from_json,
    parse_arguments,
    passage_to_json,
    read_id,
    read_passages,
    read_tools,
    tool_to_json,
    wrong_type,
)
from afterturn.turns import JsonObject, JsonValue, Message, Passage

CONTENT_DIGITS = 16
_CALL_KEYS = ("mode", "calls")
MADE_ID = "r-"
"""Begins the ids of rows that have none of their own."""


def read_row(value: JsonValue, *, source: str = "") -> Row:
    """Reads one row.

    Args:
        value: The row as plain JSON; only `input` is required. Unknown keys go to the metadata.
        source: Where it came from, `file:line`.

    Raises:
        FormatProblem: It is no row; names the place inside it, never the text.

    Example:
        >>> read_row({"id": "r1", "input": "Where is my parcel?", "expected_tool_calls": []}).expected_tool_calls
        ()
    """
    if not is_object(value):
        raise wrong_type("the row", value, "an object with `input`")
    rest = dict(value)
    calls, mode = _read_calls(rest.pop("expected_tool_calls", None))
    metadata = _read_object(rest.pop("metadata", None), "metadata")
    row_id = read_id(rest.pop("id", None), "id") or ""
    row = Row(
        id=row_id,
        input=_read_input(rest.pop("input", None)),
        expected=rest.pop("expected", None),
        criteria=_read_criteria(rest.pop("criteria", None)),
        context=_read_context(rest.pop("context", None)),
        expected_tool_calls=calls,
        tool_call_mode=mode,
        tools=read_tools(rest.pop("tools", None)),
        tool_results=_read_object(rest.pop("tool_results", None), "tool_results"),
        assertions=_read_assertions(rest.pop("assert", None)),
        metadata={**rest, **metadata},
        source=source,
    )
    content = _content_of(row_to_json(row))
    # Nobody else has the row yet; to make it anew for two fields would take longer than all the rest.
    object.__setattr__(row, "content", content)
    if not row_id:
        object.__setattr__(row, "id", f"{MADE_ID}{content}")
    return row


def broken_row(line: BadLine) -> Row:
    """Makes a row of a line that is none, so that it has a result as every other: it is never a missing row.

    Its id is its place. Its content is where in the file it stands and what is wrong, so that a run finds it again.
    """
    content = _content_of({"line": line.line, "problem": line.problem})
    place = f"{line.file}:{line.line}"
    return Row(id=f"{Path(line.file).name}:{line.line}", input=(), content=content, source=place, problem=str(line))


def row_from_json(wire: JsonObject, *, source: str = "") -> Row:
    """Reads a row as `row_to_json` wrote it, which may be a line that was none.

    Raises:
        FormatProblem: It is no row.
    """
    if "problem" in wire:
        values = cast(dict[str, Any], wire)
        return Row(id=values["id"], input=(), source=source, problem=values["problem"])
    return read_row(wire, source=source)


def with_content(row: Row) -> Row:
    """Gives a row its content hash, and an id made from it where it has none."""
    content = _content_of(row_to_json(row))
    return replace(row, id=row.id or f"{MADE_ID}{content}", content=content)


def _content_of(wire: JsonObject) -> str:
    return hashlib.sha256(canonical_json(wire).encode()).hexdigest()[:CONTENT_DIGITS]


def row_to_json(row: Row) -> dict[str, JsonValue]:
    """Writes a row; what it does not have is left out."""
    if row.problem:
        return {"id": row.id, "input": "", "problem": row.problem}
    wire: dict[str, JsonValue] = {"id": row.id} if row.id else {}
    wire["input"] = _input_to_json(row.input)
    if row.expected is not None:
        wire["expected"] = row.expected
    if row.criteria:
        wire["criteria"] = list(row.criteria)
    if row.context is not None:
        wire["context"] = [passage_to_json(passage) for passage in row.context]
    if row.expected_tool_calls is not None:
        wire["expected_tool_calls"] = _calls_to_json(row.expected_tool_calls, row.tool_call_mode)
    if row.tools:
        wire["tools"] = [tool_to_json(tool) for tool in row.tools]
    if row.tool_results:
        wire["tool_results"] = row.tool_results
    if row.assertions:
        wire["assert"] = list(row.assertions)
    if row.metadata:
        wire["metadata"] = row.metadata
    return wire


def _read_input(value: JsonValue) -> tuple[Message, ...]:
    if value is None or value in ("", []):
        raise FormatProblem("the row has no input", "put a text or a list of messages under `input`")
    if isinstance(value, str):
        return (Message(role="user", text=value),)
    messages = value.get("messages", [value]) if is_object(value) else value
    return messages_from_json(messages)


def _input_to_json(messages: tuple[Message, ...]) -> JsonValue:
    first = messages[0]
    if len(messages) == 1 and first == Message(role="user", text=first.text):
        return first.text
    return [message_to_json(message) for message in messages]


def _read_criteria(value: JsonValue) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if items is None:
        return ()
    if not is_list(items) or not all(isinstance(item, str) for item in items):
        raise wrong_type("criteria", value, "a text or a list of texts")
    return tuple(str(item) for item in items if item)


def _read_context(value: JsonValue) -> tuple[Passage, ...] | None:
    return read_passages([value] if isinstance(value, str) or is_object(value) else value, ())


def _read_calls(value: JsonValue) -> tuple[tuple[ExpectedCall, ...] | None, str | None]:
    """Reads the expected calls: a list, or an object with `calls` and the `mode` in which they are compared."""
    mode = None
    if is_object(value):
        mode, value = _read_modal(value)
    if value is None:
        return None, mode
    if not is_list(value):
        raise wrong_type("expected_tool_calls", value, "a list of calls, empty where no tool may be called")
    return tuple(_read_call(item, f"expected_tool_calls[{index}]") for index, item in enumerate(value)), mode


def _read_modal(value: JsonObject) -> tuple[str | None, JsonValue]:
    for key in value:
        if key not in _CALL_KEYS:
            raise FormatProblem(f"expected_tool_calls has no key {key!r}", "write its `calls`, and their `mode` beside")
    mode, calls = value.get("mode"), value.get("calls")
    if mode is not None and not isinstance(mode, str):
        raise wrong_type("expected_tool_calls.mode", mode, "a word")
    if calls is None:
        raise FormatProblem("expected_tool_calls has no `calls`", "give a list, empty where no tool may be called")
    return mode, calls


def _read_call(value: JsonValue, path: str) -> ExpectedCall:
    if isinstance(value, str):
        value = {"name": value}
    if not is_object(value):
        raise wrong_type(path, value, "a tool's name or an object with a name")
    inner = value.get("function")
    rest = dict(inner) if is_object(inner) else dict(value)
    name, arguments = rest.pop("name", None), rest.pop("arguments", None)
    if not isinstance(name, str) or not name:
        raise FormatProblem(f"{path} has no name", "say which tool is expected")
    if isinstance(arguments, str):
        arguments = parse_arguments(arguments)
    if arguments is not None and not is_object(arguments):
        raise wrong_type(f"{path}.arguments", arguments, "an object")
    return ExpectedCall(name=name, arguments=arguments, extra=rest)


def _calls_to_json(calls: tuple[ExpectedCall, ...], mode: str | None) -> JsonValue:
    wires: list[JsonValue] = [{"name": call.name, "arguments": call.arguments, **call.extra} for call in calls]
    return wires if mode is None else {"mode": mode, "calls": wires}


def _read_object(value: JsonValue, path: str) -> JsonObject:
    if value is None:
        return {}
    if not is_object(value):
        raise wrong_type(path, value, "an object")
    return value


def _read_assertions(value: JsonValue) -> tuple[str | JsonObject, ...]:
    items = [value] if isinstance(value, str | Mapping) else value
    if items is None:
        return ()
    if not is_list(items):
        raise wrong_type("assert", value, "a list of assertions")
    return tuple(_assertion(item, f"assert[{index}]") for index, item in enumerate(items))


def _assertion(value: JsonValue, path: str) -> str | JsonObject:
    if isinstance(value, str) or is_object(value):
        return value
    raise wrong_type(path, value, "a name or an object with a name")
