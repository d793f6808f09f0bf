"""Holds the fitted weights of the encoder's groundedness; `training/grounding/fit.py` writes them.

Fitted on 1,750 replies of the train files.
"""

from __future__ import annotations

from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "overlap": 2.2211,
    "pairs": 0.9095,
    "near": -1.7408,
    "support": 9.4540,
    "sentence_support": 6.9297,
    "worst_support": 1.0011,
}
BIAS = -1.0782
CUT = 0.50
"""From which probability on the answer is yes."""
