"""Holds the fitted weights of the opinion on tool choice; `training/tools/fit.py` writes them.

Fitted on 9,369 examples of the train files.
"""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "calls": -0.2470,
    "none": -0.4709,
    "none_near": 3.4422,
    "changes": -0.4681,
    "reads": 0.9255,
    "tools": -0.7546,
    "most_of_one": -0.0546,
    "repeated": -0.1176,
    "unknown": 2.2255,
    "ends": 0.2114,
    "ends_unasked": -2.1750,
    "best_offered": -3.4127,
    "best_called": 0.4714,
    "worst_called": 3.3323,
    "missed": -2.4912,
    "stands_out": 2.2997,
    "second": -0.8862,
    "worst_rank": 0.5385,
    "shared_called": -0.7132,
    "shared_worst": 3.4865,
    "shared_missed": -3.1034,
    "nearest_changes": 0.3328,
    "left_undone": -0.0595,
    "condition": -1.1147,
    "condition_only_read": 1.7676,
    "blind": -0.4368,
    "made_up": -1.2950,
    "ungrounded": 0.2808,
    "empty": -3.5318,
    "ends_reading": -0.6375,
    "request_length": -0.0446,
    "parts": -0.2465,
}
BIAS = 1.3196
CUT = 0.50
"""From which probability on a choice fits."""
