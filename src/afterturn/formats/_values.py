"""Reads and writes JSON strictly: nothing downstream meets a NaN, a lone surrogate or a bottomless nest."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast

from afterturn.formats._problem import FormatProblem
from afterturn.turns import JsonObject, JsonValue

MAX_DEPTH = 100
"""Levels of nesting that a record may have; deeper ones end the recursion of common JSON libraries."""

_DEEP_HINT = f"a turn may be nested {MAX_DEPTH} levels deep"
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_CANONICAL = json.JSONEncoder(ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))
_NO_OBJECTS = frozenset({type(None), str, bool, int, float, list, tuple})  # asking an abstract class is slow
_LINE_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


def parse_json(text: str) -> JsonValue:
    """Parses one JSON document, strictly: no NaN, no infinity, no key twice in one object.

    Raises:
        FormatProblem: With the column of the mistake, never with the text.
    """
    try:
        value: object = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        problem = FormatProblem(
            f"not valid JSON (column {error.colno}: {error.msg.lower()})", "write each record as one JSON object a line"
        )
    except RecursionError:
        problem = FormatProblem("the JSON is nested too deeply", _DEEP_HINT)
    except ValueError:
        problem = FormatProblem("a number in the JSON has too many digits", "write long numbers as strings")
    else:
        return to_plain(value)
    # Raised out here: the decoder's error carries the whole text and must not travel along as the context.
    raise problem


def parse_arguments(text: str) -> JsonObject | None:
    """Parses the arguments of a tool call as a model wrote them; None where they are no JSON object.

    Models write nothing at all for a call without arguments, so blank text is an empty object.
    """
    if not text.strip():
        return {}
    try:
        value = to_plain(json.loads(text, parse_constant=_no_constant))
    except (ValueError, RecursionError, FormatProblem):
        return None
    return value if is_object(value) else None


def dump_json(value: JsonValue) -> str:
    """Writes a plain JSON value on one line: readable letters, no line break that any reader might split at."""
    text = _ENCODER.encode(value)
    return text if text.isascii() else text.translate(_LINE_BREAKS)


def canonical_json(value: JsonValue) -> str:
    """Writes a plain JSON value so that equal values give equal text, whatever the order of their keys."""
    return _CANONICAL.encode(value)


def to_plain(value: object, depth: int = MAX_DEPTH) -> JsonValue:
    """Copies a JSON value into dicts and lists, lone surrogates replaced by U+FFFD.

    Raises:
        FormatProblem: For NaN, infinity, an object that JSON does not have, or more than `MAX_DEPTH` levels.
    """
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FormatProblem("a number is NaN or infinite", "JSON has no such number; write null")
        return value
    if depth == 0:
        raise FormatProblem("the record is nested too deeply", _DEEP_HINT)
    depth -= 1
    if isinstance(value, (list, tuple)):
        return [
            item if type(item) is str and item.isascii() else to_plain(item, depth)
            for item in cast(Sequence[object], value)
        ]
    if is_object(cast(JsonValue, value)):
        items = cast(Mapping[object, object], value).items()
        # Most keys and values are plain ASCII: taken as they are, for a call each would cost more than the copy.
        return {
            key if type(key) is str and key.isascii() else _clean_key(key): (
                item if type(item) is str and item.isascii() else to_plain(item, depth)
            )
            for key, item in items
        }
    raise FormatProblem(
        "a value is of a type that JSON does not have", "use null, booleans, numbers, strings, lists, objects"
    )


def clean_text(text: str) -> str:
    """Joins surrogate pairs and replaces lone surrogates by U+FFFD, so that the text can be encoded anywhere."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def is_object(value: JsonValue) -> TypeGuard[JsonObject]:
    """Says whether a JSON value is an object."""
    kind = type(value)
    return kind is dict or (kind not in _NO_OBJECTS and isinstance(value, Mapping))


def is_list(value: JsonValue) -> TypeGuard[Sequence[JsonValue]]:
    """Says whether a JSON value is a list (a string, being a sequence too, is none)."""
    return isinstance(value, (list, tuple))


def _clean_key(key: object) -> str:
    if not isinstance(key, str):
        raise FormatProblem("a key of an object is no string", "JSON keys are strings")
    return clean_text(key)


def _no_constant(_: str) -> Any:
    raise FormatProblem("a number is NaN or infinite", "JSON has no such number; write null")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuses an object that holds a key twice: two readers would see two different turns in it."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise FormatProblem("an object holds the same key twice", "keep one of the two")
    return found
