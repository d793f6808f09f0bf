"""Fits the heads of the exported encoder: logistic regression on its vectors, or likeness to rows (kernel.py).

They are calibrated on dev and held-out rows.

Usage::

    python training/encoder/heads.py [--shared ../shared] [--out /tmp/afterturn-encoder]

Reads `packages/encoder`'s model.onnx (see export.py), so that the heads are fitted to the vectors that users get, int8
and all. Writes heads.npz and the manifest there, and `report.json`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attacks
import kernel
import numpy as np
import onnxruntime
import rows
from evaluate import calibrate, figures
from sklearn.linear_model import LogisticRegression
from tokenizers import Tokenizer
from train import HEADS_ONLY, MAX_TOKENS, padded, split, texts_of

PACKAGE = rows.ROOT / "packages" / "encoder" / "src" / "afterturn_encoder"
FILES = {"model.onnx": "model_sha256", "tokenizer.json": "tokenizer_sha256", "heads.npz": "heads_sha256"}
STRENGTHS = (0.003, 0.01, 0.03, 0.3)
FOLDS = 5
ENOUGH = 600
"""So many fresh rows of a task need no help of rows that the layers know."""
BY_LIKENESS = frozenset({"wants_human", "frustration", "sentiment"})
"""Tasks whose heads compare with rows, which is better for each than a linear head and no less sure (decision 9)."""
VERSION = "4"


class Vectors:
    """Reads texts by the exported model, each once."""

    def __init__(self) -> None:
        self._session = onnxruntime.InferenceSession(str(PACKAGE / "model.onnx"))
        self._tokenizer = Tokenizer.from_file(str(PACKAGE / "tokenizer.json"))
        self._known: dict[str, np.ndarray] = {}

    def read(self, texts: set[str], cache: Path) -> None:
        """Reads texts in batches of about the same length, or takes what an earlier run kept of them."""
        if cache.exists():
            kept = np.load(cache, allow_pickle=True)
            self._known = dict(zip(kept["texts"], kept["vectors"], strict=True))
        ids = {text: self._tokenizer.encode(text).ids[:MAX_TOKENS] for text in texts - self._known.keys()}
        ordered = sorted(ids, key=lambda text: len(ids[text]))
        for start in range(0, len(ordered), 32):
            batch = ordered[start : start + 32]
            numbers, mask = padded([ids[text] for text in batch])
            feed = {"input_ids": numbers.numpy(), "attention_mask": mask.numpy()}
            pooled = self._session.run(["pooled"], feed)[0]
            self._known |= dict(zip(batch, pooled, strict=True))
        np.savez(cache, texts=np.array(list(self._known), dtype=object), vectors=np.stack(list(self._known.values())))

    def windows(self, texts: list[str], cache: Path) -> list[np.ndarray]:
        """Reads whole texts in windows, one by one as at run time; gives their standardised vectors."""
        known: dict[str, np.ndarray] = dict(np.load(cache)) if cache.exists() else {}
        keys = [hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        for key, text in missing.items():
            ids = self._tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
            room = MAX_TOKENS - 2
            cut = [[0, *ids[at : at + room], 2] for at in attacks.starts(len(ids), room)]
            known[key] = np.concatenate([self._read_one(window) for window in cut])
        if missing:
            np.savez(cache, **known)
        return [standardised(known[key]).astype(np.float64) for key in keys]

    def _read_one(self, ids: list[int]) -> np.ndarray:
        tokens = np.array([ids], np.int64)
        return self._session.run(["pooled"], {"input_ids": tokens, "attention_mask": np.ones_like(tokens)})[0]

    def features(self, task: str, found: list[rows.Row]) -> np.ndarray:
        """Gives what a head sees of rows: the standardised vector, or two, their product and their distance."""
        text = standardised(np.stack([self._known[row.text] for row in found]))
        if task not in rows.PAIRS:
            return text
        other = standardised(np.stack([self._known[row.other or ""] for row in found]))
        return np.concatenate([text, other, text * other, np.abs(text - other)], axis=1)


def standardised(vectors: np.ndarray) -> np.ndarray:
    """Takes mean and length off each vector."""
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    return centred / np.sqrt(centred.var(axis=1, keepdims=True) + 1e-5)


@dataclass(frozen=True, kw_only=True)
class Head:
    """Is a fitted head.

    Attributes:
        weight: Shape (labels, features), or (labels, anchors).
        bias: Shape (labels,).
        anchors: The rows that it compares with, shape (anchors, features); None for a linear head.
        leaning: Weights of the features themselves beside the anchors, shape (labels, features), or None.
    """

    weight: np.ndarray
    bias: np.ndarray
    anchors: np.ndarray | None = None
    leaning: np.ndarray | None = None

    def scores(self, features: np.ndarray) -> np.ndarray:
        """Gives the scores of each label."""
        seen = features if self.anchors is None else kernel.likeness(features.astype(np.float64), self.anchors)
        return seen @ self.weight.T + self.bias

    def arrays(self, task: str) -> dict[str, np.ndarray]:
        """Gives what is written of it."""
        made = {f"{task}.weight": self.weight.astype(np.float32), f"{task}.bias": self.bias.astype(np.float32)}
        made |= {} if self.anchors is None else {f"{task}.anchors": kernel.steps(self.anchors)}
        return made if self.leaning is None else {**made, f"{task}.leaning": self.leaning.astype(np.float32)}


def fit(task: str, features: np.ndarray, found: list[rows.Row], strength: float | None) -> Head:
    """Fits one head; without a strength of the regularisation, by likeness."""
    names = rows.LABELS[task]
    wanted = np.array([names.index(row.label) for row in found])
    if strength is None:
        anchors, weight, bias = kernel.fit(features.astype(np.float64), wanted, len(names), _weights(found))
        return Head(weight=weight, bias=bias, anchors=anchors)
    model = LogisticRegression(C=strength, max_iter=400, class_weight="balanced")
    model.fit(features, wanted, sample_weight=_weights(found))
    if len(names) == 2:
        half = model.coef_[0] / 2
        return Head(weight=np.stack([-half, half]), bias=np.array([-model.intercept_[0], model.intercept_[0]]) / 2)
    return Head(weight=model.coef_, bias=model.intercept_)


def _weights(found: list[rows.Row]) -> np.ndarray:
    """Gives how much each row counts: beside fresh rows all others together count half as much, if they are more."""
    fresh = np.array([row.source == rows.FRESH for row in found])
    others = int((~fresh).sum())
    return np.where(fresh, 1.0, min(1.0, fresh.sum() / 2 / others) if fresh.any() and others else 1.0)


def out_of_fold(
    task: str, vectors: Vectors, fitted: list[rows.Row], ours: list[rows.Row], strength: float | None
) -> np.ndarray:
    """Gives the scores of rows of ours by heads that were fitted without them and without their groups."""
    scores = np.zeros((len(ours), len(rows.LABELS[task])))
    fold = {group: number % FOLDS for number, group in enumerate(sorted({row.group for row in ours}))}
    for number in range(FOLDS):
        inside = [at for at, row in enumerate(ours) if fold[row.group] == number]
        if not inside:
            continue
        rest = [row for row in fitted if row.source != ours[0].source or fold.get(row.group) != number]
        made = fit(task, vectors.features(task, rest), rest, strength)
        scores[inside] = made.scores(vectors.features(task, [ours[at] for at in inside]))
    return scores


def log_loss(task: str, scores: np.ndarray, found: list[rows.Row]) -> float:
    """Gives the mean log loss of scores."""
    wanted = np.array([rows.LABELS[task].index(row.label) for row in found])
    shifted = scores - scores.max(axis=1, keepdims=True)
    return float((np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(wanted)), wanted]).mean())


Fitted = tuple[Head, dict[str, Any], dict[str, Any]]
"""A head, its calibration and its figures."""


def injection(vectors: Vectors, options: argparse.Namespace) -> Fitted:
    """Fits the head on attacks to the windows of whole texts (see attacks.py), calibrated on dev."""
    cache = options.out / "windows.npz"
    train, dev = [*attacks.public(options.shared, "train"), *attacks.written()], attacks.public(options.shared, "dev")
    one = attacks.by_likeness(
        vectors.windows([row.text for row in train], cache), np.array([row.attack for row in train])
    )
    logits = np.array([one.logits(found).max() for found in vectors.windows([row.text for row in dev], cache)])
    scores = np.stack([-logits / 2, logits / 2], axis=1)
    found = [
        rows.Row(task="injection", text=row.text, label="attack" if row.attack else "benign", source=row.source)
        for row in dev
    ]
    both = np.array([[-0.5], [0.5]])
    made = Head(weight=both * one.alike, bias=both[:, 0] * one.bias, anchors=one.anchors, leaning=both * one.weight)
    return made, calibrate("injection", scores, found), {"dev": figures("injection", scores, found)}


def head(task: str, vectors: Vectors, train: list[rows.Row], parts: dict[str, list[rows.Row]]) -> Fitted:
    """Fits the head of any other task, calibrated on dev and held-out rows, and on our own out of fold.

    The strength of the regularisation is that of the least log loss on the same rows.

    Rows of ours that the layers know mislead a head: it trusts vectors that only they have. (Wish for a person, 1,800
    fresh rows out of fold: AUC 0.91 without them, 0.87 with them.) Where fresh rows are many, those are left out.
    """
    fitted = [row for row in train if row.task == task]
    fresh = [row for row in fitted if row.source == rows.FRESH]
    fitted = [row for row in fitted if row.source != "ours"] if len(fresh) >= ENOUGH else fitted
    measured = [row for part in parts.values() for row in part if row.task == task]
    # rows that have shaped the vectors say too much of themselves: they calibrate only the heads fitted afterwards
    ours = fresh or [row for row in fitted if row.source == "ours" and task in HEADS_ONLY]
    features, seen = vectors.features(task, fitted), vectors.features(task, measured)
    tries: list[tuple[float, Head, np.ndarray]] = []
    for strength in (None,) if task in BY_LIKENESS else STRENGTHS:
        made = fit(task, features, fitted, strength)
        parts_of = [made.scores(seen)] + ([out_of_fold(task, vectors, fitted, ours, strength)] if ours else [])
        scores = np.concatenate(parts_of)
        tries.append((log_loss(task, scores, [*measured, *ours]), made, scores))
    _, made, scores = min(tries, key=lambda one: one[0])
    found = calibrate(task, scores, [*measured, *ours])
    report: dict[str, Any] = {}
    for name, part in parts.items():
        own = [row for row in part if row.task == task]
        if own:
            report[name] = figures(task, made.scores(vectors.features(task, own)), own)
    return made, found, report


def main() -> None:
    """Fits all heads, writes them, prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=rows.ROOT.parent / "shared")
    parser.add_argument("--out", type=Path, default=Path("/tmp/afterturn-encoder"))
    options = parser.parse_args()
    train, held = split(rows.rows(options.shared, "train"))
    dev = rows.rows(options.shared, "dev")
    vectors = Vectors()
    vectors.read(set(texts_of(train, held, dev)), options.out / "vectors.npz")
    arrays: dict[str, np.ndarray] = {}
    tasks: dict[str, dict[str, Any]] = {}
    report: dict[str, Any] = {}
    parts = {"dev": dev, "ours": held}
    for task, names in rows.LABELS.items():
        fitted = injection(vectors, options) if task == "injection" else head(task, vectors, train, parts)
        made, found, measured = fitted
        arrays |= made.arrays(task)
        tasks[task] = {"labels": names, **{name: found[name] for name in ("temperature", "cut", "unsure")}}
        report[task] = {"calibration": found, **measured}
        print(task, json.dumps(report[task]), flush=True)
    meta = {"tasks": tasks, "step": kernel.STEP, "width": kernel.WIDTH}
    np.savez_compressed(PACKAGE / "heads.npz", meta=np.array(json.dumps(meta)), **arrays)
    (options.out / "heads.json").write_text(json.dumps(report, indent=1))
    _manifest()


def _manifest() -> None:
    digest = {key: hashlib.sha256((PACKAGE / name).read_bytes()).hexdigest() for name, key in FILES.items()}
    manifest = {"name": "afterturn-e5-7-int8", "version": VERSION, "licence": "MIT", "dimensions": 384}
    (PACKAGE / "manifest.json").write_text(json.dumps(manifest | {"max_tokens": MAX_TOKENS} | digest, indent=1) + "\n")
    print({name: round((PACKAGE / name).stat().st_size / 1e6, 2) for name in FILES}, "MB")


if __name__ == "__main__":
    main()
