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
from numpy.typing import NDArray
from rows import DATA, source_rows, topic_rows

from afterturn.judges.encoder import _categories, _sources
from afterturn.judges.encoder._load import load_encoder
from afterturn.judges.encoder._weights import Logistic, picked, probabilities

Numbers = NDArray[np.float64]
Case = tuple[Numbers, NDArray[np.bool_]]

MATTERS = np.array([2.0, 2.0, 1.5])
"""Weights of the last three features of a category, set by hand: the public lists are each of one trade and name their
categories by the very words of the messages, so they cannot tell how much a shared matter is worth on a list of
departments. Zero would score 0.02 better on them."""

NEAR_BEST_SOURCE = 0.6
"""Set by hand: replies of the fitted set rest on many short reviews, those of an agent on one or two passages. Costs
0.005 of F1 on that set and spares most of the passages that are merely about the same matter."""

ABSTAINING = 0.05
"""What a share of right abstentions is worth beside F1: lists of agents lack a name for some messages."""

TOPIC_SETS = (
    ("star", 120, False),
    ("multidogo", 200, False),
    ("nlupp-banking", 300, False),
    ("nlupp-banking", 300, True),
    ("clinc150", 300, False),
    ("clinc150", 500, True),
    ("banking77", 250, False),
    ("banking77", 400, True),
)


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


def f1(cases: Sequence[tuple[Numbers, NDArray[np.bool_]]], cuts: Logistic, limit: int) -> float:
    """Gives the micro F1 of what the cuts pick, over (probabilities, right) pairs."""
    hits = chosen = wanted = 0
    for chances, right in cases:
        found = picked(chances, cuts)[:limit]
        hits += int(right[found].sum()) if found else 0
        chosen += len(found)
        wanted += int(right.sum())
    return 2 * hits / max(chosen + wanted, 1)


def abstains(cases: Sequence[Case], cuts: Logistic) -> float | None:
    """Gives how often nothing is picked where nothing is right; None where something always is."""
    empty = [not picked(chances, cuts) for chances, right in cases if not right.any()]
    return float(np.mean(empty)) if empty else None


def best_cuts(groups: Sequence[Sequence[Case]], model: Logistic, limit: int) -> Logistic:
    """Gives the model with the cuts of the highest mean F1 over the groups, a little for abstaining rightly."""
    scored = [[(probabilities(features, model), right) for features, right in group] for group in groups]
    grid = itertools.product(np.arange(0.2, 0.65, 0.05), (0.0, 0.3, 0.5, 0.6))
    tried = [replace(model, cut=round(float(cut), 2), near_best=share) for cut, share in grid]

    def worth(cuts: Logistic) -> float:
        empty = [share for group in scored if (share := abstains(group, cuts)) is not None]
        return float(np.mean([f1(group, cuts, limit) for group in scored]) + ABSTAINING * np.mean(empty or [0.0]))

    return max(tried, key=worth)


def show(name: str, model: Logistic) -> None:
    """Prints a model as the code of `_weights.py`."""
    numbers = ", ".join(f"{value:.3f}" for value in model.weights)
    text = f"{name} = Logistic(\n    weights=({numbers}),\n    bias={model.bias:.3f},\n    cut={model.cut},"
    sys.stdout.write(f"{text}\n    near_best={model.near_best},\n)\n")


def made(weights: Numbers, bias: float) -> Logistic:
    """Makes a model of fitted numbers, its cuts yet to be found."""
    return Logistic(weights=tuple(map(float, weights)), bias=bias, cut=0.5)


def fit_categories(encoder: Any) -> None:
    """Fits which categories a conversation is about; every set weighs the same."""
    groups: list[list[Case]] = []
    for name, limit, short in TOPIC_SETS:
        rows = [row for row in topic_rows(name, "train", limit, short_lists=short) if row.conversation.content]
        groups.append(
            [
                (
                    _categories.features(row.conversation, row.names, row.descriptions, encoder),
                    np.array([n in row.right for n in row.names]),
                )
                for row in rows
            ]
        )
    features = np.vstack([f for group in groups for f, _ in group])
    right = np.concatenate([r for group in groups for _, r in group]).astype(float)
    weights = np.concatenate([np.full(len(r), len(r) ** -0.5 / len(group)) for group in groups for _, r in group])
    fitted, bias = fit(features[:, :-3], right, weights, features[:, -3:] @ MATTERS, 3e-3)
    model = made(np.r_[fitted, MATTERS], bias)
    show("CATEGORIES", best_cuts(groups, model, 5))


def fit_sources(encoder: Any) -> None:
    """Fits which passages a reply rests on."""
    cases: list[Case] = []
    for row in source_rows("train", 240):
        stated = _sources.statements(row.reply)
        if stated:
            features = _sources.features(row.question, stated, row.passages, encoder)
            cases.append((features, np.array([i in row.cited for i in range(len(row.passages))])))
    features, right = np.vstack([f for f, _ in cases]), np.concatenate([r for _, r in cases]).astype(float)
    fitted, bias = fit(features, right, np.ones(len(right)), np.zeros(len(right)), 3e-3)
    show("SOURCES", replace(best_cuts([cases], made(fitted, bias), 100), near_best=NEAR_BEST_SOURCE))


if __name__ == "__main__":
    if not DATA.is_dir():
        raise SystemExit(f"no labelled data at {DATA}; set AFTERTURN_SHARED")
    model = load_encoder()
    for task in (fit_categories, fit_sources):
        task(model)
