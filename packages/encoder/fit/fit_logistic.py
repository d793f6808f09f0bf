"""Fits a logistic model; the cuts are found elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def fit(features: Numbers, right: Numbers, weights: Numbers, offset: Numbers, l2: float) -> tuple[Numbers, float]:
    """Fits a logistic model by Newton steps on standardised features; the offset is not fitted."""
    mean, spread = features.mean(0), features.std(0) + 1e-9
    design = np.c_[(features - mean) / spread, np.ones(len(features))]
    weights = weights / weights.sum()
    penalty = l2 * np.r_[np.ones(features.shape[1]), 0.0]
    found = np.zeros(design.shape[1])
    for _ in range(40):
        chance = 1 / (1 + np.exp(-(design @ found + offset)))
        slope = design.T @ (weights * (chance - right)) + penalty * found
        curve = (design * (weights * chance * (1 - chance))[:, None]).T @ design + np.diag(penalty + 1e-9)
        found -= np.linalg.solve(curve, slope)
    scaled = found[:-1] / spread
    return scaled, float(found[-1] - (scaled * mean).sum())
