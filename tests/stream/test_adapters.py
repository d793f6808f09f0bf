"""Streams of real provider types: clean text as it arrives, everything else collected beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from anthropic.types import RawMessageStreamEvent
from openai.types.chat import ChatCompletionChunk
from pydantic import TypeAdapter

from afterturn.errors import UsageError
from afterturn.stream import CleanStream, StreamedCall

EVENT: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
ALIASES = ["c1", "c2"]


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> ChatCompletionChunk:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    base = {"id": "m-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
    return ChatCompletionChunk.construct(None, **(base | more))  # as the client does: whatever the server sent


def said(text: Any) -> ChatCompletionChunk:
    return chunk({"content": text})


def called(index: int, call_id: str | None, name: str | None, arguments: str) -> ChatCompletionChunk:
    function = {"name": name, "arguments": arguments}
    return chunk({"tool_calls": [{"index": index, "id": call_id, "function": function}]})


def anthropic(*events: dict[str, Any]) -> list[Any]:
    return [EVENT.validate_python(event) for event in events]


def start(message_id: str = "m-1") -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "m",
        "usage": usage,
    }
    return {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None}}


def block(index: int, content: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": content}


def delta(index: int, kind: str, key: str, value: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, key: value}}


OPENAI = [
    chunk({"role": "assistant", "content": None}),
    chunk({"content": "", "reasoning_content": "plan"}),
    said("a [c"),
    called(0, "call-1", "search", '{"q": '),
    called(1, "call-2", "log_case", "{}"),
    called(0, None, None, "1}"),
    said([{"type": "text", "text": "1] b"}, {"type": "text", "text": " ([c2]"}]),
    chunk({}, finish="stop"),
    chunk(None, usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}),
]
ANTHROPIC = anthropic(
    start(),
    block(0, {"type": "thinking", "thinking": "", "signature": ""}),
    delta(0, "thinking_delta", "thinking", "plan"),
    delta(0, "signature_delta", "signature", "x"),
    {"type": "content_block_stop", "index": 0},
    block(1, {"type": "text", "text": "", "citations": None}),
    delta(1, "text_delta", "text", "a [c"),
    {"type": "content_block_stop", "index": 1},
    block(2, {"type": "tool_use", "id": "call-1", "name": "search", "input": {}}),
    delta(2, "input_json_delta", "partial_json", '{"q": '),
    delta(2, "input_json_delta", "partial_json", "1}"),
    block(3, {"type": "tool_use", "id": "call-2", "name": "log_case", "input": {}}),
    delta(3, "input_json_delta", "partial_json", "{}"),
    block(4, {"type": "text", "text": "1] b", "citations": None}),
    delta(4, "text_delta", "text", " ([c2]"),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 1},
    },
    {"type": "message_stop"},
)
CALLS = (StreamedCall("call-1", "search", '{"q": 1}'), StreamedCall("call-2", "log_case", "{}"))


async def later(events: list[Any]) -> AsyncIterator[Any]:
    for event in events:
        await asyncio.sleep(0)
        yield event


@pytest.mark.parametrize("events", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
def test_held_text_waits_across_tool_calls_which_are_collected_apart(events: list[Any]) -> None:
    stream = CleanStream(events, aliases=ALIASES)
    assert list(stream) == ["a", " b", " ("]
    message = stream.messages[0]
    assert (message.text, message.filter.cited, message.calls) == ("a b (", ["c1", "c2"], CALLS)
    assert (message.reasoning, bool(message.finish_reason), message.incomplete) == ("plan", True, False)
    assert len(stream.messages) == 1


@pytest.mark.parametrize("events", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
async def test_an_asynchronous_stream_gives_the_same(events: list[Any]) -> None:
    stream = CleanStream(later(events), aliases=ALIASES)
    assert [text async for text in stream] == ["a", " b", " ("]
    assert stream.messages[0].calls == CALLS


@pytest.mark.parametrize("events", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
def test_events_as_plain_dicts_give_the_same(events: list[Any]) -> None:
    stream = CleanStream([event.model_dump(warnings=False) for event in events], aliases=ALIASES)
    assert list(stream) == ["a", " b", " ("]
    assert stream.messages[0].calls == CALLS


async def test_plain_strings_stream_sync_and_async() -> None:
    deltas = ["a [c", "", "1] search{q:1}", " b"]
    assert list(CleanStream(deltas, aliases=ALIASES, tools=["search"])) == ["a", " b"]
    assert [text async for text in CleanStream(later(deltas), aliases=ALIASES, tools=["search"])] == ["a", " b"]
    assert [text async for text in CleanStream(deltas, aliases=ALIASES, tools=["search"])] == ["a", " b"]


def test_an_asynchronous_stream_needs_async_for() -> None:
    with pytest.raises(UsageError, match="async for"):
        list(CleanStream(later([])))


def test_an_unknown_event_is_a_usage_error_that_names_its_type_only() -> None:
    with pytest.raises(UsageError, match="of type SimpleNamespace; give strings"):
        list(CleanStream([SimpleNamespace(secret="x")]))


def test_a_refusal_is_shown_and_kept_apart_from_the_reply() -> None:
    stream = CleanStream([chunk({"refusal": text}) for text in ("I can", "not [c1]")], aliases=[])
    assert "".join(stream) == "I cannot"
    assert (stream.messages[0].refusal, stream.messages[0].text) == ("I cannot", "")


def test_parts_may_hold_thinking_and_refusals() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "plan"}]}
    stream = CleanStream([said([thinking, "a", {"type": "refusal", "refusal": "no"}, {"type": "image"}])])
    assert list(stream) == ["ano"]
    assert stream.messages[0].reasoning == "plan"


def test_a_function_call_of_the_older_form_is_collected() -> None:
    deltas = [{"function_call": {"name": "search", "arguments": "{"}}, {"function_call": {"arguments": "}"}}]
    stream = CleanStream([chunk(delta) for delta in deltas])
    assert list(stream) == []
    assert stream.messages[0].calls == (StreamedCall("", "search", "{}"),)


def test_one_choice_is_read_where_there_are_several() -> None:
    both = [{"index": 0, "delta": {"content": "a [c1]."}}, {"index": 1, "delta": {"content": "b [c2]."}}]
    assert "".join(CleanStream([chunk({}, choices=both)], aliases=ALIASES)) == "a."
    assert "".join(CleanStream([chunk({}, choices=both)], aliases=ALIASES, choice=1)) == "b."


def test_each_message_of_a_turn_has_its_own_filter_and_offsets_and_shares_the_aliases() -> None:
    aliases = ["c1"]

    def events() -> Iterator[Any]:
        yield from anthropic(start("m-1"), block(0, {"type": "text", "text": "a ([c1].", "citations": None}))
        yield from anthropic({"type": "message_stop"})
        aliases.append("c2")
        yield from anthropic(start("m-2"), block(0, {"type": "text", "text": "b [c2]", "citations": None}))

    stream = CleanStream(events(), aliases=aliases)
    assert "".join(stream) == "a (.b"
    assert [message.filter.marks for message in stream.messages] == [[("c1", 3, 3)], [("c2", 1, 1)]]


def test_a_retry_that_replays_the_reply_is_a_message_of_its_own() -> None:
    retry = [chunk({"content": text}, id="m-2") for text in ("a [c", "1].")]
    stream = CleanStream([said("a [c"), *retry, chunk({}, finish="stop", id="m-2")], aliases=ALIASES)
    assert list(stream) == ["a", " [ca", "."]
    first, second = stream.messages
    assert (first.text, first.incomplete) == ("a [c", True)
    assert (second.text, second.filter.cited, second.incomplete) == ("a.", ["c1"], False)


def test_an_error_of_the_stream_goes_on_after_what_was_held() -> None:
    def events() -> Iterator[str]:
        yield from ("a [c1] ([c2]", " [c")
        raise ConnectionError

    stream = CleanStream(events(), aliases=ALIASES)
    texts: list[str] = []
    with pytest.raises(ConnectionError):
        texts.extend(iter_into(stream, texts))
    assert texts == ["a", " ( [c"]
    message = stream.messages[0]
    assert (message.text, message.filter.cited, message.incomplete) == ("a ( [c", ["c1", "c2"], True)


def iter_into(stream: CleanStream, texts: list[str]) -> Iterator[str]:
    for text in stream:
        texts.append(text)
    yield from ()


async def test_an_error_of_an_asynchronous_stream_goes_on_after_what_was_held() -> None:
    async def events() -> AsyncIterator[str]:
        yield "a [c"
        raise ConnectionError

    stream, texts = CleanStream(events(), aliases=ALIASES), list[str]()
    with pytest.raises(ConnectionError):  # noqa: PT012 - the texts before the error matter
        async for text in stream:
            texts.append(text)
    assert texts == ["a", " [c"]
    assert stream.messages[0].incomplete


def test_an_error_event_marks_the_message_incomplete() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}
    stream = CleanStream([*anthropic(start(), block(0, {"type": "text", "text": "a", "citations": None})), error])
    assert list(stream) == ["a"]
    assert stream.messages[0].incomplete


def test_a_reader_that_stops_leaves_what_was_held_in_the_message() -> None:
    stream = CleanStream(["a [c", "1]"], aliases=ALIASES)
    texts = cast("Generator[str]", iter(stream))
    assert next(texts) == "a"
    texts.close()
    assert (stream.messages[0].text, stream.messages[0].incomplete) == ("a [c", True)


async def test_cancellation_is_not_swallowed_and_leaves_what_was_held_in_the_message() -> None:
    waiting = asyncio.Event()

    async def events() -> AsyncIterator[str]:
        yield "a [c1] b [c"
        waiting.set()
        await asyncio.Event().wait()

    stream, texts = CleanStream(events(), aliases=ALIASES), list[str]()

    async def read() -> None:
        async for text in stream:
            texts.append(text)

    reading = asyncio.ensure_future(read())
    await waiting.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    message = stream.messages[0]
    assert (texts, message.text) == (["a b"], "a b [c")
    assert (message.filter.cited, message.incomplete) == (["c1"], True)


def test_a_stream_without_events_gives_nothing() -> None:
    stream = CleanStream([])
    assert (list(stream), stream.messages) == ([], ())
