"""Holds what a dialect is: the rungs that are tried in turn, and what the provider takes besides.

A rung shapes the schema and says how it travels. When a provider refuses one (HTTP 400), the next is tried, and what
was refused is remembered for the process.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from afterturn.turns import JsonObject, JsonValue
from afterturn.verdicts import ResponseFormat

Via = Literal["native", "json_object", "json_object_with_schema"]
Shape = Callable[[JsonObject], JsonObject]

BOUNDS = frozenset(
    {
        "minItems",
        "maxItems",
        "uniqueItems",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "format",
    }
)
"""The keywords that providers refuse or do not enforce; all are enforced by Afterturn after the answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rung:
    """Is one way of asking for the object.

    Attributes:
        format: What is recorded with the verdict.
        via: `native` JSON schema; `json_object` mode with the schema in the prompt; or JSON mode that carries the
            schema beside its type.
        shape: What the provider needs changed in the schema.
        schema_in_prompt: Whether the prompt says the schema as well.
    """

    format: ResponseFormat
    via: Via = "native"
    shape: Shape
    schema_in_prompt: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """Is how one kind of provider is asked.

    Attributes:
        name: Name of the dialect.
        rungs: The ways of asking, the best first.
        strict: What `strict` says beside a native schema, or None to leave it to the client library.
        shapes_itself: Whether the schema goes out exactly as shaped here, past the client library's own changes.
        logprobs: Whether to ask for token log-probabilities.
        max_completion_tokens: False where the server knows `max_tokens` and not `max_completion_tokens`.
        no_thinking: Body fields that switch thinking off where the client library knows no way, else empty.
        broken_schema_mode: Index of the rung to try when the server answers 500 to a schema that never worked.
    """

    name: str
    rungs: tuple[Rung, ...]
    strict: bool | None = None
    shapes_itself: bool = False
    logprobs: bool = False
    max_completion_tokens: bool = True
    no_thinking: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    broken_schema_mode: int | None = None


def plain(schema: JsonObject) -> JsonObject:
    """Leaves the schema as it is."""
    return schema


def without(schema: JsonObject, keywords: Collection[str]) -> JsonObject:
    """Drops keywords from a schema and all its parts; names of properties are no keywords."""

    def dropped(part: JsonObject) -> JsonObject:
        return {key: value for key, value in part.items() if key not in keywords}

    return mapped(schema, dropped)


def unbounded(schema: JsonObject) -> JsonObject:
    """Drops every bound: the shape of the second rung."""
    return without(schema, BOUNDS)


def mapped(schema: JsonObject, change: Callable[[JsonObject], JsonObject]) -> JsonObject:
    """Applies a change to a schema and to each schema in it, the inner ones first. Sequences become lists."""
    found: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key == "properties" and isinstance(value, Mapping):
            found[key] = {n: mapped(v, change) if isinstance(v, Mapping) else v for n, v in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, Mapping):
            found[key] = mapped(value, change)
        elif key in ("anyOf", "allOf", "oneOf") and isinstance(value, Sequence) and not isinstance(value, str):
            found[key] = [mapped(v, change) if isinstance(v, Mapping) else v for v in value]
        elif isinstance(value, tuple):
            found[key] = list(value)
        else:
            found[key] = value
    return change(found)
