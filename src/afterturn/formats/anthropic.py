"""Brings messages of Anthropic content blocks into OpenAI chat format."""

from __future__ import annotations

from collections.abc import Sequence

from afterturn.formats._parts import text_of, without_gaps
from afterturn.formats._values import is_list, is_object
from afterturn.turns import JsonObject, JsonValue

_OWN_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking")


def is_anthropic(wire: JsonObject) -> bool:
    """Says whether the content of a message holds blocks that only Anthropic has."""
    content = wire.get("content")
    return is_list(content) and any(is_object(block) and block.get("type") in _OWN_BLOCKS for block in content)


def to_openai(wire: JsonObject) -> list[JsonObject]:
    """Turns one Anthropic message into the OpenAI messages that say the same.

    Tool results of a user message become tool messages before it. Thinking becomes the reasoning; its blocks, whose
    signatures Anthropic wants back, stay under `thinking_blocks`. Other blocks (images, documents, server tools) stay
    in the content as they are.
    """
    blocks = wire.get("content")
    assert is_list(blocks)
    by_assistant = wire.get("role") == "assistant"
    results: list[JsonObject] = []
    calls: list[JsonValue] = []
    thinking: list[JsonObject] = []
    kept: list[JsonValue | None] = []
    for block in blocks:
        kind = block.get("type") if is_object(block) else None
        if not is_object(block) or not _belongs(kind, by_assistant=by_assistant):
            kept.append(block)
            continue
        kept.append(None)
        if kind == "tool_use":
            calls.append(_call(block))
        elif kind == "tool_result":
            results.append(_result(block))
        else:
            thinking.append(block)
    content = without_gaps(kept, by_assistant=by_assistant)
    rest = {**wire, "content": content or None, **_spoken(wire, calls, thinking)}
    return _placed(results, rest, empty=not (content or calls or thinking))


def _placed(results: Sequence[JsonObject], rest: JsonObject, *, empty: bool) -> list[JsonObject]:
    """Puts tool messages before the message they came with.

    A message that held nothing but results goes, and its unknown keys go with the last result.
    """
    if not (results and empty):
        return [*results, rest]
    unknown = {key: value for key, value in rest.items() if key not in ("role", "content")}
    return [*results[:-1], {**unknown, **results[-1]}]


def _belongs(kind: JsonValue, *, by_assistant: bool) -> bool:
    """Says whether a block stands where it means a call, a result or a thought."""
    return kind in (("tool_use", "thinking", "redacted_thinking") if by_assistant else ("tool_result",))


def _call(block: JsonObject) -> JsonObject:
    rest = {key: value for key, value in block.items() if key not in ("type", "id", "name", "input")}
    function: JsonObject = {"name": block.get("name"), "arguments": block.get("input")}
    return {**rest, "id": block.get("id"), "type": "function", "function": function}


def _result(block: JsonObject) -> JsonObject:
    rest = {key: value for key, value in block.items() if key not in ("type", "tool_use_id", "content")}
    return {**rest, "role": "tool", "tool_call_id": block.get("tool_use_id"), "content": block.get("content")}


def _spoken(wire: JsonObject, calls: Sequence[JsonValue], thinking: Sequence[JsonObject]) -> JsonObject:
    """Makes the keys of an assistant message that its calls and thoughts fill."""
    keys: dict[str, JsonValue] = {}
    if calls:
        given = wire.get("tool_calls")
        keys["tool_calls"] = [*(given if is_list(given) else ()), *calls]
    if thinking:
        thoughts = (_thought(block.get("thinking")) for block in thinking)
        keys["reasoning_content"] = "\n".join(thought for thought in thoughts if thought)
        keys["thinking_blocks"] = thinking
    return keys


def _thought(value: JsonValue) -> str:
    """Takes the text of a thought; other providers send it as a list of text parts."""
    if isinstance(value, str):
        return value
    return text_of(value, "assistant") if is_list(value) else ""
