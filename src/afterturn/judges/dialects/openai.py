"""OpenAI: strict JSON schema. `uniqueItems` would silently turn strict off, so it is not sent."""

from __future__ import annotations

from afterturn.judges.dialects._base import Dialect, Rung, plain, unbounded, without
from afterturn.turns import JsonObject


def strict(schema: JsonObject) -> JsonObject:
    """Drops what strict mode does not take."""
    return without(schema, {"uniqueItems", "format"})


DIALECT = Dialect(
    name="openai",
    rungs=(
        Rung(format="json_schema", shape=strict),
        Rung(format="json_schema_reduced", shape=unbounded),
        Rung(format="json_object", via="json_object", shape=plain, schema_in_prompt=True),
    ),
    strict=True,
    shapes_itself=True,
    logprobs=True,
)
