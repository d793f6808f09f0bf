"""Finds the importer of a format, by its name or by what a record looks like."""

from __future__ import annotations

import difflib
from importlib import import_module

from afterturn.errors import UsageError
from afterturn.evals.importers._base import Importer
from afterturn.turns import JsonObject

OWN = "afterturn"
"""The name of the format that needs no importer."""

# name -> module, in the order in which they are asked whether they know a record
_IMPORTERS = {
    "turns": "turns",
    "promptfoo": "promptfoo",
    "inspect": "inspect",
    "openai-evals": "openai_evals",
    "deepeval": "deepeval",
    "scenarios": "scenarios",
}


def format_names() -> tuple[str, ...]:
    """The names of all formats."""
    return (OWN, *_IMPORTERS)


def open_importer(name: str) -> Importer | None:
    """Gives the importer of a format; None for Afterturn's own.

    Raises:
        UsageError: No format has the name.
    """
    if name == OWN:
        return None
    module = _IMPORTERS.get(name)
    if module is None:
        near = difflib.get_close_matches(name, format_names(), n=1)
        guess = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"no dataset format is called {name!r}{guess}; there are {', '.join(format_names())}")
    return import_module(f"{__package__}.{module}").IMPORTER


def detect(record: JsonObject) -> str:
    """Names the format of a record; Afterturn's own where no other fits."""
    own = {"expected", "criteria", "expected_tool_calls"}
    if "input" in record and not own.isdisjoint(record):
        return OWN
    for name in _IMPORTERS:
        importer = open_importer(name)
        if importer is not None and importer.detects(record):
            return name
    return OWN
