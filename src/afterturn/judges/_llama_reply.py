"""Gathers a streamed reply of llama.cpp; the last chunk has no choices, and an error comes as a chunk as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from afterturn.judges._parse import Finish
from afterturn.turns import JsonValue


@dataclass(kw_only=True, slots=True)
class Gathered:
    """Is what has come of a reply.

    Attributes:
        text: The text so far.
        logprobs: Its tokens in the OpenAI form.
        finish: How it ended.
        input_tokens: Tokens in, once told.
        output_tokens: Tokens out, once told.
        error_status: The status of an error, if one came.
    """

    text: str = ""
    logprobs: list[JsonValue] = field(default_factory=list[JsonValue])
    finish: Finish = "stop"
    input_tokens: int | None = None
    output_tokens: int | None = None
    error_status: int | None = None

    def add(self, chunk: Mapping[str, JsonValue]) -> None:
        """Adds a chunk."""
        error = chunk.get("error")
        if isinstance(error, Mapping):
            code = error.get("code")
            self.error_status = code if isinstance(code, int) else 500
        self._add_usage(chunk.get("usage"))
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, Sequence) else ():
            if isinstance(choice, Mapping):
                self._add_choice(choice)

    def _add_choice(self, choice: Mapping[str, JsonValue]) -> None:
        delta, logprobs = choice.get("delta") or choice.get("message"), choice.get("logprobs")
        content = delta.get("content") if isinstance(delta, Mapping) else None
        if isinstance(content, str):
            self.text += content
        tokens = logprobs.get("content") if isinstance(logprobs, Mapping) else None
        if isinstance(tokens, list):
            self.logprobs.extend(tokens)
        if choice.get("finish_reason") == "length":
            self.finish = "length"

    def _add_usage(self, usage: JsonValue) -> None:
        if isinstance(usage, Mapping):
            tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
            self.input_tokens = tokens_in if isinstance(tokens_in, int) else None
            self.output_tokens = tokens_out if isinstance(tokens_out, int) else None
