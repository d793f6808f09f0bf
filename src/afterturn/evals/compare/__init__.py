"""Compares two runs row by row: is the difference more than chance, and how large would it have to be to be seen?"""

from __future__ import annotations

from afterturn.evals.compare._compare import compare_runs
from afterturn.evals.compare._records import FEWEST_ROWS, LEVEL, POWER, Comparison, Figure, Finding, Flip, Side
from afterturn.evals.compare._words import comparison_to_json, told

__all__ = [
    "FEWEST_ROWS",
    "LEVEL",
    "POWER",
    "Comparison",
    "Figure",
    "Finding",
    "Flip",
    "Side",
    "compare_runs",
    "comparison_to_json",
    "told",
]
