"""Reads the events of a provider's stream: `openai` chat chunks and responses, `anthropic` messages, plain strings.

Nothing of the providers' packages is imported: an event, an object or a dict, is known by what it has. What is odd in
an event of a known kind is left out, since the text before it has reached the customer already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from afterturn.stream._pieces import (
    Broken,
    Called,
    Piece,
    Said,
    Started,
    Stopped,
    Thought,
    get,
    items_of,
    number_of,
    text_of,
)
from afterturn.stream._responses import RESPONSE, response_event

_CHUNK_KEYS = ("choices", "usage", "object", "id", "model")
"""A chat completion chunk has some of these; one that only counts tokens may lack choices."""

_MESSAGE_EVENTS = frozenset(
    {
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "ping",
        # what anthropic's helper says again of an event that it passed on before
        "text",
        "thinking",
        "signature",
        "citation",
        "input_json",
    }
)


def pieces(event: object, *, choice: int = 0) -> Iterator[Piece] | None:
    """Reads one event.

    Args:
        event: A string, a chat completion chunk, an event of a message stream or of a response.
        choice: Which choice to read, where the model gives several.

    Returns:
        Its pieces, or None where it is nothing of these.
    """
    if event is None:
        return iter(())
    if isinstance(event, str):
        return iter((Said(event),) if event else ())
    if get(event, "choices") is not None:
        return _chunk(event, choice)
    kind = get(event, "type")
    if isinstance(kind, str):
        if kind == "error":
            return iter((Broken(),))
        if kind.startswith(RESPONSE):
            return response_event(event, kind)
        return _message_event(event, kind) if kind in _MESSAGE_EVENTS else None
    if get(event, "error") is not None:  # how a proxy tells of an outage
        return iter((Broken(),))
    return iter(()) if any(_has(event, key) for key in _CHUNK_KEYS) else None


def _has(event: object, name: str) -> bool:
    return name in cast("Mapping[str, object]", event) if isinstance(event, Mapping) else hasattr(event, name)


def _chunk(chunk: object, wanted: int) -> Iterator[Piece]:
    if message_id := text_of(get(chunk, "id")):
        yield Started(message_id)
    for choice in items_of(get(chunk, "choices")):
        if number_of(get(choice, "index")) != wanted:
            continue
        if (delta := get(choice, "delta")) is not None:
            yield from _delta(delta)
        if reason := text_of(get(choice, "finish_reason")):
            yield Stopped(reason)


def _delta(delta: object) -> Iterator[Piece]:
    for key in ("reasoning_content", "reasoning"):
        if text := text_of(get(delta, key)):
            yield Thought(text)
            break  # servers that send both send the same text
    yield from _content(get(delta, "content"))
    if refusal := text_of(get(delta, "refusal")):
        yield Said(refusal, refusal=True)
    for call in items_of(get(delta, "tool_calls")):
        yield _call(number_of(get(call, "index")), text_of(get(call, "id")), get(call, "function"))
    if (function := get(delta, "function_call")) is not None:
        yield _call(0, "", function)


def _content(content: object) -> Iterator[Piece]:
    """Reads content: a string, a part, or a list of parts, of which those with text count."""
    if isinstance(content, str):
        if content:
            yield Said(content)
        return
    parts: Iterator[object] = iter((cast("object", content),)) if isinstance(content, Mapping) else items_of(content)
    for part in parts:
        if isinstance(part, str):
            yield Said(part)
        elif text := text_of(get(part, "text")):
            yield Said(text)
        elif refusal := text_of(get(part, "refusal")):
            yield Said(refusal, refusal=True)
        elif thinking := get(part, "thinking"):
            yield from (Thought(said.text) for said in _content(thinking) if isinstance(said, Said))


def _call(index: int, call_id: str, function: object) -> Called:
    return Called(index, call_id, text_of(get(function, "name")), text_of(get(function, "arguments")))


def _message_event(event: object, kind: str) -> Iterator[Piece]:
    if kind == "message_start":
        yield Started(text_of(get(get(event, "message"), "id")))
    elif kind == "content_block_start":
        yield from _block(get(event, "content_block"), number_of(get(event, "index")))
    elif kind == "content_block_delta":
        yield from _block_delta(get(event, "delta"), number_of(get(event, "index")))
    elif kind == "message_delta" and (reason := text_of(get(get(event, "delta"), "stop_reason"))):
        yield Stopped(reason)


def _block(block: object, index: int) -> Iterator[Piece]:
    kind = text_of(get(block, "type"))
    if kind.endswith("tool_use"):
        yield Called(index, text_of(get(block, "id")), text_of(get(block, "name")))
    elif kind == "text" and (text := text_of(get(block, "text"))):
        yield Said(text)
    elif kind == "thinking" and (text := text_of(get(block, "thinking"))):
        yield Thought(text)


def _block_delta(delta: object, index: int) -> Iterator[Piece]:
    kind = get(delta, "type")
    if kind == "text_delta":
        yield Said(text_of(get(delta, "text")))
    elif kind == "thinking_delta":
        yield Thought(text_of(get(delta, "thinking")))
    elif kind == "input_json_delta":
        yield Called(index, arguments=text_of(get(delta, "partial_json")))
