"""Fits how many categories count, on lists of the train files and of our own: `fit_heads.py` prints the numbers.

Two models. The first says whether the nearest category is right; it also learns from rows whose right names were taken
out of their list. The second says whether a further one is right beside it. The order itself has nothing fitted. Every
set weighs the same; `leaving` leaves a corpus out, as `benchmarks/bench_categories.py` measures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from fit_logistic import fit
from numpy.typing import NDArray
from rows import TopicRow, our_topic_rows, shorter, topic_rows, without_right

from afterturn.judges.encoder._categories import further_features, is_catch_all, nearest_features
from afterturn.judges.encoder._ranking import ranked
from afterturn.judges.encoder._weights import Logistic

Numbers = NDArray[np.float64]

TRAIN_ROWS = {
    "star": 150, "multidogo": 250, "nlupp-banking": 300, "clinc150": 500, "banking77": 400, "mts-dialog": 250,
}  # fmt: skip
LONG = ("nlupp-banking", "clinc150", "banking77")
"""Lists of more than 40 names: they are also cut to 5 to 40."""

CUTS = (0.15, 0.55)
"""Set by hand. Of the nearest: on dev, leaving the measured corpus out, F1 is highest at 0.2; on our test turns with
lists of everyday names 0.25 abstained far too often, and 0.15 names the right one more often. Of further ones: from 0.5
on, lists of one right name gain what others lose."""
BANDS = (0.1, 0.1)
COMPETING = 12
"""So many of the nearest names of a row teach what a further one is."""
L2 = 3e-3


@dataclass(frozen=True, kw_only=True)
class Case:
    """Is a row as the two models see it.

    Attributes:
        nearest: Features of the nearest category, shape (1, features).
        further: Features of every category beside it, shape (names, features).
        scores: How near each is.
        right: Which are right.
    """

    nearest: Numbers
    further: Numbers
    scores: Numbers
    right: NDArray[np.bool_]


def sets(split: str, limits: Mapping[str, int]) -> dict[str, list[TopicRow]]:
    """Gives the rows of every list, long ones also shortened, all also ", none right" without their right names."""
    found: dict[str, list[TopicRow]] = {}
    for name, limit in limits.items():
        found[name] = [row for row in topic_rows(name, split, limit) if row.conversation.content]
        if name in LONG:
            found[f"{name}, 5 to 40"] = shorter(found[name], 11 if split == "train" else 12)
    if split == "train":
        found["ours"] = our_topic_rows()
    return {**found, **{f"{name}, none right": without_right(rows, 5) for name, rows in found.items()}}


def corpus(name: str) -> str:
    """Gives the corpus of a set."""
    return name.split(",", 1)[0]


def case(row: TopicRow, encoder: Any) -> Case:
    """Measures a row."""
    names = [name for name in row.names if not is_catch_all(name)]
    found = ranked(row.conversation, names, row.descriptions, encoder)
    right = np.array([name in row.right for name in names])
    return Case(nearest=nearest_features(found), further=further_features(found), scores=found.scores, right=right)


def cases(split: str, limits: Mapping[str, int], encoder: Any) -> dict[str, list[Case]]:
    """Measures all rows of all sets."""
    return {name: [case(row, encoder) for row in rows] for name, rows in sets(split, limits).items() if rows}


def leaving(known: Mapping[str, Sequence[Case]], left_out: str | None) -> tuple[Logistic, Logistic]:
    """Fits both models on all corpora but one."""
    kept = {name: found for name, found in known.items() if corpus(name) != left_out}
    return _nearest(kept), _further(kept)


def _nearest(known: Mapping[str, Sequence[Case]]) -> Logistic:
    share = {name: (0.5 if "none right" in name else 1.0) / len(found) for name, found in known.items()}
    rows = [(one, share[name]) for name, found in known.items() for one in found]
    features = np.vstack([one.nearest for one, _ in rows])
    right = np.array([one.right[one.scores.argmax()] for one, _ in rows], dtype=np.float64)
    return _made(*fit(features, right, np.array([weight for _, weight in rows]), np.zeros(len(rows)), L2), 0)


def _further(known: Mapping[str, Sequence[Case]]) -> Logistic:
    features: list[Numbers] = []
    right: list[NDArray[np.bool_]] = []
    weights: list[Numbers] = []
    for found in known.values():
        taught = [one for one in found if one.right.any() and len(one.right) > 1]
        for one in taught:
            others = np.argsort(-one.scores)[1:COMPETING]
            features.append(one.further[others])
            right.append(one.right[others])
            weights.append(np.full(len(others), len(others) ** -0.5 / len(taught)))
    labels = np.concatenate(right).astype(np.float64)
    return _made(*fit(np.vstack(features), labels, np.concatenate(weights), np.zeros(len(labels)), L2), 1)


def _made(weights: Iterable[float], bias: float, which: int) -> Logistic:
    return Logistic(weights=tuple(map(float, weights)), bias=bias, cut=CUTS[which], band=BANDS[which])
