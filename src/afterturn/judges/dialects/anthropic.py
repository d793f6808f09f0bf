"""Anthropic: bounds are not taken, so they become prose; `additionalProperties` must be false on every object."""

from __future__ import annotations

from afterturn.judges.dialects._base import BOUNDS, Dialect, Rung, mapped, plain, without
from afterturn.turns import JsonObject, JsonValue


def prose(schema: JsonObject) -> JsonObject:
    """Writes the bounds into the descriptions and closes every object."""
    return mapped(schema, _with_prose)


def bare(schema: JsonObject) -> JsonObject:
    """Closes every object and drops bounds and descriptions."""
    return without(mapped(schema, _closed), BOUNDS | {"description", "title"})


def _with_prose(part: JsonObject) -> JsonObject:
    kept: dict[str, JsonValue] = {key: value for key, value in _closed(part).items() if key not in BOUNDS}
    bounds = ", ".join(f"{key} {value}" for key, value in part.items() if key in BOUNDS)
    if bounds:
        described = part.get("description")
        kept["description"] = f"{described} ({bounds})" if isinstance(described, str) else bounds
    return kept


def _closed(part: JsonObject) -> JsonObject:
    return {**part, "additionalProperties": False} if part.get("type") == "object" else part


DIALECT = Dialect(
    name="anthropic",
    rungs=(
        Rung(format="json_schema", shape=prose),
        Rung(format="json_schema_reduced", shape=bare),
        Rung(format="json_object", via="json_object", shape=plain, schema_in_prompt=True),
    ),
    strict=True,
    shapes_itself=True,
)
