"""Makes one request out of a form: settings, schema and messages, and what of them is recorded with the verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterturn.judges._ladder import Feature, Form
from afterturn.judges._prompt import Prompt
from afterturn.judges._schema import WireSchema
from afterturn.judges.dialects import Dialect, Rung
from afterturn.turns import JsonObject, JsonValue
from afterturn.verdicts import JudgeParams

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import ModelRequestParameters

THINKING_RESERVE_TOKENS = 2_048
"""Added to the limit of a model whose thinking cannot be switched off and counts into it."""

TOP_LOGPROBS = 10
"""Alternatives asked for at each token; servers allow 20 and less."""

OBJECT_NAME = "annotation"

_SCHEMA_IN_PROMPT = "\nThe object fits this JSON schema:\n{schema}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """Is one request, ready to send.

    Attributes:
        rung: How the schema travels.
        strict: What `strict` says beside a native schema.
        schema: The schema as it goes out.
        system: The system message.
        user: The user message.
        settings: The model settings.
        sent: The features that it carries and that a provider may refuse.
    """

    rung: Rung
    strict: bool | None
    schema: JsonObject
    system: str
    user: str
    settings: Mapping[str, Any]
    sent: frozenset[Feature]

    @classmethod
    def of(
        cls,
        form: Form,
        dialect: Dialect,
        profile: Mapping[str, Any],
        *,
        wire: WireSchema,
        prompt: Prompt,
        timeout_s: float,
    ) -> Request:
        """Makes a request.

        Args:
            form: The rung and what to leave out.
            dialect: The provider's dialect.
            profile: What the client library knows about the model.
            wire: The schema of the answer.
            prompt: What to ask.
            timeout_s: Seconds that the request may take.
        """
        rung = form.of(dialect)
        schema = rung.shape(wire.schema)
        said = _SCHEMA_IN_PROMPT.format(schema=json.dumps(wire.schema, ensure_ascii=False))
        settings, sent = _settings(form, dialect, profile)
        thinks = _may_think(form, dialect, profile)
        settings["max_tokens"] = prompt.max_tokens + (THINKING_RESERVE_TOKENS if thinks else 0)
        settings["timeout"] = timeout_s
        if rung.via == "json_object_with_schema":
            response_format = {"type": "json_object", "schema": schema}
            settings["extra_body"] = {**settings.get("extra_body", {}), "response_format": response_format}
        return cls(
            rung=rung,
            strict=dialect.strict,
            schema=schema,
            system=prompt.system + (said if rung.schema_in_prompt else ""),
            user=prompt.user,
            settings=settings,
            sent=sent,
        )

    @property
    def params(self) -> JudgeParams:
        """The effective parameters."""
        return JudgeParams(
            temperature=self.settings.get("temperature"),
            max_tokens=self.settings["max_tokens"],
            response_format=self.rung.format,
        )

    def messages(self) -> list[ModelMessage]:
        """The messages in the client library's form."""
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        return [ModelRequest(parts=[UserPromptPart(self.user)], instructions=self.system)]

    def parameters(self) -> ModelRequestParameters:
        """The output parameters in the client library's form."""
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition

        if self.rung.via == "json_object_with_schema":
            return ModelRequestParameters(output_mode="text", allow_text_output=True)
        return ModelRequestParameters(
            output_mode="native" if self.rung.via == "native" else "prompted",
            output_object=OutputObjectDefinition(name=OBJECT_NAME, json_schema=dict(self.schema), strict=self.strict),
            prompted_output_template=False,  # the system message says it already
            allow_text_output=True,
        )


def _settings(form: Form, dialect: Dialect, profile: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[Feature]]:
    settings: dict[str, Any] = {"max_retries": 0}  # the only retry is wrap.Retry's
    sent: set[Feature] = set()
    samples = _takes_sampling(profile)
    if samples and "temperature" not in form.dropped:
        settings["temperature"] = 0.0
        sent.add("temperature")
    if dialect.logprobs and samples and "logprobs" not in form.dropped:
        settings |= {"openai_logprobs": True, "openai_top_logprobs": TOP_LOGPROBS}
        sent.add("logprobs")
    if "thinking" not in form.dropped:
        settings["thinking"] = False
        if dialect.no_thinking:
            settings["extra_body"] = dict[str, JsonValue](dialect.no_thinking)
        if dialect.no_thinking or profile.get("supports_thinking") or profile.get("thinking_always_enabled"):
            sent.add("thinking")
    return settings, frozenset(sent)


def _may_think(form: Form, dialect: Dialect, profile: Mapping[str, Any]) -> bool:
    """Whether thinking may use up tokens of the answer."""
    if profile.get("thinking_always_enabled"):
        return True
    return "thinking" in form.dropped and bool(profile.get("supports_thinking") or dialect.no_thinking)


def _takes_sampling(profile: Mapping[str, Any]) -> bool:
    """Whether the model takes a temperature and log-probabilities; the library would drop them in silence."""
    if profile.get("anthropic_disallows_sampling_settings"):
        return False
    if "temperature" in profile.get("openai_unsupported_model_settings", ()):
        return False
    if not profile.get("openai_supports_reasoning"):
        return True
    efforts = profile.get("openai_reasoning_efforts")
    can_be_off = "none" in efforts if efforts is not None else profile.get("openai_supports_reasoning_effort_none")
    return bool(can_be_off) and not profile.get("thinking_always_enabled")
