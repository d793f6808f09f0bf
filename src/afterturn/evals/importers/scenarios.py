"""Reads scenarios of `afterturn simulate`: rows of our own form that may leave the first word to the customer."""

from __future__ import annotations

from collections.abc import Iterable

from afterturn.evals.importers._base import Importer
from afterturn.turns import JsonObject

_UNSAID = "(the customer begins)"
_OF_THE_CUSTOMER = frozenset({"goal", "situation", "persona", "opening", "moves", "facts"})
_KEYS = _OF_THE_CUSTOMER | {"patience", "opens"}


def _detects(record: JsonObject) -> bool:
    return "input" not in record and "messages" not in record and not _OF_THE_CUSTOMER.isdisjoint(record)


def _convert(record: JsonObject) -> Iterable[JsonObject]:
    if record.get("input") not in (None, "", []):
        yield record
        return
    told = record.get("situation") or record.get("goal") or _UNSAID
    yield {**record, "input": told, "opens": "customer"}


IMPORTER = Importer(detects=_detects, convert=_convert, keys=_KEYS)
