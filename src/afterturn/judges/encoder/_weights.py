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
    weights=(5.963, 4.502, 0.821, -0.923, 0.403),
    bias=-3.882,
    cut=0.15,
)
FURTHER_CATEGORY = Logistic(
    weights=(2.939, 5.840, 4.625, -0.302, 0.276, 0.494, 2.596, 2.179, -4.410),
    bias=-1.309,
    cut=0.55,
)
SOURCES = Logistic(
    weights=(2.385, 3.710, 2.574, -0.532, 6.899, 6.649, 3.808, 1.579),
    bias=0.617,
    cut=0.2,
    near_best=0.6,
)


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
