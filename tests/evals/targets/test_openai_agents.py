"""Agents of the OpenAI Agents SDK as targets, with the SDK itself where it is installed, and a model of our own."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportUntypedFunctionDecorator=false
# pyright: reportUntypedBaseClass=false

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("agents.run")

from agents import Agent, Model, ModelResponse, WebSearchTool, function_tool
from agents import Usage as SdkUsage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from afterturn.errors import UsageError
from afterturn.evals import Reply, read_row
from afterturn.evals.targets import TargetOptions
from afterturn.evals.targets._objects import wrapped

RAN: list[str] = []


@function_tool
def cancel(order: str) -> str:
    """Cancels an order."""
    RAN.append(order)
    return "cancelled for real"


def call(name: str, arguments: str = "{}") -> Any:
    return ResponseFunctionToolCall(type="function_call", call_id=f"call-{name}", name=name, arguments=arguments)


def said(text: str) -> Any:
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[part])


class Scripted(Model):
    """Is a model that gives what it is told, and keeps what it was asked."""

    def __init__(self, *outputs: Any) -> None:
        self.outputs = list(outputs)
        self.seen: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> Any:
        self.seen.append(input)
        usage = SdkUsage(requests=1, input_tokens=10, output_tokens=2, total_tokens=12)
        return ModelResponse(output=[self.outputs.pop(0)], usage=usage, response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def ask(agent: Any, row: dict[str, Any], **options: Any) -> Reply:
    found = wrapped(agent, "shop:agent", TargetOptions(**options))
    assert found is not None
    return asyncio.run(found.ask(read_row(row)))


@pytest.fixture(autouse=True)
def _forget() -> None:  # pyright: ignore[reportUnusedFunction]
    RAN.clear()


def test_a_tool_is_a_stub_and_the_reply_is_read_whole() -> None:
    model = Scripted(call("cancel", '{"order": "1142"}'), said("Done."))
    agent: Any = Agent(name="shop", model=model, tools=[cancel])
    reply = ask(agent, {"id": "r", "input": "Cancel it.", "tool_results": {"cancel": {"done": True}}})
    assert RAN == []
    assert [(one.name, one.arguments) for one in reply.tool_calls] == [("cancel", {"order": "1142"})]
    assert [message.text for message in reply.messages] == ["", '{"done": true}', "Done."]
    assert (reply.text, reply.usage.input_tokens, reply.agent.tools[0].name) == ("Done.", 20, "cancel")
    assert agent.tools == [cancel]


def test_a_tool_named_as_real_runs() -> None:
    model = Scripted(call("cancel", '{"order": "1142"}'), said("Done."))
    reply = ask(Agent(name="shop", model=model, tools=[cancel]), {"id": "r", "input": "x"}, real_tools=("cancel",))
    assert (RAN, reply.messages[1].text) == (["1142"], "cancelled for real")


def test_tools_of_an_agent_that_is_handed_over_to_are_stubs_too() -> None:
    second: Any = Agent(
        name="orders", model=Scripted(call("cancel", '{"order": "1"}'), said("Cancelled.")), tools=[cancel]
    )
    first: Any = Agent(name="front", model=Scripted(call("transfer_to_orders")), handoffs=[second])
    reply = ask(first, {"id": "r", "input": "Cancel it."})
    assert RAN == []
    assert ([one.name for one in reply.tool_calls], reply.text) == (["transfer_to_orders", "cancel"], "Cancelled.")


def test_a_tool_without_a_stub_is_refused_before_the_first_row() -> None:
    agent: Any = Agent(name="shop", model=Scripted(), tools=[WebSearchTool()])
    with pytest.raises(UsageError, match="has no stub; allow it: --real-tool web_search"):
        wrapped(agent, "shop:agent", TargetOptions())


def test_the_whole_conversation_reaches_the_agent() -> None:
    model = Scripted(said("Five days."))
    conversation = [
        {"role": "user", "content": "Hello!"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "How long?"},
    ]
    assert ask(Agent(name="shop", model=model), {"id": "r", "input": conversation}).text == "Five days."
    assert [item["content"] for item in model.seen[0]] == ["Hello!", "Hello.", "How long?"]
