"""Compares two runs row by row, and a judge with people: is the difference more than chance, and how large is it?"""

from __future__ import annotations

from afterturn.evals.compare._compare import compare_runs
from afterturn.evals.compare._judge import BandAgreement, JudgeAgreement, judge_agreement
from afterturn.evals.compare._labels import HumanLabel, read_human_labels
from afterturn.evals.compare._records import FEWEST_ROWS, LEVEL, POWER, Comparison, Figure, Finding, Flip, Side
from afterturn.evals.compare._words import comparison_to_json, told

__all__ = [
    "FEWEST_ROWS",
    "LEVEL",
    "POWER",
    "BandAgreement",
    "Comparison",
    "Figure",
    "Finding",
    "Flip",
    "HumanLabel",
    "JudgeAgreement",
    "Side",
    "compare_runs",
    "comparison_to_json",
    "judge_agreement",
    "read_human_labels",
    "told",
]
