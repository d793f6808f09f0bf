"""Asks an agent of Pydantic AI. Its tools are stubs; what the provider runs by itself (native tools) is not."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from afterturn.errors import AgentError
from afterturn.evals._records import Reply, Row
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._options import TargetOptions
from afterturn.evals.targets._own_tools import OwnTools
from afterturn.evals.targets._replies import reply_from
from afterturn.turns import JsonObject, JsonValue, Message

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage


class PydanticAITarget:
    """Is an agent of Pydantic AI under test.

    Args:
        agent: The agent. It is left as it is: stubs stand in its tools' place only while it answers a row.
        name: What names it.
        options: Which tools are real.
    """

    free = False

    def __init__(self, agent: Agent[Any, Any], *, name: str, options: TargetOptions) -> None:
        self.name = name
        self.options: JsonObject = options.to_json()
        self._agent = agent
        self._tools = OwnTools(options)
        self._most_steps = options.max_steps

    async def ask(self, row: Row) -> Reply:
        """Runs the agent over the row's conversation.

        Raises:
            AgentError: It takes too many steps.
        """
        from pydantic_ai.exceptions import UsageLimitExceeded
        from pydantic_ai.usage import UsageLimits

        offered: dict[str, JsonValue] = {}
        stubbed = [_sandboxed(toolset, self._tools, row, offered) for toolset in self._agent.toolsets]
        prompt, history = _conversation(row.input)
        with self._agent.override(toolsets=stubbed, tools=[]):
            try:
                limits = UsageLimits(request_limit=self._most_steps)
                result: Any = await self._agent.run(prompt, message_history=history, usage_limits=limits)
            except UsageLimitExceeded:
                told = f"no reply within {self._most_steps} model calls; raise --max-steps"
                raise AgentError("too_many_steps", told) from None
        return reply_from(_told(result, offered), row)

    async def aclose(self) -> None:
        """Holds nothing open."""


def wrap(agent: object, name: str, options: TargetOptions) -> Target | None:
    """Makes a target of an agent; None where the object is none."""
    from pydantic_ai import Agent

    if not isinstance(agent, Agent):
        return None
    return PydanticAITarget(cast("Agent[Any, Any]", agent), name=name, options=options)


def _sandboxed(toolset: Any, tools: OwnTools, row: Row, offered: dict[str, JsonValue]) -> Any:
    """Puts stubs around a toolset, and notes which tools it offers."""
    from pydantic_ai.toolsets import WrapperToolset

    @dataclasses.dataclass
    class Sandboxed(WrapperToolset[Any]):
        async def get_tools(self, ctx: Any) -> dict[str, Any]:
            found: dict[str, Any] = await self.wrapped.get_tools(ctx)
            for name, tool in found.items():
                known = tool.tool_def
                offered[name] = {
                    "name": name,
                    "description": known.description or "",
                    "parameters": known.parameters_json_schema,
                }
            return found

        async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
            if tools.is_real(name):
                return await self.wrapped.call_tool(name, tool_args, ctx, tool)
            return await tools.answer(name, tool_args, row)

    return Sandboxed(toolset)


def _conversation(messages: Sequence[Message]) -> tuple[str | None, list[ModelMessage]]:
    """Parts what the customer says now from what was said before."""
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    last = messages[-1] if messages and messages[-1].role == "user" else None
    history: list[ModelMessage] = []
    for message in messages[:-1] if last else messages:
        if message.role == "assistant":
            text = [TextPart(content=message.text)] if message.text else []
            calls = [
                ToolCallPart(tool_name=call.name, args=dict(call.arguments or {}), tool_call_id=call.id or call.name)
                for call in message.tool_calls
            ]
            history.append(ModelResponse(parts=[*text, *calls]))
        elif message.role == "tool":
            answered = ToolReturnPart(
                tool_name=message.name or "", content=message.text, tool_call_id=message.tool_call_id or ""
            )
            history.append(ModelRequest(parts=[answered]))
        elif message.role == "user":
            history.append(ModelRequest(parts=[UserPromptPart(content=message.text)]))
        else:
            history.append(ModelRequest(parts=[SystemPromptPart(content=message.text)]))
    return (last.text if last else None), history


def _told(result: Any, offered: dict[str, JsonValue]) -> dict[str, Any]:
    """Writes what the agent did as chat messages. A call that only hands over structured output is no tool call."""
    messages: list[dict[str, Any]] = []
    model: str | None = None
    structured = not isinstance(result.output, str)
    parts = [part for message in result.new_messages() for part in message.parts]
    outputs = {
        part.tool_call_id
        for part in parts
        if structured and part.part_kind == "tool-return" and part.tool_name not in offered
    }
    for message in result.new_messages():
        if message.kind == "response":
            model = message.model_name or model
            messages += _spoken(message, outputs)
        else:
            messages += _answered(message, outputs)
    if structured:
        messages.append({"role": "assistant", "content": _as_text(result.output)})
    usage = result.usage
    return {
        "messages": messages,
        "model": model,
        "tools": list(offered.values()),
        "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
    }


def _spoken(message: Any, outputs: set[str]) -> list[dict[str, Any]]:
    text = "".join(part.content for part in message.parts if part.part_kind == "text")
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in message.parts
        if part.part_kind == "tool-call" and part.tool_call_id not in outputs
    ]
    if not text and not calls:
        return []
    return [{"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}]


def _answered(message: Any, outputs: set[str]) -> list[dict[str, Any]]:
    return [
        {
            "role": "tool",
            "tool_call_id": part.tool_call_id,
            "name": part.tool_name,
            "content": part.model_response_str() if part.part_kind == "tool-return" else part.model_response(),
        }
        for part in message.parts
        if part.part_kind in ("tool-return", "retry-prompt") and part.tool_name and part.tool_call_id not in outputs
    ]


def _as_text(output: object) -> str:
    from pydantic_core import to_json

    return to_json(output, fallback=lambda value: type(value).__name__).decode()
