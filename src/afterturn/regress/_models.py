"""Has any provider's model answer as an agent would: streamed, text alone, at temperature 0."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from afterturn import failopen
from afterturn.errors import ConfigError, JudgeError
from afterturn.judges._client import Address, Client
from afterturn.judges._faults import judge_error
from afterturn.judges._quiet import quiet
from afterturn.turns import Message

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.settings import ModelSettings


class Answering(Protocol):
    """Answers a conversation, piece by piece."""

    def stream(self, system: str, messages: Sequence[Message]) -> AsyncIterator[str]:
        """Gives the pieces of the answer as they come.

        Raises:
            JudgeError: The model gave no answer; the code says why.
        """
        ...

    async def aclose(self) -> None:
        """Frees what it holds."""
        ...


class ModelAnswers:
    """Is a model named as pydantic-ai names it.

    Args:
        name: `provider:model`; `openai:…` with `OPENAI_BASE_URL` is any OpenAI-compatible server.
        max_tokens: Most tokens of one answer.
        timeout_s: Seconds that one answer may take.

    Raises:
        ConfigError: The name is of another form.
    """

    def __init__(self, name: str, *, max_tokens: int, timeout_s: float) -> None:
        provider, colon, model = name.partition(":")
        if not (provider and colon and model):
            raise ConfigError(f"{name!r} names no model; write provider:model, e.g. openai:gpt-4o-mini")
        self._address = Address(provider=provider, model=model)
        self._client = Client(self._address)
        self._max_tokens = max_tokens
        self._timeout_s = timeout_s

    async def stream(self, system: str, messages: Sequence[Message]) -> AsyncIterator[str]:
        """Gives the pieces of the answer as they come.

        Raises:
            JudgeError: The model gave no answer; no word of the conversation or the reply is in it.
        """
        failure: JudgeError | None = None
        try:
            async for text in self._stream(system, messages):
                yield text
        except BaseException as error:  # dependencies raise BaseException, too; swallows() decides
            if not failopen.swallows(error):
                raise
            failure = judge_error(error, self._address.provider)
        if failure is not None:
            failure.__cause__ = failure.__context__ = None
            raise failure

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def _stream(self, system: str, messages: Sequence[Message]) -> AsyncIterator[str]:
        model = await self._client.model()
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

        settings = {"temperature": 0.0, "max_tokens": self._max_tokens, "timeout": self._timeout_s, "max_retries": 0}
        settings = {key: value for key, value in settings.items() if key not in model.unsupported_settings}
        with quiet():
            asked = model_request_stream(
                model,
                _wire(system, messages),
                model_settings=cast("ModelSettings", settings),
                instrument=False,  # its spans would hold the messages
            )
            async with asked as events:
                async for event in events:
                    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                        yield event.part.content
                    elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                        yield event.delta.content_delta


def _wire(system: str, messages: Sequence[Message]) -> list[ModelMessage]:
    """Writes customer and agent in the client library's form; other roles play no part in a suite."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    return [
        ModelRequest(parts=[UserPromptPart(message.text)], instructions=system)
        if message.role == "user"
        else ModelResponse(parts=[TextPart(message.text)])
        for message in messages
    ]
