"""Trains the two small-talk models of `afterturn.smalltalk`: logistic regression over hashed character n-grams.

Usage::

    pip install scikit-learn
    python training/smalltalk/train.py [--shared ../shared]

Reads the *.tsv beside this file (written for this project) and, where it is there, content messages of public data sets
(train files only; see README.md). Writes src/afterturn/language/smalltalk*.bin and prints how well messages of left-out
folds are told apart.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from afterturn.language import ngrams, probability
from afterturn.language._model import BUCKETS, write_model
from afterturn.smalltalk import is_small_talk, uncovered

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "src" / "afterturn" / "language"
PUBLIC = ("banking77", "clinc150", "multidogo", "nlupp-banking", "star")
PUBLIC_ROWS = 1_500
THRESHOLDS = (0.3, 0.5, 0.7, 0.8, 0.9)


def written(who: str) -> list[tuple[str, str, int]]:
    """The rows of `customers` or `agents`, without what phrases cover: file, text, 1 for small talk."""
    rows: list[tuple[str, str, int]] = []
    for path in sorted(HERE.glob("*.tsv")):
        if path.name.startswith("replies-") != (who == "agents"):
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            label, text = line.split("\t")
            rows.append((path.stem, uncovered(text) or text, int(label == "s")))
    return rows


def public(shared: Path, split: str) -> list[tuple[str, str, int]]:
    """Short customer messages with a matter, of public data sets."""
    found: list[tuple[str, str, int]] = []
    for name in PUBLIC:
        path = shared / "data" / "dialogue" / "topics" / f"{name}.{split}.jsonl"
        if not path.exists():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            text = row.get("text") or next((t["text"] for t in row.get("turns", []) if t["role"] != "agent"), "")
            if text and len(text.split()) <= 25 and row.get("categories") and not is_small_talk(text):
                found.append((f"public-{name}", uncovered(text), 0))
    random.Random(1).shuffle(found)
    return found[:PUBLIC_ROWS]


def matrix(texts: list[str]) -> csr_matrix:
    """The hashed n-grams of each text, normalised to length one."""
    rows, columns, values = [], [], []
    for number, text in enumerate(texts):
        counted: dict[int, float] = defaultdict(float)
        for bucket in ngrams(text):
            counted[bucket] = 1.0
        norm = max(len(counted), 1) ** 0.5
        for bucket, value in counted.items():
            rows.append(number)
            columns.append(bucket)
            values.append(value / norm)
    return csr_matrix((values, (rows, columns)), shape=(len(texts), BUCKETS), dtype=np.float32)


def fit(features: csr_matrix, labels: np.ndarray) -> LogisticRegression:
    """Fits the weights."""
    return LogisticRegression(C=8.0, max_iter=400, class_weight="balanced").fit(features, labels)


def cross_validate(rows: list[tuple[str, str, int]], features: csr_matrix, labels: np.ndarray) -> None:
    """Prints how well rows of left-out folds are told apart.

    Rows of the same place in their files are often the same matter in several languages: they stay together.
    """
    groups = np.array([hash_of(index, rows) for index in range(len(rows))])
    scores = np.zeros(len(rows))
    for train, test in GroupKFold(5).split(features, labels, groups):
        scores[test] = fit(features[train], labels[train]).predict_proba(features[test])[:, 1]
    for threshold in THRESHOLDS:
        caught = (scores[labels == 1] >= threshold).mean()
        wrong = (scores[labels == 0] >= threshold).mean()
        print(f"  threshold {threshold}: small talk caught {caught:.3f}, content called small talk {wrong:.4f}")


def train(name: str, rows: list[tuple[str, str, int]]) -> None:
    """Cross-validates, fits on everything, writes the model."""
    print(f"{name}: {len(rows)} rows")
    features, labels = matrix([text for _, text, _ in rows]), np.array([label for _, _, label in rows])
    cross_validate(rows, features, labels)
    model = fit(features, labels)
    write_model(OUT / name, model.coef_[0], float(model.intercept_[0]))


def main() -> None:
    """Trains both models and scores the customers' one on public dev messages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=HERE.parents[2] / "shared")
    options = parser.parse_args()
    train("smalltalk.bin", written("customers") + public(options.shared, "train"))
    train("smalltalk-replies.bin", written("agents"))
    dev = public(options.shared, "dev")
    if dev:
        wrong = sum(probability("smalltalk.bin", text) >= 0.5 for _, text, _ in dev) / len(dev)
        print(f"public dev, {len(dev)} content messages: called small talk {wrong:.4f}")


def hash_of(index: int, rows: list[tuple[str, str, int]]) -> int:
    """The group of a row: its place within its file and label."""
    language, _, label = rows[index]
    if language.startswith("public"):
        return 1_000 + index
    first = next(i for i, row in enumerate(rows) if row[0] == language and row[2] == label)
    return (index - first) % 997 + label * 500


if __name__ == "__main__":
    main()
