"""Holds the fitted numbers of the heads; `packages/encoder/fit/fit_heads.py` writes the values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class Logistic:
    """Is a fitted logistic model and the cut on its probability.

    Attributes:
        weights: One weight a feature, in the order in which the head measures them.
        bias: The constant term.
        cut: From which probability on a thing counts as found.
        near_best: A further one also needs this share of the best one's probability.
        band: A probability nearer to the cut than this is unsure.
    """

    weights: tuple[float, ...]
    bias: float
    cut: float
    near_best: float = 0.0
    band: float = 0.1

    def unsure(self, chance: float, cut: float) -> bool:
        """Says whether a probability is too near to a cut to be relied on."""
        return abs(chance - cut) < self.band


CATEGORY = Logistic(
    weights=(5.356, 4.188, 0.806, -1.003),
    bias=-2.065,
    cut=0.25,
)
FURTHER_CATEGORY = Logistic(
    weights=(3.051, 4.470, 5.231, -0.227, 0.246, 0.521, 2.583, 2.356, -4.094),
    bias=-0.960,
    cut=0.5,
)
SOURCES = Logistic(
    weights=(2.385, 3.710, 2.574, -0.532, 6.899, 6.649, 3.808, 1.579),
    bias=0.617,
    cut=0.2,
    near_best=0.6,
)

TOPICS = Logistic(weights=(5.231, 3.066, -3.070, 3.554, 4.096, 0.509), bias=-8.150, cut=0.6)
TOPICS_UNSURE_FROM = 0.05
"""From this probability of a blocked topic on an answer below the cut is unsure; `training/topics` fits all of it."""


def picked(chances: NDArray[np.float64], model: Logistic) -> list[int]:
    """Gives the indices of what counts as found, most probable first.

    Args:
        chances: One probability a thing, at least one.
        model: The model that has the cuts.
    """
    order = [int(index) for index in np.argsort(-chances, kind="stable")]
    best = float(chances[order[0]])
    floor = max(model.cut, best * model.near_best)
    return [index for index in order if chances[index] >= floor]


def probabilities(features: NDArray[np.float64], model: Logistic) -> NDArray[np.float64]:
    """Gives the probability for each row of features.

    Args:
        features: Shape (rows, features).
        model: The fitted model.
    """
    scores = features @ np.asarray(model.weights) + model.bias
    return 1.0 / (1.0 + np.exp(-np.clip(scores, -30, 30)))
