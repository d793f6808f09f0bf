"""Asks an agent of the OpenAI Agents SDK. Its function tools are stubs, those of the agents it hands over to included.

A tool that runs elsewhere (web search, a computer, an MCP server) has no stub: it must be named as real. The SDK's own
tracing, which would send the conversation out, is off.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from afterturn.errors import AgentError, UsageError
from afterturn.evals._records import Reply, Row
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._options import TargetOptions
from afterturn.evals.targets._own_tools import OwnTools
from afterturn.evals.targets._replies import reply_from
from afterturn.formats import message_to_json
from afterturn.turns import JsonObject


class OpenAIAgentsTarget:
    """Is an agent of the OpenAI Agents SDK under test.

    Args:
        agent: The agent. It is left as it is; a copy with stubs answers.
        name: What names it.
        options: Which tools are real, and how many model calls a row may take.
    """

    free = False

    def __init__(self, agent: Any, *, name: str, options: TargetOptions) -> None:
        self.name = name
        self.options: JsonObject = options.to_json()
        self._agent = agent
        self._tools = OwnTools(options)
        self._most_steps = options.max_steps
        _Sandbox(self._tools, None).agent(agent)  # what has no stub is told before the first row

    async def ask(self, row: Row) -> Reply:
        """Runs the agent over the row's conversation.

        Raises:
            AgentError: It takes too many steps.
        """
        sdk = import_module("agents")
        try:
            result = await sdk.Runner.run(
                _Sandbox(self._tools, row).agent(self._agent),
                [item for message in row.input for item in _input(message_to_json(message))],
                max_turns=self._most_steps,
                run_config=sdk.RunConfig(tracing_disabled=True),
            )
        except sdk.MaxTurnsExceeded:
            told = f"no reply within {self._most_steps} model calls; raise --max-steps"
            raise AgentError("too_many_steps", told) from None
        return reply_from(_told(result, self._agent), row)

    async def aclose(self) -> None:
        """Holds nothing open."""


def wrap(agent: object, name: str, options: TargetOptions) -> Target | None:
    """Makes a target of an agent; None where the object is none, or `agents` is another package."""
    kind = getattr(import_module("agents"), "Agent", None)
    runner = getattr(import_module("agents"), "Runner", None)
    if kind is None or runner is None or not isinstance(agent, kind):
        return None
    return OpenAIAgentsTarget(agent, name=name, options=options)


class _Sandbox:
    """Copies agents with stubs in their tools' place; agents that hand over to each other are copied once."""

    def __init__(self, tools: OwnTools, row: Row | None) -> None:
        self._tools = tools
        self._row = row
        self._copies: dict[int, Any] = {}

    def agent(self, agent: Any) -> Any:
        """Copies an agent.

        Raises:
            UsageError: One of its tools has no stub and is not named as real.
        """
        if id(agent) in self._copies:
            return self._copies[id(agent)]
        if agent.mcp_servers and not self._tools.is_real("mcp"):
            raise UsageError(f"the agent {agent.name} has MCP servers, which have no stub; allow them: --real-tool mcp")
        copy = agent.clone(tools=[self._tool(tool) for tool in agent.tools])
        self._copies[id(agent)] = copy
        copy.handoffs = [self._handoff(handoff) for handoff in agent.handoffs]
        return copy

    def _tool(self, tool: Any) -> Any:
        if self._tools.is_real(tool.name):
            return tool
        if not hasattr(tool, "on_invoke_tool"):
            raise UsageError(f"the tool {tool.name} has no stub; allow it: --real-tool {tool.name}")

        async def stub(context: Any, arguments: str) -> str:
            assert self._row is not None
            return await self._tools.answer(tool.name, _parsed(arguments), self._row)

        return dataclasses.replace(tool, on_invoke_tool=stub)

    def _handoff(self, handoff: Any) -> Any:
        invoke = getattr(handoff, "on_invoke_handoff", None)
        if invoke is None:
            return self.agent(handoff)

        async def hand_over(context: Any, arguments: Any) -> Any:
            return self.agent(await invoke(context, arguments))

        return dataclasses.replace(handoff, on_invoke_handoff=hand_over)


def _input(message: JsonObject) -> list[dict[str, Any]]:
    """Writes a chat message as the items of the Responses API."""
    if message["role"] == "tool":
        call = {"type": "function_call_output", "call_id": message.get("tool_call_id"), "output": message["content"]}
        return [call]
    calls: Sequence[Any] = message.get("tool_calls") or ()  # pyright: ignore[reportAssignmentType]
    items = [
        {
            "type": "function_call",
            "call_id": call["id"],
            "name": call["function"]["name"],
            "arguments": call["function"]["arguments"],
        }
        for call in calls
    ]
    text = [{"role": message["role"], "content": message["content"]}] if message.get("content") else []
    return [*text, *items]


def _told(result: Any, agent: Any) -> dict[str, Any]:
    messages = [message for item in result.new_items for message in _messages(item)]
    output = result.final_output
    text = output if isinstance(output, str) else json.dumps(_plain(output), default=str)
    if not messages or messages[-1].get("content") != text:
        messages.append({"role": "assistant", "content": text})
    tools = [
        {"name": tool.name, "description": tool.description, "parameters": tool.params_json_schema}
        for tool in agent.tools
        if hasattr(tool, "params_json_schema")
    ]
    usage = result.context_wrapper.usage
    return {
        "messages": messages,
        "tools": tools,
        "model": agent.model if isinstance(agent.model, str) else None,
        "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
    }


def _messages(item: Any) -> list[dict[str, Any]]:
    """Writes an item of a run as a chat message. A handover is a call of the tool that stands for it."""
    raw: Any = item.raw_item
    if item.type in ("tool_call_item", "handoff_call_item"):
        function = {"name": _of(raw, "name") or _of(raw, "type"), "arguments": _of(raw, "arguments") or "{}"}
        return [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": _of(raw, "call_id") or "", "type": "function", "function": function}],
            }
        ]
    if item.type in ("tool_call_output_item", "handoff_output_item"):
        content = str(_of(raw, "output") or "")
        return [{"role": "tool", "tool_call_id": _of(raw, "call_id") or "", "content": content}]
    if item.type == "message_output_item":
        text = "".join(getattr(part, "text", "") or getattr(part, "refusal", "") for part in raw.content)
        return [{"role": "assistant", "content": text}]
    return []


def _of(raw: Any, name: str) -> Any:
    return raw.get(name) if isinstance(raw, dict) else getattr(raw, name, None)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def _parsed(arguments: str) -> JsonObject | None:
    try:
        value: Any = json.loads(arguments or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType]


def _plain(output: Any) -> Any:
    return output.model_dump(mode="json") if hasattr(output, "model_dump") else output
