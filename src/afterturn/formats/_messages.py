"""Reads a conversation, whatever format each of its messages is in."""

from __future__ import annotations

from afterturn.formats import anthropic, openai, otel
from afterturn.formats._problem import FormatProblem, wrong_type
from afterturn.formats._values import is_list, is_object, to_plain
from afterturn.turns import JsonObject, JsonValue, Message


def messages_from_json(wire: object, *, where: str = "") -> tuple[Message, ...]:
    """Reads a conversation: OpenAI chat format, Anthropic content blocks, OpenTelemetry parts, even mixed.

    Args:
        wire: A list of messages as a JSON library gives them.
        where: What the messages are, for the error: a file and line, a request.

    Returns:
        The messages; an Anthropic user message with tool results becomes several.

    Raises:
        TurnFormatError: If the list or one of its messages cannot be read; names the message by its index.

    Example:
        >>> messages_from_json([{"role": "user", "content": "Where is my parcel?"}])[0].text
        'Where is my parcel?'
    """
    try:
        return read_messages(to_plain(wire), "messages")
    except FormatProblem as problem:
        problem.where = where
        raise


def read_messages(wire: JsonValue, path: str) -> tuple[Message, ...]:
    """Reads a plain list of messages, for which the place in the record is known."""
    if not is_list(wire):
        raise wrong_type(path, wire, "a list of messages")
    return tuple(message for index, item in enumerate(wire) for message in _read_one(item, f"{path}[{index}]"))


def _read_one(wire: JsonValue, path: str) -> tuple[Message, ...]:
    if not is_object(wire):
        raise wrong_type(path, wire, "an object with role and content")
    openai.read_role(wire.get("role"), path)
    return tuple(openai.read_message(message, path) for message in _in_openai_form(wire))


def _in_openai_form(wire: JsonObject) -> list[JsonObject]:
    """Brings a message into OpenAI form; what was recorded as parts may hold Anthropic's blocks."""
    if otel.is_otel(wire):
        return [form for message in otel.to_openai(wire) for form in _in_openai_form(message)]
    return anthropic.to_openai(wire) if anthropic.is_anthropic(wire) else [wire]
