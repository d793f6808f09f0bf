"""Checks a judge: whether its scores move by order, by length or by a verdict that the judged text plants."""

from __future__ import annotations

from afterturn.evals.steadiness._figures import MOVED_BY, Moves, figures
from afterturn.evals.steadiness._probes import CHECKS, Check, Probe, plants, probes
from afterturn.evals.steadiness._rows import PLAIN, Trial, reply_of, trial_of, varied
from afterturn.evals.steadiness._run import SteadinessParts, dataset_of, header_of, open_check

__all__ = [
    "CHECKS",
    "MOVED_BY",
    "PLAIN",
    "Check",
    "Moves",
    "Probe",
    "SteadinessParts",
    "Trial",
    "dataset_of",
    "figures",
    "header_of",
    "open_check",
    "plants",
    "probes",
    "reply_of",
    "trial_of",
    "varied",
]
