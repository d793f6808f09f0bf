"""Fits how the encoder tells blocked topics: prints two constants of `afterturn/judges/encoder/_blocked.py`.

Run: `.venv/bin/python training/topics/fit.py` (two minutes on one core). Train rows alone, of banking77 and CLINC150,
with the topics of training/data/blocked_topics.jsonl, beside train rows of other corpora.

The cut is the lowest at which at most 2 % of the messages that are of no blocked topic of a policy of five are called
one; below the cut an answer is unsure from the probability on under which 10 % of the messages of a topic lie.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "training"), str(ROOT / "benchmarks")]

from bench_quality import DATA  # noqa: E402
from logistic import chances, fit  # noqa: E402
from quality_figures import auc, recall_at  # noqa: E402
from quality_tasks import jsonl  # noqa: E402
from quality_topics import CORPORA, elsewhere, inside, meanings, policy  # noqa: E402

from afterturn.judges.encoder._blocked import features  # noqa: E402
from afterturn.judges.encoder._load import load_encoder  # noqa: E402

FALSE_POSITIVES, MISSED = 0.02, 0.1
EVERY_ELSEWHERE = 2
STRENGTH = 1.0


def main() -> None:
    """Fits, and prints the model."""
    encoder = load_encoder()
    blocks, wanted = [], []
    for corpus in CORPORA:
        rows = [row for row in jsonl(ROOT / "training" / "data" / "blocked_topics.jsonl") if row["corpus"] == corpus]
        told = meanings(policy(rows))
        for message in (*inside(DATA, corpus, "train", rows), *elsewhere(DATA, "train")[::EVERY_ELSEWHERE]):
            blocks.append(features(message.text, list(told.values()), encoder))
            wanted.append([label == message.topic for label in told])
    pairs, right = np.concatenate(blocks), np.concatenate(wanted).astype(float)
    mean, spread = pairs.mean(axis=0), pairs.std(axis=0)
    found = fit((pairs - mean) / spread, right, np.ones(len(right)), STRENGTH)
    beta = np.append(found[:-1] / spread, found[-1] - (found[:-1] * mean / spread).sum())
    best = chances(pairs, beta).reshape(len(blocks), -1).max(axis=1)
    of_topic = np.array([any(one) for one in wanted])
    cut = float(np.quantile(best[~of_topic], 1 - FALSE_POSITIVES))
    low = float(np.quantile(best[of_topic], MISSED))
    weights = ", ".join(f"{weight:.3f}" for weight in beta[:-1])
    print(f"TOPICS = Logistic(weights=({weights}), bias={beta[-1]:.3f}, cut={cut:.2f})\nUNSURE_FROM = {low:.2f}")
    print(
        f"# train: {len(best)} messages, {of_topic.sum()} of a topic; AUC {auc(list(of_topic), list(best)):.3f}, ",
        end="",
    )
    print(
        f"recall at 1 % {recall_at(list(of_topic), list(best), 0.01):.3f}, called {(best[of_topic] >= cut).mean():.3f}"
    )
    print(f"# unsure of no topic: {((best >= low) & (best < cut))[~of_topic].mean():.3f}")


if __name__ == "__main__":
    main()
