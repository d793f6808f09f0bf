"""Runs the live regression suites on any list of models, and says what holds and what does not (SPEC D7)."""

from __future__ import annotations

from afterturn.regress._checks import CHECKS
from afterturn.regress._models import Answering, ModelAnswers
from afterturn.regress._records import CHECK_STATES, Check, CheckState, ModelReport, RegressReport, Seen
from afterturn.regress._run import Settings, regress
from afterturn.regress._suites import Suite, SuiteTurn, load_suites, portal_prompt, suite_names

__all__ = [
    "CHECKS",
    "CHECK_STATES",
    "Answering",
    "Check",
    "CheckState",
    "ModelAnswers",
    "ModelReport",
    "RegressReport",
    "Seen",
    "Settings",
    "Suite",
    "SuiteTurn",
    "load_suites",
    "portal_prompt",
    "regress",
    "suite_names",
]
