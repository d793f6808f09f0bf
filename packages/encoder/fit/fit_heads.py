"""Fits the numbers in `afterturn/judges/encoder/_weights.py` on the train files, and prints them as code.

Run: `.venv/bin/python packages/encoder/fit/fit_heads.py` (about two minutes on one core; dev files are not read).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from fit_categories import TRAIN_ROWS, cases, leaving
from fit_logistic import fit
from numpy.typing import NDArray
from rows import DATA, source_rows

from afterturn.judges.encoder import _sources
from afterturn.judges.encoder._load import load_encoder
from afterturn.judges.encoder._weights import Logistic, picked, probabilities

Numbers = NDArray[np.float64]
Case = tuple[Numbers, NDArray[np.bool_]]

NEAR_BEST_SOURCE = 0.6
"""Set by hand: replies of the fitted set rest on many short reviews, those of an agent on one or two passages. Costs
0.005 of F1 on that set and spares most of the passages that are merely about the same matter."""


def f1(cases: Sequence[tuple[Numbers, NDArray[np.bool_]]], cuts: Logistic, limit: int) -> float:
    """Gives the micro F1 of what the cuts pick, over (probabilities, right) pairs."""
    hits = chosen = wanted = 0
    for chances, right in cases:
        found = picked(chances, cuts)[:limit]
        hits += int(right[found].sum()) if found else 0
        chosen += len(found)
        wanted += int(right.sum())
    return 2 * hits / max(chosen + wanted, 1)


def best_cuts(cases: Sequence[Case], model: Logistic, limit: int) -> Logistic:
    """Gives the model with the cuts of the highest F1."""
    scored = [(probabilities(features, model), right) for features, right in cases]
    grid = itertools.product(np.arange(0.2, 0.65, 0.05), (0.0, 0.3, 0.5, 0.6))
    tried = [replace(model, cut=round(float(cut), 2), near_best=share) for cut, share in grid]
    return max(tried, key=lambda cuts: f1(scored, cuts, limit))


def show(name: str, model: Logistic) -> None:
    """Prints a model as the code of `_weights.py`."""
    numbers = ", ".join(f"{value:.3f}" for value in model.weights)
    text = f"{name} = Logistic(\n    weights=({numbers}),\n    bias={model.bias:.3f},\n    cut={model.cut},"
    sys.stdout.write(f"{text}\n    near_best={model.near_best},\n)\n")


def made(weights: Numbers, bias: float) -> Logistic:
    """Makes a model of fitted numbers, its cuts yet to be found."""
    return Logistic(weights=tuple(map(float, weights)), bias=bias, cut=0.5)


def fit_categories(encoder: Any) -> None:
    """Fits how many categories a conversation is about."""
    nearest, further = leaving(cases("train", TRAIN_ROWS, encoder), None)
    show("CATEGORY", nearest)
    show("FURTHER_CATEGORY", further)


def fit_sources(encoder: Any) -> None:
    """Fits which passages a reply rests on."""
    found: list[Case] = []
    for row in source_rows("train", 240):
        stated = _sources.statements(row.reply)
        if stated:
            features = _sources.features(row.question, stated, row.passages, encoder)
            found.append((features, np.array([i in row.cited for i in range(len(row.passages))])))
    features, right = np.vstack([f for f, _ in found]), np.concatenate([r for _, r in found]).astype(float)
    fitted, bias = fit(features, right, np.ones(len(right)), np.zeros(len(right)), 3e-3)
    show("SOURCES", replace(best_cuts(found, made(fitted, bias), 100), near_best=NEAR_BEST_SOURCE))


if __name__ == "__main__":
    if not DATA.is_dir():
        raise SystemExit(f"no labelled data at {DATA}; set AFTERTURN_SHARED")
    model = load_encoder()
    for task in (fit_categories, fit_sources):
        task(model)
