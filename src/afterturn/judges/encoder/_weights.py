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


CATEGORIES = Logistic(
    weights=(
        2.098,
        -1.667,
        0.626,
        -2.667,
        0.586,
        2.292,
        1.041,
        2.005,
        4.140,
        -1.607,
        -0.779,
        -0.517,
        2.000,
        2.000,
        1.500,
    ),
    bias=-0.146,
    cut=0.35,
    near_best=0.0,
)
SOURCES = Logistic(
    weights=(0.014, 0.795, 2.744, 2.483, 1.515, 5.182, 5.791, 1.696),
    bias=1.030,
    cut=0.45,
    near_best=0.6,
)
CONCLUSION = Logistic(
    weights=(1.174, -0.337, -1.101, -0.547, -0.787, -0.787, 1.193, 1.484, -4.205),
    bias=0.070,
    cut=0.4,
    near_best=0.0,
)
CONCLUSION_BY_CUES = Logistic(
    weights=(1.805, -0.961, -2.848, -1.132, -1.988, -1.988, 1.832),
    bias=0.213,
    cut=0.6,
    near_best=0.0,
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
