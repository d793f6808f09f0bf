"""Reads the events of a provider's stream: `openai` chat chunks, `anthropic` messages, plain strings; objects or dicts.

Nothing of the providers' packages is imported: an event is known by what it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from afterturn.errors import UsageError


@dataclass(frozen=True, slots=True)
class Started:
    """Says that what follows belongs to this message."""

    id: str


@dataclass(frozen=True, slots=True)
class Said:
    """Is text for the user; a refusal comes in a channel of its own."""

    text: str
    refusal: bool = False


@dataclass(frozen=True, slots=True)
class Thought:
    """Is reasoning that the provider kept apart."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """Is a piece of a tool call; pieces of one call share the index."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Says that the message is complete, and why it ended."""

    reason: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Says that the provider ended the stream with an error."""


Piece = Started | Said | Thought | Called | Stopped | Broken


def pieces(event: object, *, choice: int = 0) -> Iterator[Piece]:
    """Reads one event.

    Args:
        event: A string, a chat completion chunk, or an event of a message stream.
        choice: Which choice to read, where the model gives several.

    Raises:
        UsageError: The event is none of these.
    """
    if event is None or isinstance(event, str):
        if event:
            yield Said(event)
    elif (choices := _get(event, "choices")) is not None:
        yield from _chunk(event, choices, choice)
    elif isinstance(kind := _get(event, "type"), str):
        yield from _message_event(event, kind)
    else:
        raise UsageError(
            f"cannot read a stream event of type {type(event).__name__}; "
            "give strings, openai chat completion chunks or anthropic message events"
        )


def _chunk(chunk: object, choices: list[object], wanted: int) -> Iterator[Piece]:
    if message_id := _text(_get(chunk, "id")):
        yield Started(message_id)
    for choice in choices:
        if (_get(choice, "index") or 0) != wanted:
            continue
        if (delta := _get(choice, "delta")) is not None:
            yield from _delta(delta)
        if reason := _text(_get(choice, "finish_reason")):
            yield Stopped(reason)


def _delta(delta: object) -> Iterator[Piece]:
    for key in ("reasoning_content", "reasoning"):
        if text := _text(_get(delta, key)):
            yield Thought(text)
            break  # servers that send both send the same text
    yield from _content(_get(delta, "content"))
    if refusal := _text(_get(delta, "refusal")):
        yield Said(refusal, refusal=True)
    for call in _get(delta, "tool_calls") or ():
        yield _call(_get(call, "index") or 0, _text(_get(call, "id")), _get(call, "function"))
    if (function := _get(delta, "function_call")) is not None:
        yield _call(0, "", function)


def _content(content: object) -> Iterator[Piece]:
    """Reads content: a string, or a list of parts, of which those with text count."""
    if isinstance(content, str):
        if content:
            yield Said(content)
        return
    for part in cast("list[object]", content or []):
        if isinstance(part, str):
            yield Said(part)
        elif text := _text(_get(part, "text")):
            yield Said(text)
        elif refusal := _text(_get(part, "refusal")):
            yield Said(refusal, refusal=True)
        elif thinking := _get(part, "thinking"):
            yield from (Thought(said.text) for said in _content(thinking) if isinstance(said, Said))


def _call(index: int, call_id: str, function: object) -> Called:
    return Called(index, call_id, _text(_get(function, "name")), _text(_get(function, "arguments")))


def _message_event(event: object, kind: str) -> Iterator[Piece]:
    if kind == "message_start":
        yield Started(_text(_get(_get(event, "message"), "id")))
    elif kind == "content_block_start":
        yield from _block(_get(event, "content_block"), _get(event, "index") or 0)
    elif kind == "content_block_delta":
        yield from _block_delta(_get(event, "delta"), _get(event, "index") or 0)
    elif kind == "message_delta" and (reason := _text(_get(_get(event, "delta"), "stop_reason"))):
        yield Stopped(reason)
    elif kind == "error":
        yield Broken()


def _block(block: object, index: int) -> Iterator[Piece]:
    kind = _text(_get(block, "type"))
    if kind.endswith("tool_use"):
        yield Called(index, _text(_get(block, "id")), _text(_get(block, "name")))
    elif kind == "text" and (text := _text(_get(block, "text"))):
        yield Said(text)
    elif kind == "thinking" and (text := _text(_get(block, "thinking"))):
        yield Thought(text)


def _block_delta(delta: object, index: int) -> Iterator[Piece]:
    kind = _get(delta, "type")
    if kind == "text_delta":
        yield Said(_text(_get(delta, "text")))
    elif kind == "thinking_delta":
        yield Thought(_text(_get(delta, "thinking")))
    elif kind == "input_json_delta":
        yield Called(index, arguments=_text(_get(delta, "partial_json")))


def _get(of: object, name: str) -> Any:
    if isinstance(of, Mapping):
        return cast("Mapping[str, Any]", of).get(name)
    return getattr(of, name, None)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
