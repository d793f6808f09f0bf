"""Agents of Pydantic AI as targets: their tools are stubs, and their replies are read whole."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from eval_parts import result_of
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from afterturn.evals import Reply, read_row
from afterturn.evals.targets import Target, TargetOptions
from afterturn.evals.targets._objects import wrapped

RAN: list[str] = []


def cancel(order: str) -> str:
    """Cancels an order."""
    RAN.append(order)
    return "cancelled for real"


@pytest.fixture(autouse=True)
def _forget() -> None:  # pyright: ignore[reportUnusedFunction]
    RAN.clear()


def target(agent: object, **options: Any) -> Target:
    found = wrapped(agent, "shop:agent", TargetOptions(**options))
    assert found is not None
    return found


def ask(agent: object, row: dict[str, Any], **options: Any) -> Reply:
    return asyncio.run(target(agent, **options).ask(read_row(row)))


def test_a_tool_is_a_stub_that_answers_what_the_row_declares() -> None:
    agent = Agent(TestModel(), tools=[cancel])
    reply = ask(agent, {"id": "r", "input": "Cancel it.", "tool_results": {"cancel": {"done": True}}})
    assert RAN == []
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("cancel", {"order": "a"})]
    assert reply.messages[1].text == '{"done": true}'
    assert [tool.name for tool in reply.agent.tools] == ["cancel"]
    assert reply.text.startswith('{"cancel"')


@pytest.mark.parametrize("real", ["cancel", "*"])
def test_a_tool_named_as_real_runs(real: str) -> None:
    reply = ask(Agent(TestModel(), tools=[cancel]), {"id": "r", "input": "Cancel it."}, real_tools=(real,))
    assert RAN == ["a"]
    assert reply.messages[1].text == "cancelled for real"


def test_the_agent_is_as_it_was_afterwards() -> None:
    agent = Agent(TestModel(), tools=[cancel])
    ask(agent, {"id": "r", "input": "Cancel it."})
    asyncio.run(agent.run("Cancel it."))
    assert RAN == ["a"]


def test_structured_output_is_the_reply_and_no_tool_call() -> None:
    class Answer(BaseModel):
        days: int

    reply = ask(Agent(TestModel(), output_type=Answer, tools=[cancel]), {"id": "r", "input": "How long?"})
    assert reply.text == '{"days":0}'
    assert [call.name for call in reply.tool_calls] == ["cancel"]


def test_the_whole_conversation_reaches_the_agent() -> None:
    seen: list[list[ModelMessage]] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(messages)
        return ModelResponse(parts=[TextPart("Five days.")])

    conversation = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Hello!"},
        {"role": "assistant", "content": "Hello, how can I help?"},
        {"role": "user", "content": "How long does a refund take?"},
    ]
    reply = ask(Agent(FunctionModel(model)), {"id": "r", "input": conversation})
    assert reply.text == "Five days."
    told = [getattr(part, "content", "") for message in seen[0] for part in message.parts]
    assert told == ["Be short.", "Hello!", "Hello, how can I help?", "How long does a refund take?"]


def test_a_tool_that_the_agent_does_not_have_stays_a_call() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("refund", {"order": "1"}, tool_call_id="c1")])
        return ModelResponse(parts=[TextPart("I cannot.")])

    reply = ask(Agent(FunctionModel(model), tools=[cancel]), {"id": "r", "input": "Refund it."})
    assert ([call.name for call in reply.tool_calls], reply.text) == (["refund"], "I cannot.")


def test_rows_at_once_do_not_get_each_others_stubs() -> None:
    agent = target(Agent(TestModel(), tools=[cancel]))

    async def both() -> list[Reply]:
        rows = [read_row({"id": f"r{n}", "input": "Go.", "tool_results": {"cancel": f"answer {n}"}}) for n in range(5)]
        return await asyncio.gather(*map(agent.ask, rows))

    assert [reply.messages[1].text for reply in asyncio.run(both())] == [f"answer {n}" for n in range(5)]


def test_a_model_that_breaks_is_an_agent_error() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise RuntimeError("no")

    result = result_of(target=target(Agent(FunctionModel(model))))
    assert (result.state, result.reason) == ("agent_error", "raised")


def test_an_agent_that_never_ends_is_stopped_by_the_steps_it_may_take() -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart("cancel", {"order": "1"})])

    result = result_of(target=target(Agent(FunctionModel(model), tools=[cancel]), max_steps=3))
    assert (result.state, result.reason) == ("agent_error", "too_many_steps")


def test_other_objects_of_the_library_are_no_agent() -> None:
    assert wrapped(TestModel(), "shop:model") is None
