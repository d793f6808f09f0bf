"""What a provider, a proxy or a gateway sends beside the usual never costs the customer the text."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from afterturn.errors import UsageError
from afterturn.stream import CleanStream


def chunk(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta}]}


ODD: dict[str, Any] = {
    "choices null": {"choices": None},
    "usage alone": {"usage": {"total_tokens": 7}},
    "empty": {},
    "an object without choices": SimpleNamespace(id="x", object="chat.completion.chunk"),
    "choices of another type": {"choices": 5},
    "a choice that is null": {"choices": [None]},
    "content of another type": chunk(content=5),
    "calls that are null": chunk(tool_calls=[None]),
    "an unknown type": {"type": "vendor.keepalive"},
    "bytes": b"data: [DONE]",
    "a number": 7,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_event_within_a_stream_is_left_out_and_the_text_goes_on(odd: object) -> None:
    stream = CleanStream([chunk(content="Hello "), odd, chunk(content="there.")])
    assert "".join(stream) == "Hello there."
    assert not stream.messages[-1].incomplete


def test_the_first_unknown_event_of_a_stream_is_logged_by_its_type_and_no_other() -> None:
    with capture_logs() as lines:
        assert list(CleanStream(["a", {"secret": "text"}, 7, "b"])) == ["a", "b"]
    assert [(line["event"], line["kind"]) for line in lines] == [("afterturn.stream_event_unknown", "dict")]


@pytest.mark.parametrize("first", [{"type": "vendor.delta", "text": "Hi"}, {"secret": 1}, 7, ["Hi"]])
def test_a_stream_that_begins_with_an_unknown_event_is_no_stream_of_a_model(first: object) -> None:
    with pytest.raises(UsageError, match="cannot read a stream event of type"):
        list(CleanStream([first, "text"]))


@pytest.mark.parametrize("error", [{"error": {"message": "overloaded"}}, {"type": "error", "error": {}}])
def test_an_error_in_the_stream_makes_the_message_incomplete(error: object) -> None:
    stream = CleanStream([chunk(content="Hello "), error])
    assert "".join(stream) == "Hello "
    assert stream.messages[-1].incomplete


def test_content_may_be_one_part() -> None:
    part = {"type": "text", "text": "Hello."}
    assert (
        "".join(CleanStream([chunk(content=part), chunk(content=[{"type": "text", "text": " Bye."}])])) == "Hello. Bye."
    )


CALL = {"type": "function_call", "call_id": "k", "name": "note"}
CUT = {"incomplete_details": {"reason": "max_output_tokens"}}


def test_the_events_of_a_response_are_read() -> None:
    events = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.reasoning_summary_text.delta", "delta": "Look it up."},
        {"type": "response.output_text.delta", "delta": "It comes "},
        {"type": "response.output_text.delta", "delta": "tomorrow [c1]."},
        {"type": "response.output_item.added", "output_index": 1, "item": CALL},
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"a":'},
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "1}"},
        {"type": "response.output_text.done", "text": "It comes tomorrow [c1]."},
        {"type": "response.completed", "response": {"id": "resp_1"}},
    ]
    stream = CleanStream([SimpleNamespace(**event) for event in events], aliases=["c1"])
    assert "".join(stream) == "It comes tomorrow."
    (message,) = stream.messages
    assert (message.id, message.reasoning) == ("resp_1", "Look it up.")
    assert (message.finish_reason, message.incomplete) == ("stop", False)
    assert [(call.id, call.name, call.arguments) for call in message.calls] == [("k", "note", '{"a":1}')]
    assert message.filter.cited == ["c1"]


@pytest.mark.parametrize(
    ("last", "reason", "incomplete"),
    [
        ({"type": "response.incomplete", "response": CUT}, "max_output_tokens", False),
        ({"type": "response.incomplete"}, "length", False),
        ({"type": "response.failed"}, "", True),
    ],
)
def test_a_response_says_how_it_ended(last: dict[str, Any], reason: str, incomplete: bool) -> None:
    stream = CleanStream([{"type": "response.output_text.delta", "delta": "Hello."}, last])
    assert "".join(stream) == "Hello."
    assert (stream.messages[-1].finish_reason, stream.messages[-1].incomplete) == (reason, incomplete)


def test_a_refusal_in_a_response_is_one() -> None:
    stream = CleanStream([{"type": "response.refusal.delta", "delta": "I cannot."}])
    assert ("".join(stream), stream.messages[-1].refusal) == ("I cannot.", "I cannot.")
