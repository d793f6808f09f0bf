"""Holds JSON from outside against a schema that a user wrote; the schema's patterns run for so long and no longer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, cast

from afterturn.errors import UsageError
from afterturn.evals._patterns import BoundedPattern
from afterturn.formats import is_list, is_object
from afterturn.turns import JsonObject, JsonValue

_WHERE = "a pattern of the schema"


def bounded_validator(schema: JsonObject, **options: Any) -> Any:
    """Makes the validator (JSON Schema 2020-12) of a schema.

    Args:
        schema: A valid schema.
        **options: What else the validator takes (`registry`).

    Raises:
        UsageError: A pattern in it is no regular expression, or has no bounded way to be checked.
    """
    patterns = set(_patterns(schema))
    for pattern in patterns:
        BoundedPattern(pattern, _WHERE)
    if patterns and _has_key(schema, "unevaluatedProperties") and _has_key(schema, "patternProperties"):
        raise UsageError("unevaluatedProperties beside patternProperties is not checked; use additionalProperties")
    return _kind()(cast(Any, schema), **options)


def _patterns(value: JsonValue) -> Iterator[str]:
    """Gives all that stands where patterns stand; what only looks like one does no harm."""
    if is_list(value):
        for item in value:
            yield from _patterns(item)
    elif is_object(value):
        pattern, properties = value.get("pattern"), value.get("patternProperties")
        if isinstance(pattern, str):
            yield pattern
        if is_object(properties):
            yield from properties
        for item in value.values():
            yield from _patterns(item)


def _has_key(value: JsonValue, key: str) -> bool:
    if is_list(value):
        return any(_has_key(item, key) for item in value)
    return is_object(value) and (key in value or any(_has_key(item, key) for item in value.values()))


@cache
def _kind() -> Any:
    from jsonschema import Draft202012Validator, validators  # here, since importing afterturn must stay light

    keywords: Any = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    return cast(Any, validators).extend(Draft202012Validator, keywords)


def _error(message: str) -> Any:
    from jsonschema import ValidationError

    return ValidationError(message)


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, str) and not BoundedPattern(pattern, _WHERE).found(instance):
        yield _error("does not match the pattern")


def _pattern_properties(validator: Any, properties: Mapping[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for pattern, inner in properties.items():
        search = BoundedPattern(pattern, _WHERE)
        for key, value in cast("dict[str, Any]", instance).items():
            if search.found(key):
                yield from validator.descend(value, inner, path=key, schema_path=pattern)


def _additional_properties(validator: Any, inner: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    known = schema.get("properties", {})
    searches = [BoundedPattern(pattern, _WHERE) for pattern in schema.get("patternProperties", {})]
    given = cast("dict[str, Any]", instance)
    others = [key for key in given if key not in known and not any(search.found(key) for search in searches)]
    if inner is False and others:
        yield _error("has properties that the schema does not name")
    elif inner is not False and inner is not True:
        for key in others:
            yield from validator.descend(given[key], inner, path=key)
