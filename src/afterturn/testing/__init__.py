"""Helps to test what uses judges, and judges and classifiers themselves: a scripted judge, checks of the contracts."""

from __future__ import annotations

from afterturn.testing._classifiers import check_classifier, sample_turns
from afterturn.testing._judges import CANARY, HANG, Hang, Script, ScriptedJudge, Step, check_judge, sample_call

__all__ = [
    "CANARY",
    "HANG",
    "Hang",
    "Script",
    "ScriptedJudge",
    "Step",
    "check_classifier",
    "check_judge",
    "sample_call",
    "sample_turns",
]
