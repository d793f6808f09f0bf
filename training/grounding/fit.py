"""Fits the encoder's groundedness, and writes its weights into the code.

Usage::

    python training/grounding/fit.py [--dry]

Reads the train files of the shared groundedness data (`AFTERTURN_SHARED`, else ../shared) and no others. To be run
again whenever the encoder changes; `benchmarks/bench_groundedness.py` measures on dev. The encoder's head `support` was
trained on the same rows, so that what is said here of requests left out is too good; dev is the figure.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "src" / "afterturn" / "evals" / "_ground_weights.py"
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "training")]
from logistic import FOLDS, accuracy, fit, held_out, placeholder, write  # noqa: E402

SAYS = (
    "Holds the fitted weights of the encoder's groundedness; `training/grounding/fit.py` writes them.\n\n"
    "Fitted on {:,} replies of the train files."
)
STRENGTH = 3.0

placeholder(OUT)

from ground_rows import read  # noqa: E402

from afterturn.evals._ground_features import GROUND_FEATURES, measure  # noqa: E402
from afterturn.judges.encoder._load import shared_encoder  # noqa: E402


def main() -> None:
    """Fits, says how well it does on questions left out, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry", action="store_true", help="write nothing")
    options = parser.parse_args()
    rows = [row for row in read("train") if row["passages"]]
    encoder = shared_encoder()
    raw = np.array([list(measure(row["reply"], row["passages"], encoder).whole.by_name().values()) for row in rows])
    wanted = np.array([float(row["grounded"]) for row in rows])
    weights = np.where(wanted == 1, 0.5 / wanted.mean(), 0.5 / (1 - wanted.mean()))
    centre, spread = raw.mean(axis=0), raw.std(axis=0)
    features = (raw - centre) / spread
    folds = np.array([int(hashlib.sha256(row["question"].encode()).hexdigest(), 16) % FOLDS for row in rows])
    left_out = held_out(features, wanted, weights, folds, STRENGTH)
    print(f"{len(rows)} replies, balanced accuracy on questions left out {accuracy(wanted, left_out >= 0.5):.3f}")
    beta = fit(features, wanted, weights, STRENGTH)
    plain = beta[:-1] / spread
    bias = float(beta[-1] - plain @ centre)
    if not options.dry:
        write(OUT, SAYS.format(len(rows)), dict(zip(GROUND_FEATURES, plain, strict=True)), bias, 0.5)


if __name__ == "__main__":
    main()
