"""Fits logistic models by Newton's method, and writes their weights as small tables of code. Needs numpy alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

FOLDS = 5


def fit(features: np.ndarray, wanted: np.ndarray, weights: np.ndarray, strength: float) -> np.ndarray:
    """Fits by Newton's method; gives the weights and, last, the bias. The bias is not held back."""
    rows = np.column_stack([features, np.ones(len(features))])
    held = np.full(rows.shape[1], strength)
    held[-1] = 1e-6
    beta = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(rows @ beta, -30, 30)))
        slope = rows.T @ (weights * (chance - wanted)) + held * beta
        curve = rows.T @ (rows * (weights * chance * (1 - chance))[:, None]) + np.diag(held)
        step = np.linalg.solve(curve, slope)
        beta -= step
        if np.abs(step).max() < 1e-8:
            break
    return beta


def chances(features: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Gives the probabilities."""
    return 1 / (1 + np.exp(-np.clip(features @ beta[:-1] + beta[-1], -30, 30)))


def accuracy(wanted: np.ndarray, found: np.ndarray) -> float:
    """Gives the balanced accuracy."""
    return float((found[wanted == 1].mean() + (1 - found[wanted == 0]).mean()) / 2)


def held_out(
    features: np.ndarray, wanted: np.ndarray, weights: np.ndarray, folds: np.ndarray, strength: float
) -> np.ndarray:
    """Gives for each example the probability by a model that has not seen its request."""
    found = np.zeros(len(wanted))
    for fold in range(FOLDS):
        rest = folds != fold
        found[~rest] = chances(features[~rest], fit(features[rest], wanted[rest], weights[rest], strength))
    return found


def write(path: Path, says: str, weights: Mapping[str, float], bias: float, cut: float) -> None:
    """Writes a table.

    Args:
        path: The module.
        says: Its docstring, without quotes.
        weights: Weight by feature.
        bias: The constant term.
        cut: From which probability on the answer is yes.
    """
    lines = "\n".join(f'    "{name}": {value:.4f},' for name, value in weights.items())
    end = "\n" if "\n" in says else ""
    path.write_text(
        f'"""{says}{end}"""\n\nfrom __future__ import annotations\n\nfrom collections.abc import Mapping\n\n'
        f"WEIGHTS: Mapping[str, float] = {{\n{lines}\n}}\nBIAS = {bias:.4f}\nCUT = {cut:.2f}\n"
        '"""From which probability on the answer is yes."""\n',
        encoding="utf-8",
    )


def placeholder(path: Path) -> None:
    """Writes an empty table where there is none, so that what is fitted can be imported."""
    if not path.is_file():
        write(path, "Is not fitted yet.", {}, 0.0, 0.5)
