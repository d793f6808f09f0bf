"""Graphs of LangGraph as targets, with LangGraph itself where it is installed."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportUntypedFunctionDecorator=false

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langgraph.graph")

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from afterturn.errors import AgentError
from afterturn.evals import Reply, read_row
from afterturn.evals.targets import TargetOptions
from afterturn.evals.targets._objects import wrapped

RAN: list[str] = []


@tool
def cancel(order: str) -> str:
    """Cancels an order."""
    RAN.append(order)
    return "cancelled for real"


def model(state: Any) -> dict[str, Any]:
    messages = state["messages"]
    if messages[-1].type == "tool":
        return {"messages": [AIMessage(content=f"Done: {messages[-1].content}")]}
    calls = [{"id": "c1", "name": "cancel", "args": {"order": "1142"}, "type": "tool_call"}]
    usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    return {"messages": [AIMessage(content="", tool_calls=calls, usage_metadata=usage)]}


@pytest.fixture
def graph() -> Any:
    RAN.clear()
    builder: Any = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_node("tools", ToolNode([cancel]))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    builder.add_edge("tools", "model")
    return builder.compile()


def ask(graph: Any, row: dict[str, Any], **options: Any) -> Reply:
    found = wrapped(graph, "shop:graph", TargetOptions(**options))
    assert found is not None
    return asyncio.run(found.ask(read_row(row)))


def test_a_tool_is_a_stub_and_the_reply_is_read_whole(graph: Any) -> None:
    reply = ask(graph, {"id": "r", "input": "Cancel it.", "tool_results": {"cancel": "ok"}})
    assert RAN == []
    assert [(one.name, one.arguments) for one in reply.tool_calls] == [("cancel", {"order": "1142"})]
    assert [message.text for message in reply.messages] == ["", "ok", "Done: ok"]
    assert (reply.text, reply.usage.input_tokens, reply.agent.tools[0].name) == ("Done: ok", 10, "cancel")


def test_a_tool_named_as_real_runs_and_the_graph_is_as_it_was(graph: Any) -> None:
    graph.invoke({"messages": [{"role": "user", "content": "Cancel it."}]})
    assert RAN == ["1142"]
    RAN.clear()
    assert ask(graph, {"id": "r", "input": "Cancel it."}).text == 'Done: {"stub": true, "result": null}'
    assert RAN == []
    reply = ask(graph, {"id": "r", "input": "Cancel it."}, real_tools=("cancel",))
    assert (RAN, reply.text) == (["1142"], "Done: cancelled for real")


def test_a_graph_without_end_is_stopped_by_the_steps_it_may_take(graph: Any) -> None:
    with pytest.raises(AgentError, match="raise --max-steps"):
        ask(graph, {"id": "r", "input": "Cancel it."}, max_steps=1)
