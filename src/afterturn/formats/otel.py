"""Brings messages of OpenTelemetry GenAI parts into OpenAI chat format.

The form of `gen_ai.input.messages` and `gen_ai.output.messages`: a role and a list of `parts`. The text of a text part
stands in `content`; a tool's answer stands in `response`, in earlier versions of the conventions in `result`.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterturn.formats._parts import without_gaps
from afterturn.formats._values import dump_json, is_list, is_object
from afterturn.turns import JsonObject, JsonValue


def is_otel(wire: JsonObject) -> bool:
    """Says whether a message has its content in `parts`, and nothing under `content`."""
    return is_list(wire.get("parts")) and "content" not in wire


def to_openai(wire: JsonObject) -> list[JsonObject]:
    """Turns one message of parts into the OpenAI messages that say the same.

    Answers of tools become tool messages of their own, in their place. Parts of other types (blob, file, uri, server
    tools) stay in the content as they are.
    """
    parts = wire.get("parts")
    assert is_list(parts)
    unknown = {key: value for key, value in wire.items() if key != "parts"}
    messages: list[JsonObject] = []
    run: list[JsonValue] = []
    for part in parts:
        if not (is_object(part) and part.get("type") == "tool_call_response"):
            run.append(part)
            continue
        if run:
            messages.append(_spoken(wire.get("role"), run))
            run = []
        messages.append(_result(part))
    if run or not messages:
        messages.append(_spoken(wire.get("role"), run))
    return [*messages[:-1], {**unknown, **messages[-1]}]


def _spoken(role: JsonValue, parts: Sequence[JsonValue]) -> JsonObject:
    """Makes one message of parts that hold no tool's answer."""
    calls: list[JsonValue] = []
    thoughts: list[JsonObject] = []
    kept: list[JsonValue | None] = []
    for part in parts:
        kind = part.get("type") if is_object(part) else None
        if is_object(part) and kind == "tool_call":
            calls.append(_call(part))
        elif is_object(part) and kind == "reasoning" and isinstance(part.get("content"), str):
            thoughts.append(part)
        else:
            kept.append(_text_part(part))
            continue
        kept.append(None)
    message: dict[str, JsonValue] = {"role": role}
    message["content"] = _simplest(without_gaps(kept, by_assistant=role == "assistant"))
    if calls:
        message["tool_calls"] = calls
    if thoughts:
        message["reasoning_content"] = "\n".join(str(thought["content"]) for thought in thoughts)
    if any(thought.keys() > {"type", "content"} for thought in thoughts):
        message["thinking_blocks"] = thoughts
    return message


def _text_part(part: JsonValue) -> JsonValue:
    """Moves the text of a text part from `content` to `text`; leaves any other part alone."""
    if not is_object(part) or part.get("type") != "text" or "text" in part or not isinstance(part.get("content"), str):
        return part
    return {("text" if key == "content" else key): value for key, value in part.items()}


def _simplest(content: Sequence[JsonValue]) -> JsonValue:
    """Takes a single text part without any key of its own as plain text."""
    if not content:
        return None
    only = content[0]
    if len(content) == 1 and is_object(only) and only.get("type") == "text" and set(only) == {"type", "text"}:
        return only["text"]
    return content


def _call(part: JsonObject) -> JsonObject:
    rest = {key: value for key, value in part.items() if key not in ("type", "id", "name", "arguments")}
    function: JsonObject = {"name": part.get("name"), "arguments": part.get("arguments")}
    return {**rest, "id": part.get("id"), "type": "function", "function": function}


def _result(part: JsonObject) -> JsonObject:
    key = "response" if "response" in part else "result"
    rest = {name: value for name, value in part.items() if name not in ("type", "id", key)}
    return {**rest, "role": "tool", "tool_call_id": part.get("id"), "content": _answer(part.get(key))}


def _answer(value: JsonValue) -> JsonValue:
    """Takes a tool's answer as it is where it is text or parts, and as JSON text where it is any other value."""
    if value is None or isinstance(value, str):
        return value
    if is_list(value) and value and all(is_object(item) and isinstance(item.get("type"), str) for item in value):
        return value
    return dump_json(value)
