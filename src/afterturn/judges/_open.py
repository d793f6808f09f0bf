"""Opens a judge by its name: `encoder`, `cascade:NAME`, `llama:PATH` or `provider:model`."""

from __future__ import annotations

import difflib
import importlib

from afterturn.calls import Judge
from afterturn.errors import ConfigError
from afterturn.judges.wrap import Cascade, Deadline, Retry, Trace
from afterturn.judges.wrap.deadline import DEFAULT_S

LOCAL_DEADLINE_S = 120.0
"""For models on this machine: on a CPU they need longer than a provider, and nobody waits for them."""

CASCADE = "cascade:"
SHADOW = 0.02
"""The share of calls of a cascade in which the model is asked everything, to see how often the two agree."""

PROVIDERS = (
    "alibaba",
    "anthropic",
    "azure",
    "bedrock",
    "cerebras",
    "cohere",
    "deepseek",
    "fireworks",
    "google",
    "google-cloud",
    "groq",
    "huggingface",
    "litellm",
    "mistral",
    "moonshotai",
    "nebius",
    "ollama",
    "openai",
    "openai-chat",
    "openai-responses",
    "openrouter",
    "ovhcloud",
    "sambanova",
    "together",
    "vercel",
    "vllm",
    "xai",
    "zai",
)
"""Providers whose models can be asked, as pydantic-ai names them; names only, so that nothing is imported."""


def open_judge(name: str, *, deadline_s: float | None = None, retries: bool = True) -> Judge:
    """Opens a judge, with a deadline, one retry and a trace around it. Nothing is loaded before the first question.

    Args:
        name: `encoder`, `cascade:NAME` (the encoder, and the judge of that name for what it is unsure of), `llama:PATH`
            of a GGUF file, or `provider:model` (`openai:…` with `OPENAI_BASE_URL` for any
            compatible server).
        deadline_s: Seconds for a whole call; by default 20, and 120 for models on this machine (`llama:`, or a base
            URL of it).
        retries: Whether a failed call gets its second chance; False where the caller has its own way with rate limits.

    Raises:
        ConfigError: No judge has that name.

    Example:
        >>> open_judge("openai:gpt-4o-mini").name
        'openai:gpt-4o-mini'
    """
    if name.startswith(CASCADE) and name != CASCADE:
        first = open_judge("encoder", retries=retries)
        second = open_judge(name.removeprefix(CASCADE), deadline_s=deadline_s, retries=retries)
        return Cascade(first, second, shadow=SHADOW)
    judge, seconds = _bare(name, deadline_s)
    return Trace(Deadline(Retry(judge) if retries else judge, seconds=seconds))


def _bare(name: str, deadline_s: float | None) -> tuple[Judge, float]:
    """The judge without anything around it, and the seconds that a whole call may take."""
    kind, colon, rest = name.partition(":")
    if name == "encoder":
        return importlib.import_module("afterturn.judges.encoder").EncoderJudge(), deadline_s or DEFAULT_S
    if kind == "llama" and rest:
        return importlib.import_module("afterturn.judges.llama").LlamaJudge(rest), deadline_s or LOCAL_DEADLINE_S
    if colon and rest and kind in PROVIDERS:
        model_judge = importlib.import_module("afterturn.judges.model").ModelJudge
        seconds = deadline_s or (LOCAL_DEADLINE_S if model_judge(name).location == "local" else DEFAULT_S)
        return model_judge(name, timeout_s=seconds), seconds
    raise ConfigError(
        f"no judge has this name{_guess(kind)}; use encoder, cascade:NAME, llama:PATH, or provider:model with one of "
        f"the providers {', '.join(PROVIDERS)}"
    )


def _guess(kind: str) -> str:
    near = difflib.get_close_matches(kind, ("encoder", "cascade", "llama", *PROVIDERS), n=1)
    return f" (did you mean {near[0]}?)" if near else ""
