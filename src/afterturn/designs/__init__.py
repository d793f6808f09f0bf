"""Measures the older design, a mandatory reporting tool in the loop, against answer-first (SPEC B10)."""

from __future__ import annotations

from afterturn.designs._conversations import load_setting
from afterturn.designs._figures import DesignFigures, Rate, comparison_to_json, figures
from afterturn.designs._markdown import rows, write_markdown
from afterturn.designs._prompt import long_prompt
from afterturn.designs._records import DESIGNS, CatchUp, Comparison, DesignName, Tokens, TurnFound
from afterturn.designs._run import Plan, compare_designs

__all__ = [
    "DESIGNS",
    "CatchUp",
    "Comparison",
    "DesignFigures",
    "DesignName",
    "Plan",
    "Rate",
    "Tokens",
    "TurnFound",
    "compare_designs",
    "comparison_to_json",
    "figures",
    "load_setting",
    "long_prompt",
    "rows",
    "write_markdown",
]
