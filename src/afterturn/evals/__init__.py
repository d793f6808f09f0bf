"""Runs an agent over a dataset before it ships: rows, targets, rubrics, assertions, runs (SPEC D)."""

from __future__ import annotations

from afterturn.evals._records import (
    JUDGED,
    PASS_SCORE,
    STATES,
    AssertionResult,
    ExpectedCall,
    Reply,
    Row,
    RowResult,
    Score,
    State,
)
from afterturn.evals._redact import redact_personal, redact_secrets
from afterturn.evals._rows import read_row, row_to_json, with_content
from afterturn.evals._run_records import Agreement, Cost, Mean, RubricRef, RunHeader, RunSummary
from afterturn.evals._storage import RunFile, RunWriter

__all__ = [
    "JUDGED",
    "PASS_SCORE",
    "STATES",
    "Agreement",
    "AssertionResult",
    "Cost",
    "ExpectedCall",
    "Mean",
    "Reply",
    "Row",
    "RowResult",
    "RubricRef",
    "RunFile",
    "RunHeader",
    "RunSummary",
    "RunWriter",
    "Score",
    "State",
    "read_row",
    "redact_personal",
    "redact_secrets",
    "row_to_json",
    "with_content",
]
