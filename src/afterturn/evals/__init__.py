"""Runs an agent over a dataset before it ships: rows, targets, rubrics, assertions, runs (SPEC D)."""

from __future__ import annotations

from afterturn.evals._dataset import Dataset, open_dataset
from afterturn.evals._evidence import clip, evidence, neutral
from afterturn.evals._grading import Grader
from afterturn.evals._judging import JudgeGrader, grading_call, open_grader
from afterturn.evals._outcome import MIN_COVERAGE, Outcome, outcome
from afterturn.evals._prices import PerCall, Prices, load_prices
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
from afterturn.evals._row import RowRunner, Setup
from afterturn.evals._rows import read_row, row_to_json, with_content
from afterturn.evals._rubric import Rubric, load_rubric, rubric_names
from afterturn.evals._run import Parts, new_header, refuse_other, resume_run, start_run
from afterturn.evals._run_records import Agreement, Cost, Mean, RubricRef, RunHeader, RunSummary
from afterturn.evals._runner import run_rows
from afterturn.evals._storage import RunFile, RunWriter, drop_errors
from afterturn.evals._summary import Tally, summarize, summary_to_json

__all__ = [
    "JUDGED",
    "MIN_COVERAGE",
    "PASS_SCORE",
    "STATES",
    "Agreement",
    "AssertionResult",
    "Cost",
    "Dataset",
    "ExpectedCall",
    "Grader",
    "JudgeGrader",
    "Mean",
    "Outcome",
    "Parts",
    "PerCall",
    "Prices",
    "Reply",
    "Row",
    "RowResult",
    "RowRunner",
    "Rubric",
    "RubricRef",
    "RunFile",
    "RunHeader",
    "RunSummary",
    "RunWriter",
    "Score",
    "Setup",
    "State",
    "Tally",
    "clip",
    "drop_errors",
    "evidence",
    "grading_call",
    "load_prices",
    "load_rubric",
    "neutral",
    "new_header",
    "open_dataset",
    "open_grader",
    "outcome",
    "read_row",
    "redact_personal",
    "redact_secrets",
    "refuse_other",
    "resume_run",
    "row_to_json",
    "rubric_names",
    "run_rows",
    "start_run",
    "summarize",
    "summary_to_json",
    "with_content",
]
