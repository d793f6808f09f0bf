"""Holds the fitted weights of the opinion on tool choice; `training/tools/fit.py` writes them.

Fitted on 9,369 examples of the train files.
"""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "calls": -0.4910,
    "none": -0.7201,
    "none_near": 4.7271,
    "changes": -0.2573,
    "reads": 1.1311,
    "tools": -0.8972,
    "most_of_one": -0.1110,
    "repeated": -0.1157,
    "unknown": 2.6947,
    "ends": 0.1930,
    "ends_unasked": -2.3201,
    "best_offered": -3.7165,
    "best_called": 0.8338,
    "worst_called": 3.7901,
    "missed": -3.2158,
    "stands_out": 2.3353,
    "second": -0.9382,
    "worst_rank": 0.7535,
    "shared_called": -0.9473,
    "shared_worst": 3.2505,
    "shared_missed": -3.1837,
    "nearest_changes": 0.2367,
    "left_undone": 0.0524,
    "condition": -1.2366,
    "condition_only_read": 1.8727,
    "blind": -0.4133,
    "made_up": -1.2298,
    "ungrounded": 0.1600,
    "empty": -3.5533,
    "ends_reading": -0.7207,
    "request_length": -0.0482,
    "parts": -0.2633,
}
BIAS = 1.4665
CUT = 0.46
"""From which probability on the answer is yes."""
