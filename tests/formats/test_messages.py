"""Claims about reading a conversation in any of the formats."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from afterturn.errors import TurnFormatError
from afterturn.formats import message_to_json, messages_from_json
from afterturn.turns import Message, ToolCall

CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "cases" / "messages.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_each_case_reads_as_the_messages_beside_it(case: dict[str, Any]) -> None:
    assert [_said(message) for message in messages_from_json(case["wire"])] == case["messages"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_each_case_is_the_same_conversation_after_it_was_written_in_openai_format(case: dict[str, Any]) -> None:
    first = messages_from_json(case["wire"])
    written = [message_to_json(message) for message in first]
    again = messages_from_json(json.loads(json.dumps(written)))
    assert again == first
    assert [message_to_json(message) for message in again] == written


def test_an_error_names_what_the_caller_called_the_conversation() -> None:
    with pytest.raises(TurnFormatError) as caught:
        messages_from_json([{"role": "user"}, {"role": "robot"}], where="request 7")
    assert str(caught.value) == (
        "request 7: messages[1] has a role that nobody knows; use one of system, developer, user, assistant, tool"
    )


def test_changed_text_is_written_in_place_of_the_old_text_parts() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    message = Message(role="user", text="new", parts=({"type": "text", "text": "old"}, image))
    assert message_to_json(message) == {"role": "user", "content": [{"type": "text", "text": "new"}, image]}


def test_changed_text_is_written_plainly_where_nothing_but_text_was_there() -> None:
    message = Message(role="assistant", text="new", parts=({"type": "text", "text": "old"},))
    assert message_to_json(message) == {"role": "assistant", "content": "new"}


def test_arguments_that_were_given_as_an_object_alone_are_written() -> None:
    message = Message(role="assistant", tool_calls=(ToolCall(name="find", arguments={"q": 1}),))
    function = {"name": "find", "arguments": '{"q": 1}'}
    assert message_to_json(message) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"type": "function", "function": function}],
    }


def test_arguments_nested_too_deeply_stay_raw() -> None:
    raw = '{"a":' * 5000 + "1" + "}" * 5000
    call = {"function": {"name": "find", "arguments": raw}}
    (message,) = messages_from_json([{"role": "assistant", "tool_calls": [call]}])
    assert message.tool_calls == (ToolCall(name="find", raw_arguments=raw),)


def _said(record: Message | ToolCall) -> dict[str, Any]:
    """Gives the fields that differ from their defaults, the role and the name always."""
    blank = Message(role="user") if isinstance(record, Message) else ToolCall(name="")
    said: dict[str, Any] = {}
    for field in fields(record):
        value: Any = getattr(record, field.name)
        if value == getattr(blank, field.name) and field.name not in ("role", "name"):
            continue
        if field.name == "tool_calls":
            value = [_said(call) for call in value]
        said[field.name] = list(value) if field.name == "parts" else value
    return {key: value for key, value in said.items() if value is not None}
