"""Asks a compiled graph of LangGraph whose state has `messages`.

Tools in a `ToolNode` are stubs. What the other nodes of a graph do is their own code, and runs for real.
"""

from __future__ import annotations

import copy
from importlib import import_module
from types import MethodType
from typing import Any, cast

from afterturn.errors import AgentError, UsageError
from afterturn.evals._records import Reply, Row
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._options import TargetOptions
from afterturn.evals.targets._own_tools import OwnTools
from afterturn.evals.targets._replies import reply_from
from afterturn.formats import dump_json, message_to_json
from afterturn.turns import JsonObject

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}


class LangGraphTarget:
    """Is a compiled graph under test.

    Args:
        graph: The graph. It is left as it is; a copy with stubs answers.
        name: What names it.
        options: Which tools are real, and how many steps a row may take.
    """

    free = False

    def __init__(self, graph: Any, *, name: str, options: TargetOptions) -> None:
        self.name = name
        self.options: JsonObject = options.to_json()
        self._graph = graph
        self._tools = OwnTools(options)
        self._most_steps = options.max_steps

    async def ask(self, row: Row) -> Reply:
        """Runs the graph over the row's conversation.

        Raises:
            AgentError: The state has no messages.
        """
        offered: list[Any] = []
        graph = self._graph if self._tools.all_real else _sandboxed(self._graph, self._tools, row, offered)
        wires = [message_to_json(message) for message in row.input]
        # A step of the agent is a model node and a tool node.
        try:
            state: Any = await graph.ainvoke({"messages": wires}, {"recursion_limit": 2 * self._most_steps})
        except import_module("langgraph.errors").GraphRecursionError:
            told = f"no reply within {self._most_steps} model calls; raise --max-steps"
            raise AgentError("too_many_steps", told) from None
        messages: list[Any] = cast(dict[str, Any], state).get("messages") or [] if isinstance(state, dict) else []
        if not messages:
            raise AgentError("bad_reply", "the state of the graph has no messages; give a graph that has them")
        new = messages[len(wires) :]
        usage = [message.usage_metadata for message in new if getattr(message, "usage_metadata", None)]
        return reply_from(
            {
                "messages": [_message(message) for message in new],
                "tools": offered,
                "usage": {name: sum(one[name] for one in usage) for name in ("input_tokens", "output_tokens")}
                if usage
                else None,
            },
            row,
        )

    async def aclose(self) -> None:
        """Holds nothing open."""


def wrap(agent: object, name: str, options: TargetOptions) -> Target | None:
    """Makes a target of a compiled graph; None where the object is none."""
    if not hasattr(agent, "ainvoke") or not hasattr(agent, "nodes"):
        return None
    return LangGraphTarget(agent, name=name, options=options)


def _sandboxed(graph: Any, tools: OwnTools, row: Row, offered: list[Any]) -> Any:
    """Copies a graph with stubs in its tool nodes, those of graphs inside it included."""
    nodes: dict[str, Any] = dict(graph.nodes)
    for key, node in nodes.items():
        bound = getattr(node, "bound", None)
        if isinstance(getattr(bound, "tools_by_name", None), dict):
            nodes[key] = node.copy({"bound": _stubbed(bound, tools, row, offered)})
        elif hasattr(bound, "nodes") and hasattr(bound, "ainvoke"):
            nodes[key] = node.copy({"bound": _sandboxed(bound, tools, row, offered)})
    return graph.copy({"nodes": nodes})


def _stubbed(node: Any, tools: OwnTools, row: Row, offered: list[Any]) -> Any:
    """Copies a tool node; its own methods, which it keeps as attributes, must work on the copy and not on the node."""
    found: dict[str, Any] = node.tools_by_name
    offered += [_offer(tool) for tool in found.values()]
    stubbed = copy.copy(node)
    stubbed._tools_by_name = {name: _stub(tool, tools, row) for name, tool in found.items()}
    for name in ("func", "afunc"):
        method = getattr(node, name)
        if getattr(method, "__self__", None) is not node:
            raise UsageError("this version of LangGraph keeps its tools elsewhere; allow all of them: --real-tool '*'")
        setattr(stubbed, name, MethodType(method.__func__, stubbed))
    return stubbed


def _stub(tool: Any, tools: OwnTools, row: Row) -> Any:
    if tools.is_real(tool.name):
        return tool
    structured = import_module("langchain_core.tools").StructuredTool

    async def answer(**arguments: Any) -> str:
        return await tools.answer(tool.name, arguments, row)

    return structured(name=tool.name, description=tool.description, args_schema=tool.args_schema, coroutine=answer)


def _offer(tool: Any) -> dict[str, Any]:
    schema: Any = tool.tool_call_schema
    parameters = cast(Any, schema) if isinstance(schema, dict) else schema.model_json_schema()
    return {"name": tool.name, "description": tool.description, "parameters": parameters}


def _message(message: Any) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": _ROLES.get(message.type, "assistant"), "content": _text(message.content)}
    if wire["role"] == "tool":
        return {**wire, "tool_call_id": message.tool_call_id, "name": message.name}
    calls = [
        {
            "id": call["id"] or "",
            "type": "function",
            "function": {"name": call["name"], "arguments": dump_json(call["args"])},
        }
        for call in getattr(message, "tool_calls", None) or ()
    ]
    return {**wire, "tool_calls": calls} if calls else wire


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part if isinstance(part, str) else part.get("text", "") for part in content)
