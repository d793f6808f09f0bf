"""Opens provider clients through pydantic-ai, one for each event loop, and closes them.

Importing the library takes seconds, so it happens in a thread, at the first question.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from afterturn import failopen
from afterturn.judges._faults import missing
from afterturn.judges.dialects import Dialect, dialect_of

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_ADDRESS_VARIABLES = {
    "openai": "OPENAI_BASE_URL",
    "openai-chat": "OPENAI_BASE_URL",
    "ollama": "OLLAMA_BASE_URL",
    "vllm": "VLLM_BASE_URL",
    "litellm": "LITELLM_BASE_URL",
    "anthropic": "ANTHROPIC_BASE_URL",
    "groq": "GROQ_BASE_URL",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """Is where a model is asked.

    Attributes:
        provider: Name of the provider, as in `provider:model`.
        model: Name of the model at the provider.
        base_url: The address, or None for the provider's own.
        api_key: The key, or None for the one in the environment.
    """

    provider: str
    model: str
    base_url: str | None = None
    api_key: str | None = None

    def __repr__(self) -> str:
        return f"Address({self.provider}:{self.model})"  # never the key

    @property
    def effective_base_url(self) -> str | None:
        """The address given or set in the environment."""
        return self.base_url or os.environ.get(_ADDRESS_VARIABLES.get(self.provider, ""), "").strip() or None

    @property
    def is_local(self) -> bool:
        """Whether the address is this machine, so that no text leaves it."""
        host = self._host
        if host == "localhost":
            return True
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        return address.is_loopback or address.is_unspecified

    @property
    def dialect(self) -> Dialect:
        """How this address wants to be asked."""
        own = bool(self._host) and not self._host.endswith((".openai.com", ".azure.com"))
        return dialect_of(self.provider, own_server=own)

    @property
    def _host(self) -> str:
        url = self.effective_base_url
        return (urlsplit(url).hostname or "") if url else ""


class Client:
    """Opens the model of an address at first use, again for each event loop, and closes it."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._opened: tuple[asyncio.AbstractEventLoop, Model] | None = None
        self._turn: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None
        self._closed = False

    async def model(self) -> Model:
        """The model, opened on the running loop.

        Raises:
            JudgeMissingError: The provider is unknown or its library, key or address is missing.
        """
        loop = asyncio.get_running_loop()
        if self._closed:
            raise missing("this judge is closed; open it again")
        if self._turn is None or self._turn[0] is not loop:
            self._turn = (loop, asyncio.Lock())
        async with self._turn[1]:  # the calls of one turn come at once, and a second client would never be closed
            if self._opened is None or self._opened[0] is not loop:
                # Connections belong to their loop; those of a loop that ended went with it.
                model = await asyncio.to_thread(_build, self._address)
                provider: Any = getattr(model, "provider", None)
                if provider is not None:
                    await provider.__aenter__()
                self._opened = (loop, model)
            return self._opened[1]

    async def aclose(self) -> None:
        """Closes the connections of the running loop; the client cannot be used after it."""
        self._closed = True
        opened, self._opened = self._opened, None
        provider: Any = getattr(opened[1], "provider", None) if opened else None
        if opened is None or provider is None or opened[0] is not asyncio.get_running_loop():
            return
        await failopen.acall("judges.close", lambda: provider.__aexit__(None, None, None), lambda _: None)


def profile_of(model: Model) -> Mapping[str, Any]:
    """What the library knows about the model, as a plain mapping."""
    return dict(model.profile)


def _build(address: Address) -> Model:
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import infer_provider_class

    kind = "openai-chat" if address.provider == "openai" else address.provider
    try:
        provider_class: Any = infer_provider_class(kind)
    except ValueError:
        provider_class = None
    if provider_class is None:
        raise missing(f"unknown provider {address.provider}; see `pydantic-ai` for the names it knows")
    options = {"base_url": address.effective_base_url, "api_key": address.api_key}
    provider = provider_class(**{key: value for key, value in options.items() if value})
    model = infer_model(f"{kind}:{address.model}", provider_factory=lambda _: provider)
    return _with_own_profile(model, provider, address.dialect)


def _with_own_profile(model: Model, provider: Any, dialect: Dialect) -> Model:
    """Makes the model again with the dialect's say about the schema, which then goes out exactly as shaped."""
    if not dialect.shapes_itself:
        return model
    model_class: Any = type(model)
    profile: dict[str, Any] = {"json_schema_transformer": None}
    if not dialect.max_completion_tokens:
        profile |= {
            "openai_chat_supports_max_completion_tokens": False,
            "openai_supports_strict_tool_definition": False,
            "supports_json_schema_output": True,
            "supports_json_object_output": True,
        }
    return model_class(model.model_name, provider=provider, profile=profile)
