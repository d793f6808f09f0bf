"""How providers want to be asked for structured output: one file a provider, found by name."""

from __future__ import annotations

from importlib import import_module

from afterturn.judges.dialects._base import Dialect, Rung, Via

__all__ = ["Dialect", "Rung", "Via", "dialect_of"]

_DIALECTS = {
    "anthropic": "anthropic",
    "google": "google",
    "google-cloud": "google",
    "openai": "openai",
    "openai-chat": "openai",
    "azure": "openai",
    "ollama": "ollama",
    "vllm": "compatible",
    "litellm": "compatible",
}


def dialect_of(provider: str, *, own_server: bool = False) -> Dialect:
    """Finds the dialect of a provider.

    Args:
        provider: The provider's name as in `provider:model`.
        own_server: Whether an OpenAI-compatible server other than OpenAI's own answers (`OPENAI_BASE_URL`).
    """
    openai = provider in ("openai", "openai-chat")
    name = "compatible" if own_server and openai else _DIALECTS.get(provider, "other")
    dialect = import_module(f"afterturn.judges.dialects.{name}").DIALECT
    assert isinstance(dialect, Dialect)
    return dialect
