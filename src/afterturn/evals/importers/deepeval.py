"""Reads goldens and test cases of deepeval, of one turn and of several."""

from __future__ import annotations

from collections.abc import Iterable

from afterturn.evals.importers._base import Importer, first_present, row
from afterturn.formats import is_list, is_object
from afterturn.turns import JsonObject, JsonValue

_OWN = ("expected_output", "actual_output", "retrieval_context", "expected_tools", "tools_called", "expected_outcome")
_LISTS = ("goldens", "test_cases", "testCases", "conversational_goldens")
_CAMEL = {
    "expectedOutput": "expected_output",
    "actualOutput": "actual_output",
    "retrievalContext": "retrieval_context",
    "expectedTools": "expected_tools",
    "toolsCalled": "tools_called",
    "expectedOutcome": "expected_outcome",
    "additionalMetadata": "additional_metadata",
}


def _detects(record: JsonObject) -> bool:
    return any(key in record for key in (*_OWN, *_CAMEL))


def _unpack(document: JsonObject) -> Iterable[JsonValue] | None:
    for key in _LISTS:
        items = document.get(key)
        if is_list(items):
            return items  # one that is no object is told with its place
    return None


def _convert(record: JsonObject) -> Iterable[JsonObject]:
    record = {_CAMEL.get(key, key): value for key, value in record.items()}
    outcome = record.get("expected_outcome")
    more = record.get("additional_metadata")
    metadata = {**more} if is_object(more) else {}
    yield row(
        {**record, "metadata": metadata} if metadata else record,
        ("id", "name", "input", "turns", "scenario", "expected_output", "context", "retrieval_context",
         "expected_tools", "expected_outcome", "additional_metadata"),
        id=first_present(record, "id", "name"),
        input=first_present(record, "input", "turns", "scenario"),
        expected=first_present(record, "expected_output"),
        context=_context(first_present(record, "retrieval_context", "context")),
        criteria=outcome if isinstance(outcome, str) and outcome else None,
        expected_tool_calls=_calls(record.get("expected_tools")),
    )  # fmt: skip


def _context(value: JsonValue) -> JsonValue:
    """A CSV file holds the texts joined by `|` or `;`, or a JSON list that nobody parsed."""
    return [part.strip() for part in value.split("|") if part.strip()] if isinstance(value, str) else value


def _calls(value: JsonValue) -> JsonValue:
    if not is_list(value):
        return None
    return [_call(item) for item in value]


def _call(item: JsonValue) -> JsonValue:
    if not is_object(item):
        return item
    return {"name": item.get("name"), "arguments": first_present(item, "input_parameters", "inputParameters")}


IMPORTER = Importer(detects=_detects, convert=_convert, unpack=_unpack)
