"""Fits the encoder's opinion on tool choice, and writes its weights into the code.

Usage::

    python training/tools/fit.py [--dry]

Reads the train files of the shared tool data (`AFTERTURN_SHARED`, else ../shared) and no others: WorkBench's outputs as
labelled, and of the files that have gold calls only the gold ones against wrong ones made of them. To be run again
whenever the encoder changes; `benchmarks/bench_tools.py` measures on dev. Needs numpy and the encoder, no more.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "training")]
from logistic import FOLDS, accuracy, fit, held_out, placeholder, write  # noqa: E402

OUT = ROOT / "src" / "afterturn" / "evals" / "_tool_weights.py"
SAYS = (
    "Holds the fitted weights of the opinion on tool choice; `training/tools/fit.py` writes them.\n\n"
    "Fitted on {:,} examples of the train files."
)
STRENGTHS = (0.3, 1.0, 3.0, 10.0, 30.0)
WORKBENCH_SHARE = 0.5
"""How much the outputs of real models weigh against the gold and made ones."""

placeholder(OUT)

from tool_opinion import Example, examples  # noqa: E402
from tool_rows import WORKBENCH  # noqa: E402

from afterturn.evals._opinion import ToolOpinion  # noqa: E402
from afterturn.evals._tool_features import FEATURE_NAMES, tool_features  # noqa: E402
from afterturn.judges.encoder._load import shared_encoder  # noqa: E402


def measured(found: list[Example]) -> np.ndarray:
    """Gives the features of each example, one row each."""
    judge = ToolOpinion(shared_encoder)
    rows = []
    for one in found:
        tools = one.reply.agent.tools
        similar = judge.similarities(one.row.input, tools)
        rows.append(list(tool_features(one.row.text, tools, one.reply.tool_calls, similar).by_name().values()))
    return np.array(rows)


def weighed(found: list[Example]) -> np.ndarray:
    """Gives each example a weight: real and made ones count as much as set, and in each both labels the same."""
    weights = np.zeros(len(found))
    for real in (True, False):
        for fits in (True, False):
            mask = np.array([(one.source == WORKBENCH) == real and one.fits == fits for one in found])
            weights[mask] = (WORKBENCH_SHARE if real else 1 - WORKBENCH_SHARE) / 2 / max(mask.sum(), 1)
    return weights * len(found)


def main() -> None:
    """Fits, says how well it does on requests left out, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry", action="store_true", help="write nothing")
    options = parser.parse_args()
    found = list(examples("train"))
    raw = measured(found)
    centre, spread = raw.mean(axis=0), raw.std(axis=0)
    spread[spread == 0] = 1
    features = (raw - centre) / spread
    wanted, weights = np.array([float(one.fits) for one in found]), weighed(found)
    real = np.array([one.source == WORKBENCH for one in found])
    folds = np.array([int(hashlib.sha256(one.row.text.encode()).hexdigest(), 16) % FOLDS for one in found])
    tried = {one: held_out(features, wanted, weights, folds, one) for one in STRENGTHS}
    both = {
        one: accuracy(wanted[real], p[real] >= 0.5) + accuracy(wanted[~real], p[~real] >= 0.5)
        for one, p in tried.items()
    }
    strength = max(both, key=both.__getitem__)
    left_out = tried[strength]
    cuts = np.arange(0.3, 0.701, 0.01)
    cut = float(
        max(
            cuts,
            key=lambda one: accuracy(wanted[real], left_out[real] >= one)
            + accuracy(wanted[~real], left_out[~real] >= one),
        )
    )
    for name in sorted({one.source for one in found}):
        mask = np.array([one.source == name for one in found])
        right = accuracy(wanted[mask], left_out[mask] >= cut)
        print(f"{name}: {mask.sum()} examples, balanced accuracy on requests left out {right:.3f}")
    beta = fit(features, wanted, weights, strength)
    plain = beta[:-1] / spread
    bias = beta[-1] - float(plain @ centre)
    print(f"strength {strength}, cut {cut:.2f}")
    if not options.dry:
        write(OUT, SAYS.format(len(found)), dict(zip(FEATURE_NAMES, plain, strict=True)), bias, cut)


if __name__ == "__main__":
    main()
