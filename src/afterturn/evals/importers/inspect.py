"""Reads samples of Inspect: `input`, `target`, `choices`, `id`, `metadata`."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_uppercase

from afterturn.evals.importers._base import Importer, alternatives, row
from afterturn.formats import is_list, is_object
from afterturn.turns import JsonObject, JsonValue


def _detects(record: JsonObject) -> bool:
    return "input" in record and "target" in record


def _convert(record: JsonObject) -> Iterable[JsonObject]:
    asked = record.get("input")
    choices = record.get("choices")
    if is_list(choices) and choices:
        asked = _with_choices(asked, [str(choice) for choice in choices])
    yield row(
        record,
        ("id", "input", "target", "choices"),
        id=record.get("id"),
        input=asked,
        expected=alternatives(record.get("target")),
    )


def _with_choices(asked: JsonValue, choices: list[str]) -> JsonValue:
    """Puts the choices under the question as lettered lines: the target is a letter."""
    lines = "\n".join(f"{letter}) {choice}" for letter, choice in zip(ascii_uppercase, choices, strict=False))
    if isinstance(asked, str):
        return f"{asked}\n\n{lines}"
    if is_list(asked) and asked and is_object(asked[-1]) and isinstance(asked[-1].get("content"), str):
        return [*asked[:-1], {**asked[-1], "content": f"{asked[-1]['content']}\n\n{lines}"}]
    return asked


IMPORTER = Importer(detects=_detects, convert=_convert)
