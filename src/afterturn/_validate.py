"""Checks a judge's answer field by field: bounds and closed lists hold here, whatever the provider enforced."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from afterturn.errors import SchemaViolationError
from afterturn.turns import JsonObject, JsonValue

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_ENCODER = json.JSONEncoder(sort_keys=True, default=list)  # json.dumps would make a new one a call


def checked_field(schema: JsonObject, value: JsonValue) -> tuple[JsonValue, int]:
    """Checks one field against its schema, after the repairs that lose nothing anybody asked for.

    Values outside a closed list are dropped and counted, lists are de-duplicated and cut to `maxItems`, strings are cut
    to `maxLength` on a word boundary, integers are clamped to their bounds (a float without a fraction is one).

    Args:
        schema: JSON schema of the field.
        value: What the judge gave.

    Returns:
        The repaired value and how many values were dropped.

    Raises:
        SchemaViolationError: The value does not fit; the message names the keyword, not the value.

    Example:
        >>> checked_field({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2}, ["b", "x", "b"])
        (['b'], 1)
    """
    repaired, dropped = _repair(schema, value)
    validator: Any = _validator(_ENCODER.encode(schema))  # its types are not complete
    error = next(iter(validator.iter_errors(repaired)), None)
    if error is not None:
        raise SchemaViolationError(f"a field of the answer violates the keyword {error.validator!r}")
    return repaired, dropped


def _repair(schema: JsonObject, value: JsonValue) -> tuple[JsonValue, int]:
    branches = schema.get("anyOf")
    if isinstance(branches, Sequence) and not isinstance(branches, str):
        branch = next((b for b in branches if isinstance(b, Mapping) and b.get("type") != "null"), None)
        return (value, 0) if value is None or branch is None else _repair(branch, value)
    if isinstance(value, bool) or value is None:
        return value, 0
    if isinstance(value, str):
        return _cut(value, schema.get("maxLength")), 0
    if isinstance(value, int | float):
        return _clamped(schema, value), 0
    if isinstance(value, Sequence):
        return _from_list(schema, value)
    return value, 0


def _from_list(schema: JsonObject, values: Sequence[JsonValue]) -> tuple[JsonValue, int]:
    items = schema.get("items")
    enum = items.get("enum") if isinstance(items, Mapping) else None
    kept: list[JsonValue] = []
    dropped = 0
    for value in values:
        if isinstance(enum, Sequence) and isinstance(value, str) and value not in enum:
            dropped += 1
        elif value not in kept:
            kept.append(value)
    most = schema.get("maxItems")
    return (kept[:most] if isinstance(most, int) else kept), dropped


def _cut(text: str, most: JsonValue) -> str:
    if not isinstance(most, int) or len(text) <= most:
        return text
    head = text[:most]
    space = head.rfind(" ")
    return (head[:space] if space >= most // 2 else head).rstrip()


def _clamped(schema: JsonObject, number: float) -> JsonValue:
    if not math.isfinite(number):
        raise SchemaViolationError("a field of the answer is no finite number")
    if schema.get("type") == "integer" and float(number).is_integer():
        number = int(number)
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(least, int | float):
        number = max(number, least)
    return min(number, most) if isinstance(most, int | float) else number


@lru_cache(maxsize=512)
def _validator(schema: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # here, since importing afterturn must stay light

    return Draft202012Validator(json.loads(schema))
