"""Fits the head that tells attacks: on every window of a text, of which only the worst counts.

The texts are whole, as they are at run time. Which part of an attack makes it one is not known, so the windows that
look worst are taken for it, again and again (multiple-instance learning, Andrews et al. 2002); of benign texts all
count. Beside where a window leans stands which windows it is like (kernel.py). numpy alone, so that
benchmarks/bench_injection.py measures the very procedure that heads.py ships.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kernel
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[2]
BENIGN_A_SOURCE = 350
MOST_WINDOWS = 16
OVERLAP_TOKENS = 32
_STRENGTH = 3e-3
_ROUNDS = 3
_STEPS = 12
_WORST_BENIGN, _ANY_BENIGN = 2_000, 1_500
"""So many benign windows stand beside the worst of each attack where likeness is fitted: it compares all with all."""


@dataclass(frozen=True, kw_only=True)
class Text:
    """Is a text with its source and whether it is an attack."""

    text: str
    attack: bool
    source: str


@dataclass(frozen=True, kw_only=True)
class Head:
    """Is a fitted head.

    Attributes:
        weight: How much each direction counts, shape (dimensions,).
        bias: What is added.
        anchors: Windows that it compares with, shape (anchors, dimensions); None for none.
        alike: How much likeness to each anchor counts, shape (anchors,).
    """

    weight: Numbers
    bias: float
    anchors: Numbers | None = None
    alike: Numbers | None = None

    def logits(self, windows: Numbers) -> Numbers:
        """Gives the logit of an attack for each window."""
        found = windows @ self.weight + self.bias
        return found if self.anchors is None else found + kernel.likeness(windows, self.anchors) @ self.alike


def public(shared: Path, split: str) -> list[Text]:
    """Reads the public rows of a split; plain harmful requests are no injections and are left out."""
    found: list[Text] = []
    for path in sorted((shared / "data" / "injection" / split).glob("*.jsonl")):
        rows = [row for row in jsonl(path) if row["label"] != "harmful_request"]
        benign = [row for row in rows if row["label"] == "benign"][: BENIGN_A_SOURCE if split == "train" else None]
        attacks = [row for row in rows if row["label"] != "benign"]
        found += [
            Text(text=row["text"], attack=row["label"] != "benign", source=path.stem) for row in (*benign, *attacks)
        ]
    return found


def written() -> list[Text]:
    """Reads our own rows: texts in context, and the guard's practice lists."""
    found = [
        Text(text=row.get("tool_output") or row["message"], attack=bool(row["attack"]), source="ours")
        for row in jsonl(ROOT / "training" / "data" / "injection_in_context.jsonl")
    ]
    for path in sorted((ROOT / "benchmarks" / "guard").glob("practice-*.jsonl")):
        found += [Text(text=row["text"], attack=row["label"] == "attack", source="ours") for row in jsonl(path)]
    return found


def jsonl(path: Path) -> list[dict[str, Any]]:
    """Reads a JSONL file; an absent one is empty."""
    return [json.loads(line) for line in path.open(encoding="utf-8")] if path.exists() else []


def starts(tokens: int, room: int) -> list[int]:
    """Says where the windows of a text begin; of very long texts some are left out, evenly.

    Args:
        tokens: Length of the text.
        room: Tokens of a window.
    """
    found = list(range(0, max(tokens - OVERLAP_TOKENS, 1), room - OVERLAP_TOKENS))
    if len(found) <= MOST_WINDOWS:
        return found
    return [found[round(at * (len(found) - 1) / (MOST_WINDOWS - 1))] for at in range(MOST_WINDOWS)]


def by_mean(windows: Sequence[Numbers], attack: NDArray[np.bool_]) -> Head:
    """Fits a head on the mean of each text's windows."""
    return _fit(np.stack([one.mean(axis=0) for one in windows]), attack, np.ones(len(windows)))


def by_worst(windows: Sequence[Numbers], attack: NDArray[np.bool_]) -> Head:
    """Fits a head on windows, of an attack only on the worst.

    Args:
        windows: The vectors of each text's windows, shape (windows, dimensions) each.
        attack: Which texts are attacks.

    Returns:
        The head, linear.
    """
    flat, owner, spread = _joined(windows)
    used = np.ones(len(flat), bool)
    head = Head(weight=np.zeros(flat.shape[1]), bias=0.0)
    for _ in range(_ROUNDS):
        head = _fit(flat[used], attack[owner[used]], np.where(attack[owner[used]], 1.0, spread[used]))
        used = ~attack[owner] | _worst(head, flat, owner)
    return head


def by_likeness(windows: Sequence[Numbers], attack: NDArray[np.bool_]) -> Head:
    """Fits a head as `by_worst` does, and adds as much again of which windows a window is like.

    Args:
        windows: The vectors of each text's windows, shape (windows, dimensions) each.
        attack: Which texts are attacks.
    """
    head = by_worst(windows, attack)
    flat, owner, spread = _joined(windows)
    bad = np.flatnonzero(attack[owner] & _worst(head, flat, owner))
    benign = np.flatnonzero(~attack[owner])
    hard_first = benign[np.argsort(-head.logits(flat[benign]), kind="stable")]
    drawn = np.random.default_rng(0).permutation(hard_first[_WORST_BENIGN:])[:_ANY_BENIGN]
    used = np.concatenate([bad, hard_first[:_WORST_BENIGN], drawn])
    weights = np.where(attack[owner[used]], 1.0, spread[used])
    anchors, weight, bias = kernel.fit(flat[used], attack[owner[used]].astype(np.int64), 2, weights)
    scores = kernel.likeness(flat[used], anchors) @ (weight[1] - weight[0])
    leaning = flat[used] @ head.weight
    factor = float(leaning.std() / scores.std())
    bias = head.bias + factor * float(bias[1] - bias[0])
    return Head(weight=head.weight, bias=bias, anchors=anchors, alike=factor * (weight[1] - weight[0]))


def _joined(windows: Sequence[Numbers]) -> tuple[Numbers, NDArray[np.int64], Numbers]:
    """Gives all windows, the text of each, and one over how many windows that has."""
    owner = np.concatenate([np.full(len(one), at) for at, one in enumerate(windows)])
    return np.concatenate(windows), owner, 1 / np.array([len(one) for one in windows])[owner]


def _worst(head: Head, flat: Numbers, owner: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Says which windows look worst of their text."""
    scores = head.logits(flat)
    worst = np.full(int(owner.max()) + 1, -np.inf)
    np.maximum.at(worst, owner, scores)
    return scores >= worst[owner] - 1e-12


def _fit(features: Numbers, attack: NDArray[np.bool_], weights: Numbers) -> Head:
    """Fits a logistic model by Newton steps, both labels of the same weight in all."""
    weights = weights * np.where(attack, 0.5 / weights[attack].sum(), 0.5 / weights[~attack].sum())
    design = np.c_[features, np.ones(len(features))]
    penalty = _STRENGTH * np.r_[np.ones(features.shape[1]), 0.0]
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ found, -30, 30)))
        slope = design.T @ (weights * (chance - attack)) + penalty * found
        curve = (design * (weights * np.maximum(chance * (1 - chance), 1e-6))[:, None]).T @ design
        found -= np.linalg.solve(curve + np.diag(penalty + 1e-9), slope)
    return Head(weight=found[:-1], bias=float(found[-1]))
