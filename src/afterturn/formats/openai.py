"""Reads and writes messages in OpenAI chat format, the one form that every other format is brought into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from afterturn.formats._parts import part_text, read_content, refusal_of, text_of
from afterturn.formats._problem import FormatProblem, wrong_type
from afterturn.formats._values import dump_json, is_list, is_object, parse_arguments, to_plain
from afterturn.turns import JsonObject, JsonValue, Message, Role, ToolCall

ROLES: tuple[Role, ...] = get_args(Role)

# The object inside a tool call that holds its name and arguments, and the key of the arguments in it.
_BODIES = {"function": "arguments", "custom": "input"}


def read_message(wire: JsonObject, path: str) -> Message:
    """Reads one message.

    Args:
        wire: The message, as plain JSON.
        path: Its place in the record, for the error.

    Raises:
        FormatProblem: If the role is unknown or the content or the calls are of a wrong type.
    """
    extra = dict(wire)
    role = read_role(extra.pop("role", None), path)
    text, parts = read_content(extra.pop("content", None), role, f"{path}.content")
    calls = _read_calls(extra.pop("tool_calls", None), path)
    legacy = extra.pop("function_call", None)
    if legacy is not None:
        calls += (read_call(legacy, f"{path}.function_call"),)
    return Message(
        role=role,
        text=text,
        tool_calls=calls,
        tool_call_id=_take_text(extra, "tool_call_id"),
        name=_take_text(extra, "name"),
        refusal=_take_text(extra, "refusal") or refusal_of(parts),
        reasoning=_take_text(extra, "reasoning_content", "reasoning") or "",
        parts=parts,
        extra=extra,
    )


def read_role(value: JsonValue, path: str) -> Role:
    """Reads a role; the old `function` is a tool.

    Raises:
        FormatProblem: If nobody knows the role.
    """
    if value == "function":
        return "tool"
    if value not in ROLES:
        problem = "has no role" if value is None else "has a role that nobody knows"
        raise FormatProblem(f"{path} {problem}", f"use one of {', '.join(ROLES)}")
    return value


def read_call(wire: JsonValue, path: str) -> ToolCall:
    """Reads one tool call: OpenAI's function and custom calls, or a flat object with name and arguments."""
    if not is_object(wire):
        raise wrong_type(path, wire, "an object with a name and arguments")
    kind = "custom" if wire.get("type") == "custom" and is_object(wire.get("custom")) else "function"
    extra = dict(wire)
    body = extra.pop(kind, None)
    inner = dict(body) if is_object(body) else extra
    if body is not None and inner is extra:
        raise wrong_type(f"{path}.{kind}", body, "an object with a name and arguments")
    name = inner.pop("name", None)
    if not isinstance(name, str) or not name:
        raise FormatProblem(f"{path} has no name", "say which tool is called")
    arguments = inner.pop(_BODIES[kind], None)
    raw = arguments if isinstance(arguments, str) else dump_json({} if arguments is None else arguments)
    if extra.get("type") in ("function", "custom") and kind == "function":
        del extra["type"]
    call_id = _take_text(extra, "id")
    if inner is not extra and inner:
        extra[kind] = inner
    parsed = parse_arguments(raw) if kind == "function" else None
    return ToolCall(name=name, raw_arguments=raw, arguments=parsed, id=call_id, extra=extra)


def message_to_json(message: Message) -> dict[str, JsonValue]:
    """Writes one message in OpenAI chat format, its unknown keys included: what a model's API takes back.

    Raises:
        TurnFormatError: If an unknown key holds what JSON does not have.
    """
    plain = to_plain(write_message(message))
    assert isinstance(plain, dict)
    return plain


def write_message(message: Message) -> JsonObject:
    """Writes one message without looking into its unknown keys."""
    wire: dict[str, JsonValue] = {"role": message.role}
    if message.name is not None:
        wire["name"] = message.name
    parts = _written_parts(message)
    silent = message.role == "assistant" and bool(message.tool_calls or message.refusal)
    wire["content"] = parts or message.text or (None if silent else "")
    if message.refusal is not None and message.refusal != refusal_of(parts):
        wire["refusal"] = message.refusal
    if message.reasoning:
        wire["reasoning_content"] = message.reasoning
    if message.tool_calls:
        wire["tool_calls"] = [call_to_json(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        wire["tool_call_id"] = message.tool_call_id
    return {**wire, **{key: value for key, value in message.extra.items() if key not in wire}}


def _written_parts(message: Message) -> Sequence[JsonValue]:
    """Takes the parts as they came, with the text put in its new form where somebody has changed it."""
    if not message.parts or text_of(message.parts, message.role) == message.text:
        return list(message.parts)
    others = [part for part in message.parts if part_text(part) is None]
    return [{"type": "text", "text": message.text}, *others] if others else []


def call_to_json(call: ToolCall) -> JsonObject:
    """Writes one tool call in OpenAI chat format."""
    extra = dict(call.extra)
    kind = "custom" if extra.get("type") == "custom" else "function"
    unknown = extra.pop(kind, None)
    raw = call.raw_arguments
    if call.arguments is not None and parse_arguments(raw) != call.arguments:
        raw = dump_json(to_plain(call.arguments))
    body: dict[str, JsonValue] = {"name": call.name, _BODIES[kind]: raw}
    wire: dict[str, JsonValue] = {} if call.id is None else {"id": call.id}
    wire |= {"type": extra.get("type", kind), kind: {**unknown, **body} if is_object(unknown) else body}
    return {**wire, **{key: value for key, value in extra.items() if key not in wire}}


def _read_calls(wire: JsonValue, path: str) -> tuple[ToolCall, ...]:
    if wire is None:
        return ()
    if not is_list(wire):
        raise wrong_type(f"{path}.tool_calls", wire, "a list of tool calls")
    return tuple(read_call(call, f"{path}.tool_calls[{index}]") for index, call in enumerate(wire))


def _take_text(extra: dict[str, JsonValue], *keys: str) -> str | None:
    """Takes a text out of the keys that are left; what is no text, or another text, stays and is written back."""
    found: str | None = None
    for key in keys:
        value = extra.get(key)
        if value is None:
            extra.pop(key, None)
        elif isinstance(value, str) and (not found or value == found):
            found = value or found
            del extra[key]
    return found
