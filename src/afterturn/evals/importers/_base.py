"""Holds what the importers share: what an importer is, and how keys are taken over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from afterturn.formats import is_list, is_object
from afterturn.turns import JsonObject, JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class Importer:
    """Is how one foreign format becomes rows.

    Attributes:
        detects: Says whether a record is of this format.
        convert: Writes a record as rows in Afterturn's own form (CONTRACT "Eval dataset"); mostly one.
        keys: Of a format that is our own form with further keys: those. None for a foreign one, whose keys are its own.
        unpack: Finds the records in a document that is one object as a whole; None where such a document is one record.
    """

    detects: Callable[[JsonObject], bool]
    convert: Callable[[JsonObject], Iterable[JsonObject]]
    keys: frozenset[str] | None = None
    unpack: Callable[[JsonObject], Iterable[JsonValue] | None] = lambda _: None


def row(record: JsonObject, used: Iterable[str], **fields: JsonValue) -> JsonObject:
    """Makes a row of the fields that are there; what of the record is not used goes to the metadata."""
    taken = set(used) | {"metadata"}
    metadata: dict[str, JsonValue] = {key: value for key, value in record.items() if key not in taken and value}
    given = record.get("metadata")
    if is_object(given):
        metadata |= given
    wire = {key: value for key, value in fields.items() if value is not None}
    return {**wire, "metadata": metadata} if metadata else wire


def alternatives(value: JsonValue) -> JsonValue:
    """Takes a list of right answers as it is, one alone out of its list, and none as nothing."""
    if is_list(value):
        return value[0] if len(value) == 1 else (list(value) or None)
    return value


def first_present(record: Mapping[str, JsonValue], *keys: str) -> JsonValue:
    """Gives the value of the first of the keys that has one."""
    return next((record[key] for key in keys if record.get(key) not in (None, "", [])), None)
