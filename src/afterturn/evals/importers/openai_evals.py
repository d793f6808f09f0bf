"""Reads samples of OpenAI evals: `input` and `ideal`, or an `item` of the evals API."""

from __future__ import annotations

from collections.abc import Iterable

from afterturn.evals.importers._base import Importer, alternatives, first_present, row
from afterturn.formats import is_object
from afterturn.turns import JsonObject

_INPUTS = ("input", "messages", "question", "prompt")
_IDEALS = ("ideal", "expected", "reference", "answer", "correct_label")


def _detects(record: JsonObject) -> bool:
    return "ideal" in record or is_object(record.get("item"))


def _convert(record: JsonObject) -> Iterable[JsonObject]:
    item = record.get("item")
    inner = {**record, **item} if is_object(item) else record
    yield row(
        inner,
        ("id", "item", *_INPUTS, *_IDEALS),
        id=inner.get("id"),
        input=first_present(inner, *_INPUTS),
        expected=alternatives(first_present(inner, *_IDEALS)),
    )


IMPORTER = Importer(detects=_detects, convert=_convert)
