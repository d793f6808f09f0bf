"""Finds the writer of a report by its format."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TextIO

from afterturn.errors import UsageError
from afterturn.evals._outcome import Outcome
from afterturn.evals._run_records import RunSummary
from afterturn.evals._storage import RunFile

Writer = Callable[[RunFile, RunSummary, Outcome, TextIO], None]

# format -> module of this room with `write(run, summary, found, out)`
_WRITERS = {"html": "html", "junit": "junit", "markdown": "markdown", "jsonl": "jsonl"}


def report_formats() -> tuple[str, ...]:
    """The formats of reports."""
    return tuple(_WRITERS)


def open_writer(name: str) -> Writer:
    """Gives the writer of a format: it is called with the run, its figures, what they come to, and where to write.

    Raises:
        UsageError: There is no such format.
    """
    module = _WRITERS.get(name)
    if module is None:
        raise UsageError(f"no report is called {name!r}; there are {', '.join(_WRITERS)}")
    return import_module(f"afterturn.evals.reports.{module}").write
