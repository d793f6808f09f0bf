"""Asks a model at an OpenAI-compatible address for one completion, and counts tokens and seconds."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from afterturn.designs._records import Tokens
from afterturn.errors import AgentError, InputError
from afterturn.evals.targets._http import Endpoint
from afterturn.formats import is_object, message_to_json, messages_from_json
from afterturn.turns import JsonObject, JsonValue, Message, Tool

OPENAI = "https://api.openai.com/v1"
MOST_TRIES = 4

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """Is one answer of the model, and what it took."""

    message: Message
    tokens: Tokens
    seconds: float


class Chat:
    """Is a model at the address of `OPENAI_BASE_URL`, else at OpenAI.

    Args:
        model: Its name there.
        temperature: The temperature.
        max_tokens: Most tokens of one answer.
        deadline_s: Seconds that one answer may take.
        sleep: Waits; given in tests.

    Raises:
        UsageError: The address is none, or holds a key.
    """

    def __init__(
        self, model: str, *, temperature: float, max_tokens: int, deadline_s: float, sleep: Sleep = asyncio.sleep
    ) -> None:
        base = os.environ.get("OPENAI_BASE_URL", "").strip().rstrip("/") or OPENAI
        self._endpoint = Endpoint(f"{base}/chat/completions", key=os.environ.get("OPENAI_API_KEY") or None)
        self._model = model
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._deadline_s = deadline_s
        self._sleep = sleep

    async def ask(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        tool_choice: JsonValue = None,
        schema: JsonObject | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Asks for one completion.

        Args:
            messages: The conversation, the system message first.
            tools: Tools on offer.
            tool_choice: What must be called, as the interface has it; None leaves it to the model.
            schema: Schema that the answer's text must fit.
            max_tokens: Most tokens of this answer, where they are others than the model's.
            seed: Seed of the sampling, where the temperature is above 0.

        Raises:
            AgentError: There was no completion; the code says why.
        """
        body: dict[str, JsonValue] = {
            "model": self._model,
            "messages": [message_to_json(message) for message in messages],
            "temperature": self._temperature,
            "max_tokens": max_tokens or self._max_tokens,
        }
        if tools:
            body["tools"] = [_offered(tool) for tool in tools]
        if tool_choice is not None:
            body["tool_choice"] = tool_choice
        if schema is not None:
            form: JsonObject = {"name": "report", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if seed is not None and self._temperature > 0:
            body["seed"] = seed
        started = time.perf_counter()
        message, tokens = _read(await self._post(body))
        return Completion(message=message, tokens=tokens, seconds=time.perf_counter() - started)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._endpoint.aclose()

    async def _post(self, body: JsonObject) -> JsonValue:
        for tried in range(1, MOST_TRIES + 1):
            try:
                async with asyncio.timeout(self._deadline_s):
                    return await self._endpoint.post(body)
            except TimeoutError:
                raise AgentError("timeout", "the model took too long; give --deadline") from None
            except AgentError as error:
                if error.code != "rate_limited" or tried == MOST_TRIES:
                    raise
                await self._sleep(error.retry_after_s or 2.0**tried)
        raise AssertionError("the last try returns or raises")


def _read(value: JsonValue) -> tuple[Message, Tokens]:
    failure = AgentError("bad_reply", "the server gave what is no chat completion; is OPENAI_BASE_URL right?")
    if not is_object(value):
        raise failure
    answer = cast(dict[str, Any], value)
    try:
        wire = {"role": "assistant", **answer["choices"][0]["message"]}
        (message,) = messages_from_json([wire])
    except (KeyError, IndexError, TypeError, ValueError, InputError):
        raise failure from None
    return message, _tokens(answer.get("usage"))


def _tokens(usage: object) -> Tokens:
    if not isinstance(usage, dict):
        return Tokens(input=None, cached=None, output=None)
    said = cast(dict[str, Any], usage)
    details = said.get("prompt_tokens_details")
    cached = cast(dict[str, Any], details).get("cached_tokens") if isinstance(details, dict) else None
    return Tokens(
        input=_count(said.get("prompt_tokens")), cached=_count(cached), output=_count(said.get("completion_tokens"))
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _offered(tool: Tool) -> JsonObject:
    function: JsonObject = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}
