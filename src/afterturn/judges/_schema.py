"""Builds the JSON schema of a call's answer, as it goes over the wire, and reads long closed lists back.

Closed lists past 100 entries or 10,000 characters are sent as short opaque ids (`k1`, `k2`, …): providers limit the
size of an enum, and a constrained decoder slows down with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from afterturn.calls import Call
from afterturn.turns import JsonObject, JsonValue

MAX_ENUM_ENTRIES = 100
MAX_ENUM_CHARACTERS = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class WireSchema:
    """Is the schema of the whole answer and the ids that stand for names in it.

    Attributes:
        schema: JSON schema of the answer: one object, every field required, nothing else allowed.
        codes: By field name, the value behind each opaque id; empty for fields whose enum is sent as it is.
    """

    schema: JsonObject
    codes: Mapping[str, Mapping[str, str]]

    def decode(self, values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Puts the names back where an answer has opaque ids; an unknown id stays and is dropped by validation."""
        return {name: _decode(value, self.codes.get(name, {})) for name, value in values.items()}


def wire_schema(call: Call) -> WireSchema:
    """Builds the schema that declares the fields of this call's questions and no others."""
    properties: dict[str, JsonValue] = {}
    codes: dict[str, Mapping[str, str]] = {}
    for question in call.questions:
        for name, schema in question.fields.items():
            names = enum_of(schema)
            if len(names) > MAX_ENUM_ENTRIES or sum(map(len, names)) > MAX_ENUM_CHARACTERS:
                codes[name] = {f"k{number}": value for number, value in enumerate(names, start=1)}
            properties[name] = _with_enum(schema, tuple(codes[name])) if name in codes else schema
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return WireSchema(schema=schema, codes=codes)


def enum_of(schema: JsonObject) -> tuple[str, ...]:
    """Finds the closed list of a field: its own enum, its items', or that of one branch of its anyOf."""
    enum = schema.get("enum")
    if isinstance(enum, Sequence) and not isinstance(enum, str):
        return tuple(str(value) for value in enum)
    items = schema.get("items")
    if isinstance(items, Mapping):
        return enum_of(items)
    branches = schema.get("anyOf")
    if isinstance(branches, Sequence) and not isinstance(branches, str):
        for branch in branches:
            if isinstance(branch, Mapping) and (found := enum_of(branch)):
                return found
    return ()


def _with_enum(schema: JsonObject, ids: tuple[str, ...]) -> JsonObject:
    changed = dict(schema)
    if "enum" in schema:
        changed["enum"] = ids
    items, branches = schema.get("items"), schema.get("anyOf")
    if isinstance(items, Mapping):
        changed["items"] = _with_enum(items, ids)
    if isinstance(branches, Sequence) and not isinstance(branches, str):
        changed["anyOf"] = [_with_enum(branch, ids) if isinstance(branch, Mapping) else branch for branch in branches]
    return changed


def _decode(value: JsonValue, codes: Mapping[str, str]) -> JsonValue:
    if not codes:
        return value
    if isinstance(value, str):
        return codes.get(value, value)
    if isinstance(value, Sequence):
        return [codes.get(item, item) if isinstance(item, str) else item for item in value]
    return value
