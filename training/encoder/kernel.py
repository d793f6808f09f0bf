"""Fits heads that compare a text with rows they were fitted to: ridge regression on a Gaussian kernel, numpy alone.

A linear head asks along how many directions a text leans; this one asks which rows it is like. Of the rows only those
that move it most are kept as anchors (reduced by a Nyström fit on them; Williams and Seeger 2001), as int8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

ANCHORS = 1_600
STEP = 1 / 8
"""Anchors are whole numbers of such steps: standardised values lie within sixteen of nought."""

WIDTH = 1.0
RIDGE = 0.2
SHARPNESS = 6.0
"""Scores of ridge regression lie about one apart; so much larger they are logits of about the right size."""


def fit(
    features: Numbers, wanted: NDArray[np.int64], labels: int, weights: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """Fits one head.

    Args:
        features: Standardised vectors of the rows, shape (rows, dimensions).
        wanted: The label of each row, by number.
        labels: How many labels there are.
        weights: How much each row counts.

    Returns:
        The anchors, shape (anchors, dimensions); weights, shape (labels, anchors); biases, shape (labels,).
    """
    target = np.eye(labels)[wanted]
    weights = weights * _evening(wanted, labels, weights)
    bias = weights @ target / weights.sum()
    rows = _in_steps(features)
    between = likeness(rows, rows)
    every = between + np.diag(RIDGE / weights)
    moves = np.abs(np.linalg.solve(every, target - bias)).sum(axis=1)
    kept = np.sort(np.argsort(-moves)[:ANCHORS])
    seen = between[:, kept]
    inner = (seen * weights[:, None]).T @ seen + RIDGE * between[np.ix_(kept, kept)] + 1e-6 * np.eye(len(kept))
    found = np.linalg.solve(inner, (seen * weights[:, None]).T @ (target - bias))
    return rows[kept], SHARPNESS * found.T, SHARPNESS * bias


def likeness(texts: Numbers, anchors: Numbers) -> Numbers:
    """Gives how like each text is to each anchor, 0 to 1, shape (texts, anchors)."""
    apart = (texts**2).sum(axis=1)[:, None] + (anchors**2).sum(axis=1)[None] - 2 * texts @ anchors.T
    return np.exp(-WIDTH / anchors.shape[1] * np.maximum(apart, 0.0))


def steps(anchors: Numbers) -> NDArray[np.int8]:
    """Writes anchors as whole numbers of steps."""
    return np.round(anchors / STEP).astype(np.int8)


def _in_steps(features: Numbers) -> Numbers:
    return np.clip(np.round(features / STEP), -127, 127) * STEP


def _evening(wanted: NDArray[np.int64], labels: int, weights: Numbers) -> Numbers:
    """Gives factors by which every label counts the same in all."""
    sums = np.bincount(wanted, weights, minlength=labels)
    return (weights.sum() / labels / np.maximum(sums, 1e-9))[wanted]
