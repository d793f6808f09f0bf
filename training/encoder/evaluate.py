"""Measures trained heads on dev and on our own held-out rows, and calibrates them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import rows
import torch
from scipy.stats import beta
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from torch import Tensor

Read = Callable[[Sequence[str]], Tensor]
DISAGREEMENT = 0.10
"""On either side of its band, a head is wrong in at most this share of rows, with 95 % confidence (Clopper-Pearson)."""

MOST_FALSE = {"safety": 0.01, "injection": 0.01, "scope": 0.03}
"""The share of rows without a finding that a head may call one."""

USUAL = {"scope": 0.3}
"""The share of findings for which a band is set where rows were written half and half, which nobody meets: as if three
in ten replies left their scope, still far more than a sane agent's. Other tasks take it from their rows. (At a fifth
the head would clear 28 % of the drift in rows out of fold; so it is 10 %, and two thirds of what is in scope.)"""

RISK = 0.05
_GRID = np.arange(0.05, 0.96, 0.01)
_STEPS = np.arange(0.01, 1.0, 0.01)
_FEWEST = 30
"""With fewer rows not even none wrong would prove a share of a tenth."""


def evaluate(
    net: Any, read: Read, parts: Mapping[str, Sequence[rows.Row]], listed: Sequence[rows.Listed]
) -> dict[str, Any]:
    """Gives the figures of every task and part, and the calibration of every task."""
    pooled = _pooled(read, [text for part in parts.values() for row in part for text in (row.text, row.other) if text])
    scored = {name: _scored(net, part, pooled) for name, part in parts.items()}
    measured = {
        f"{name}: {task}": figures(task, scores, found)
        for name, by_task in scored.items()
        for task, (scores, found) in sorted(by_task.items())
    }
    joined: dict[str, list[tuple[np.ndarray, list[rows.Row]]]] = defaultdict(list)
    for by_task in scored.values():
        for task, pair in by_task.items():
            joined[task].append(pair)
    calibration = {
        task: calibrate(task, np.concatenate([s for s, _ in pairs]), [row for _, part in pairs for row in part])
        for task, pairs in joined.items()
    }
    return {"figures": measured, "calibration": calibration, "lists": _lists(net, read, listed)}


def calibrate(task: str, scores: np.ndarray, found: Sequence[rows.Row]) -> dict[str, Any]:
    """Finds a task's temperature (least log loss), its cut and its unsure band.

    The cut is that of the best F1 of a finding, higher where it would call too many ordinary rows a finding.
    """
    names = rows.LABELS[task]
    wanted = np.array([names.index(row.label) for row in found])
    temperature = min(np.arange(0.5, 4.05, 0.1), key=lambda t: _log_loss(_softmax(scores / t), wanted))
    chance = 1 - _softmax(scores / temperature)[:, 0]
    finding = wanted > 0
    cut = float(max(_GRID, key=lambda at: f1_score(finding, chance >= at))) if 0 < finding.mean() < 1 else 0.5
    if task in MOST_FALSE:  # findings are rare in ordinary traffic: better to miss one than to call ten wrong
        cut = max(cut, float(np.quantile(chance[~finding], 1 - MOST_FALSE[task])))
    low, high = _band(chance, finding, cut, USUAL.get(task))
    return {
        "temperature": round(float(temperature), 2),
        "cut": round(cut, 2),
        "unsure": [round(low, 2), round(high, 2)],
        "expected_calibration_error": round(_calibration_error(chance, finding), 3),
        "share_unsure": round(float(((chance >= low) & (chance <= high)).mean()), 3),
        "rows": len(found),
    }


def _band(chance: np.ndarray, finding: np.ndarray, cut: float, usual: float | None) -> tuple[float, float]:
    """Finds between which probabilities a head is unsure: below, few are findings after all, above few are none.

    Each side is proven at half the risk, from its far end inwards and only as far as every step holds (fixed-sequence
    testing; Angelopoulos et al. 2021, arXiv:2110.01052), so that looking at many bounds costs nothing.
    """
    low, high = 0.0, 1.0
    for at in (value for value in _STEPS if value <= cut):
        if not _bounded(chance < at, finding, usual):
            break
        low = at
    for at in (value for value in _STEPS[::-1] if value >= cut):
        if not _bounded(chance > at, ~finding, None if usual is None else 1 - usual):
            break
        high = at
    return float(low), float(high)


def _bounded(taken: np.ndarray, wrong: np.ndarray, usual: float | None) -> bool:
    """Says whether few of the rows taken are proven to be wrong; too few to prove anything are no reason to stop.

    Args:
        taken: The rows on one side of a bound.
        wrong: All rows that would be wrong there.
        usual: The share of such rows in practice; None means that of these rows.
    """
    count, errors = int(taken.sum()), int((taken & wrong).sum())
    if count < _FEWEST:
        return True
    if errors == count:
        return False
    if usual is None:
        return float(beta.ppf(1 - RISK / 2, errors + 1, count - errors)) <= DISAGREEMENT
    right, all_wrong, all_right = count - errors, int(wrong.sum()), int((~wrong).sum())
    most = float(beta.ppf(1 - RISK / 4, errors + 1, all_wrong - errors)) if errors < all_wrong else 1.0
    least = float(beta.ppf(RISK / 4, right, all_right - right + 1))
    return usual * most <= DISAGREEMENT * (usual * most + (1 - usual) * least)


def _scored(
    net: Any, part: Sequence[rows.Row], pooled: Mapping[str, Tensor]
) -> dict[str, tuple[np.ndarray, list[rows.Row]]]:
    by_task: dict[str, list[rows.Row]] = defaultdict(list)
    for row in part:
        by_task[row.task].append(row)
    made: dict[str, tuple[np.ndarray, list[rows.Row]]] = {}
    for task, found in by_task.items():
        text = torch.stack([pooled[row.text] for row in found])
        other = torch.stack([pooled[row.other or ""] for row in found]) if task in rows.PAIRS else None
        with torch.no_grad():
            made[task] = (net.scores(task, text, other).float().numpy(), found)
    return made


def figures(task: str, scores: np.ndarray, found: Sequence[rows.Row]) -> dict[str, Any]:
    """Gives how well scores tell the labels of a task apart, by language and source."""
    names = rows.LABELS[task]
    wanted = np.array([names.index(row.label) for row in found])
    chances = _softmax(scores)
    guess = chances.argmax(1)
    english = np.array([row.lang == "en" for row in found])
    figures: dict[str, Any] = {"rows": len(found), "macro_f1": f1_score(wanted, guess, average="macro")}
    if len(names) == 2 and len(set(wanted)) == 2:
        benign = np.sort(chances[wanted == 0, 1])
        figures["auc"] = roc_auc_score(wanted, chances[:, 1])
        figures["recall_at_1_percent"] = (chances[wanted == 1, 1] > benign[int(len(benign) * 0.99)]).mean()
        figures["balanced_accuracy"] = balanced_accuracy_score(wanted, guess)
        figures["f1"] = f1_score(wanted, guess)
    for name, part in (("english", english), ("other_languages", ~english)):
        if part.any():
            figures[f"accuracy_{name}"] = (wanted[part] == guess[part]).mean()
    if task == "frustration":
        for source in sorted({row.source for row in found}):
            own = np.array([row.source == source for row in found])
            figures[f"f1_ai_{source}"] = f1_score(wanted[own] == 2, guess[own] == 2, zero_division=0.0)
            figures[f"called_ai_{source}"] = (guess[own] == 2).mean()
    return {name: round(float(value), 3) for name, value in figures.items()}


def _lists(net: Any, read: Read, listed: Sequence[rows.Listed]) -> dict[str, float]:
    """Gives how often the nearest name of a list is right, by similarity alone."""
    pooled = _pooled(read, [*(row.text for row in listed), *(name for row in listed for name in row.names)])
    right: Counter[str] = Counter()
    count: Counter[str] = Counter()
    with torch.no_grad():
        units = {text: net.unit(vector[None])[0] for text, vector in pooled.items()}
    for row in listed:
        near = torch.stack([units[name] for name in row.names]) @ units[row.text]
        right[row.source] += int(near.argmax()) in row.right
        count[row.source] += 1
    return {source: round(right[source] / count[source], 3) for source in sorted(count)}


def _pooled(read: Read, texts: Sequence[str]) -> dict[str, Tensor]:
    ordered = sorted(set(texts), key=len)
    made: dict[str, Tensor] = {}
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(ordered), 64):
            batch = ordered[start : start + 64]
            made |= dict(zip(batch, read(batch).float(), strict=True))
    return made


def _softmax(scores: np.ndarray) -> np.ndarray:
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def _log_loss(chances: np.ndarray, wanted: np.ndarray) -> float:
    return float(-np.log(chances[np.arange(len(wanted)), wanted] + 1e-9).mean())


def _calibration_error(chance: np.ndarray, finding: np.ndarray, bins: int = 10) -> float:
    """Gives the mean distance of probability and share, over bins of equal width (Guo et al. 2017)."""
    at = np.minimum((chance * bins).astype(int), bins - 1)
    return sum(
        (at == number).mean() * abs(chance[at == number].mean() - finding[at == number].mean())
        for number in range(bins)
        if (at == number).any()
    )
