"""Gemini: any bound and any long enum can be answered by a bare 400, and enum values must be strings.

The log-probabilities are not asked for: few models take them, and the others refuse the whole request.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterturn.judges.dialects._base import Dialect, Rung, mapped, plain, unbounded
from afterturn.turns import JsonObject

LONG_ENUM = 50
"""Entries from which an enum is left to the validation in the reduced schema ("too many states")."""


def strings(schema: JsonObject) -> JsonObject:
    """Makes every enum one of strings that says so."""
    return mapped(schema, _string_enum)


def reduced(schema: JsonObject) -> JsonObject:
    """Drops bounds and long enums."""
    return mapped(unbounded(strings(schema)), _short_enum)


def _string_enum(part: JsonObject) -> JsonObject:
    enum = _enum(part)
    return {**part, "type": "string", "enum": [str(value) for value in enum]} if enum else part


def _short_enum(part: JsonObject) -> JsonObject:
    if len(_enum(part)) < LONG_ENUM:
        return part
    return {key: value for key, value in part.items() if key != "enum"}


def _enum(part: JsonObject) -> Sequence[object]:
    enum = part.get("enum")
    return enum if isinstance(enum, Sequence) and not isinstance(enum, str) else ()


DIALECT = Dialect(
    name="google",
    rungs=(
        Rung(format="json_schema", shape=strings),
        Rung(format="json_schema_reduced", shape=reduced),
        Rung(format="json_object", via="json_object", shape=plain, schema_in_prompt=True),
    ),
    shapes_itself=True,
)
