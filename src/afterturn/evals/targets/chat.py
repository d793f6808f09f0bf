"""Asks a model at an OpenAI-compatible address; the loop of its tools runs here, and the tools are stubs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from afterturn._unreadable import why_unreadable
from afterturn.errors import AgentError, InputError, UsageError
from afterturn.evals._records import Reply, Row
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._http import Endpoint, is_local
from afterturn.evals.targets._options import TargetOptions
from afterturn.evals.targets._replies import added_usage, call_message, usage_from
from afterturn.evals.targets._stubs import Toolbox, load_tools
from afterturn.formats import is_object, message_to_json, messages_from_json
from afterturn.turns import Agent, JsonObject, JsonValue, Message, Tool
from afterturn.verdicts import Usage

PATH = "/chat/completions"


@dataclass(kw_only=True, slots=True)
class _Loop:
    """Is one conversation with the model.

    Attributes:
        added: The messages that the model and the stubs added.
        usage: Tokens so far; None where a reply did not say.
        steps: Model calls so far.
    """

    added: list[Message]
    usage: Usage = Usage(input_tokens=0, output_tokens=0)
    steps: int = 0


class ChatTarget:
    """Is a model with tools under test.

    Args:
        endpoint: Where it is.
        options: Model, tools, instructions, real tools, steps.

    Raises:
        UsageError: There is no model, or tools or instructions cannot be read.
    """

    def __init__(self, endpoint: Endpoint, options: TargetOptions) -> None:
        if not options.model:
            raise UsageError("an OpenAI-compatible target needs --model NAME")
        self.name = endpoint.url
        self.options: JsonObject = options.to_json()
        self.free = is_local(endpoint.url)
        self._endpoint = endpoint
        self._model = options.model
        self._most_steps = options.max_steps
        self._toolbox = Toolbox(load_tools(options.tools), options.real_tools)
        self._instructions = _instructions(options.instructions)

    async def ask(self, row: Row) -> Reply:
        """Asks the model until it replies without calling a tool.

        Raises:
            AgentError: `too_many_steps`, or what went wrong at the server.
        """
        tools = row.tools or self._toolbox.tools
        box = self._toolbox.offering(row.tools) if row.tools else self._toolbox
        loop = _Loop(added=[])
        asked = self._opening(row)
        while loop.steps < self._most_steps:
            message = await self._step([*asked, *loop.added], tools, loop)
            loop.added.append(message)
            if not message.tool_calls:
                return self._reply(message, tools, loop)
            for call in message.tool_calls:
                loop.added.append(call_message(call, await box.answer(call, row)))
        raise AgentError("too_many_steps", f"the agent still called tools after {self._most_steps} steps")

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._endpoint.aclose()

    def _opening(self, row: Row) -> list[Message]:
        if not self._instructions or row.input[0].role in ("system", "developer"):
            return list(row.input)
        return [Message(role="system", text=self._instructions), *row.input]

    async def _step(self, messages: list[Message], tools: tuple[Tool, ...], loop: _Loop) -> Message:
        body: dict[str, JsonValue] = {
            "model": self._model,
            "messages": [message_to_json(message) for message in messages],
        }
        if tools:
            body["tools"] = [_offered(tool) for tool in tools]
        value = await self._endpoint.post(body)
        loop.steps += 1
        message, usage = _read(value)
        loop.usage = added_usage(loop.usage, usage)
        return message

    def _reply(self, message: Message, tools: tuple[Tool, ...], loop: _Loop) -> Reply:
        return Reply(
            text=message.text or message.refusal or "",
            tool_calls=tuple(call for one in loop.added for call in one.tool_calls),
            messages=tuple(loop.added),
            agent=Agent(model=self._model, tools=tools),
            usage=loop.usage,
            extra={"steps": loop.steps},
        )


def open_chat(url: str, options: TargetOptions) -> Target:
    """Makes a target of an OpenAI-compatible address, with or without `/chat/completions` at its end."""
    full = url if url.rstrip("/").endswith(PATH) else f"{url.rstrip('/')}{PATH}"
    return ChatTarget(Endpoint(full, key=_own_key(full)), options)


def _own_key(url: str) -> str | None:
    """OPENAI_API_KEY goes only where it is meant for: OpenAI itself, or the server that OPENAI_BASE_URL names."""
    from urllib.parse import urlsplit

    base = os.environ.get("OPENAI_BASE_URL", "").rstrip("/")
    meant = (urlsplit(url).hostname or "").endswith(".openai.com") or bool(base and url.startswith(f"{base}/"))
    return os.environ.get("OPENAI_API_KEY") if meant and not is_local(url) else None


def _read(value: JsonValue) -> tuple[Message, Usage]:
    failure = AgentError("bad_reply", "the agent's server gave what is no chat completion; is the address right?")
    if not is_object(value):
        raise failure
    answer = cast(dict[str, Any], value)
    try:
        wire = {**answer["choices"][0]["message"]}
        wire.setdefault("role", "assistant")
        (message,) = messages_from_json([wire])
    except (KeyError, IndexError, TypeError, ValueError, InputError):
        raise failure from None
    return message, usage_from(answer.get("usage"))


def _offered(tool: Tool) -> JsonObject:
    function: dict[str, JsonValue] = {"name": tool.name, "description": tool.description}
    function["parameters"] = tool.parameters or {"type": "object", "properties": {}}
    return {"type": "function", "function": function}


def _instructions(path: str | None) -> str:
    if path is None:
        return ""
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the instructions cannot be read: {why_unreadable(error)}") from None
