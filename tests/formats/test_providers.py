"""Claims about payloads that the providers' own client libraries build."""

from __future__ import annotations

from typing import Any

import pytest

from afterturn.formats import message_to_json, messages_from_json, turn_from_json, turn_to_json
from afterturn.turns import ToolCall


def test_a_dumped_openai_completion_reads_with_its_calls_and_keeps_all_its_keys() -> None:
    chat = pytest.importorskip("openai.types.chat")
    dumped: dict[str, Any] = chat.ChatCompletionMessage(
        role="assistant",
        content=None,
        refusal=None,
        annotations=[],
        tool_calls=[
            {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"q":"parcel"}'}},
            {"id": "call_2", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}},
        ],
    ).model_dump()
    (message,) = messages_from_json([dumped])
    assert message.tool_calls == (
        ToolCall(name="find", id="call_1", raw_arguments='{"q":"parcel"}', arguments={"q": "parcel"}),
        ToolCall(name="sql", id="call_2", raw_arguments="SELECT 1", extra={"type": "custom"}),
    )
    written = message_to_json(message)
    assert {key: written[key] for key in ("role", "content", "annotations")} == {
        "role": "assistant",
        "content": None,
        "annotations": [],
    }
    assert chat.ChatCompletionMessage.model_validate(written).tool_calls == (
        chat.ChatCompletionMessage.model_validate(dumped).tool_calls
    )


def test_a_dumped_openai_refusal_is_a_refusal_and_no_text() -> None:
    chat = pytest.importorskip("openai.types.chat")
    dumped = chat.ChatCompletionMessage(role="assistant", content=None, refusal="I can't help.").model_dump()
    (message,) = messages_from_json([dumped])
    assert (message.text, message.refusal) == ("", "I can't help.")


def test_a_dumped_anthropic_message_reads_with_thinking_calls_and_text() -> None:
    types = pytest.importorskip("anthropic.types")
    dumped = types.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude",
        stop_reason="tool_use",
        usage={"input_tokens": 1, "output_tokens": 2},
        content=[
            {"type": "thinking", "thinking": "hmm", "signature": "sig"},
            {"type": "text", "text": "I look it up."},
            {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"q": "parcel"}},
        ],
    ).model_dump(mode="json")
    (message,) = messages_from_json([dumped])
    call = message.tool_calls[0]
    assert (message.text, message.reasoning) == ("I look it up.", "hmm")
    assert (call.id, call.name, call.arguments) == ("toolu_1", "find", {"q": "parcel"})
    assert message.extra["stop_reason"] == "tool_use"


def test_a_whole_anthropic_request_is_a_turn() -> None:
    request: dict[str, Any] = {
        "model": "anthropic:claude",
        "system": [{"type": "text", "text": "You help."}, {"type": "text", "text": "Be brief."}],
        "tools": [{"name": "find", "description": "Finds.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Where is it?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "find", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "Lyon"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "In Lyon."}]},
        ],
        "max_tokens": 100,
    }
    turn = turn_from_json(request)
    tool = turn.agent.tools[0]
    assert turn.agent.instructions == "You help.\nBe brief."
    assert (tool.name, tool.description, tool.parameters) == ("find", "Finds.", {"type": "object"})
    assert [message.role for message in turn.messages] == ["user", "assistant", "tool", "assistant"]
    assert turn.extra == {"max_tokens": 100}
    assert turn_from_json(turn_to_json(turn)) == turn


def test_one_conversation_has_one_id_in_each_of_the_formats() -> None:
    openai: list[dict[str, Any]] = [
        {"role": "user", "content": "Where is it?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "find", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "Lyon"},
        {"role": "assistant", "content": "In Lyon."},
    ]
    anthropic: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "Where is it?"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "find", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "Lyon"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "In Lyon."}]},
    ]
    otel: list[dict[str, Any]] = [
        {"role": "user", "parts": [{"type": "text", "content": "Where is it?"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "find", "arguments": {}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "Lyon"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "In Lyon."}]},
    ]
    turns = [turn_from_json({"messages": messages}) for messages in (openai, anthropic, otel)]
    assert len({(turn.session, turn.id) for turn in turns}) == 1
