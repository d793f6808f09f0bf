"""Holds the fitted weights of the encoder's groundedness; `training/grounding/fit.py` writes them.

Fitted on 1,750 replies of the train files.
"""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "overlap": 2.5070,
    "pairs": 0.9759,
    "near": -2.4649,
    "support": 7.6575,
    "sentence_support": 7.3825,
    "worst_support": 0.2871,
}
BIAS = -0.9274
CUT = 0.50
"""From which probability on the answer is yes."""
