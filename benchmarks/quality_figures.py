"""Figures of the quality table, and what they are computed by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Figure:
    """Is one line of the table.

    Attributes:
        task: The question.
        rows_of: The set of rows.
        rows: How many.
        measure: What is measured.
        value: The figure.
        beside: Counterparts in the same run.
        asked: What the project asks for.
    """

    task: str
    rows_of: str
    rows: int
    measure: str
    value: float
    beside: tuple[tuple[str, float], ...] = ()
    asked: str = ""

    def line(self) -> str:
        """Writes the line of a Markdown table."""
        beside = ", ".join(f"{name} {value:.3f}" for name, value in self.beside)
        cells = (self.task, self.rows_of, self.rows, self.measure, f"{self.value:.3f}", beside, self.asked)
        return f"| {' | '.join(map(str, cells))} |"

    def plain(self) -> dict[str, Any]:
        """Gives the figure as plain values, for JSON."""
        return asdict(self) | {"beside": dict(self.beside)}


def share(values: Iterable[bool]) -> float:
    """Gives the share of true values; 0 of none."""
    found = list(values)
    return sum(found) / max(len(found), 1)


def binary_f1(right: Sequence[bool], guess: Sequence[bool]) -> float:
    """Gives the F1 of the positive label."""
    hits = sum(one and other for one, other in zip(right, guess, strict=True))
    return 2 * hits / max(sum(right) + sum(guess), 1)


def macro_f1(right: Sequence[str], guess: Sequence[str]) -> float:
    """Gives the mean F1 over the labels."""
    labels = sorted(set(right))
    return float(np.mean([binary_f1([r == name for r in right], [g == name for g in guess]) for name in labels]))


def balanced_accuracy(right: Sequence[bool], guess: Sequence[bool]) -> float:
    """Gives the mean of the recalls of both labels."""
    hit = [r == g for r, g in zip(right, guess, strict=True)]
    return (
        share(h for h, r in zip(hit, right, strict=True) if r)
        + share(h for h, r in zip(hit, right, strict=True) if not r)
    ) / 2


def auc(right: Sequence[bool], scores: Sequence[float]) -> float:
    """Gives the area under the ROC curve; ties count half."""
    truth, values = np.asarray(right, bool), np.asarray(scores, float)
    positive, negative = np.sort(values[truth]), np.sort(values[~truth])
    below = np.searchsorted(negative, positive, "left").sum() + np.searchsorted(negative, positive, "right").sum()
    return float(below / 2 / max(len(positive) * len(negative), 1))


def recall_at(right: Sequence[bool], scores: Sequence[float], false_positives: float) -> float:
    """Gives the recall where at most this share of the negatives is called positive."""
    truth, values = np.asarray(right, bool), np.asarray(scores, float)
    negative = np.sort(values[~truth])[::-1]
    allowed = int(len(negative) * false_positives)
    cut = negative[allowed] if allowed < len(negative) else -np.inf
    return float((values[truth] > cut).mean()) if truth.any() else 0.0
