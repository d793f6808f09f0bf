"""Shows by simulation that recommended thresholds keep their promise as often as they say.

    python benchmarks/simulate_thresholds.py [--repeats 500] [--json] [--plot FILE.png|svg]

Three tenants, 200,000 turns in all, with base rates from 0.5 to 20 % and scores of three shapes: sharp, blunt with many
ties, and now and then sure and wrong. What is true is known. Each repeat draws turns of a tenant at random, labels them
by the truth, asks for a threshold, and looks in all turns of the tenant whether the promise holds there. It is broken
where a threshold is given and the false-positive rate from it up is over the target, or the precision under it. A
repeat that gives none breaks none, so the share of repeats with a threshold stands beside it. Target: kept in at least
the stated share (95 %) of the repeats, in every row. `naive` takes the lowest threshold whose rate in the sample is on
target, as is often done; it stands there for comparison and promises nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from afterturn.calibration import Histogram, Sample, for_false_alarms, for_precision

CONFIDENCE = 0.95
LABELS = (500, 2_000, 8_000)
FPR, PRECISION = 0.01, 0.9
SCORES = 101


@dataclass(frozen=True, kw_only=True)
class Tenant:
    """Is a tenant's traffic: its name, and how many turns have each score, of positives and of negatives."""

    name: str
    positives: np.ndarray
    negatives: np.ndarray

    @property
    def traffic(self) -> Histogram:
        """The scores of all turns."""
        return histogram(self.positives + self.negatives)

    def rate(self, claim: str, threshold: int) -> float:
        """Gives the true rate at a threshold and above."""
        hits, alarms = self.positives[threshold:].sum(), self.negatives[threshold:].sum()
        return float(alarms / self.negatives.sum() if claim == "fpr" else hits / max(1, hits + alarms))


def tenants(rng: np.random.Generator) -> list[Tenant]:
    """Makes the traffic; the scores of each group are drawn from beta distributions."""
    return [
        _tenant(rng, "bank: rare, sharp", 100_000, 0.005, (9, 1.5), (1, 14), tie=1),
        _tenant(rng, "shop: blunt, ties", 60_000, 0.05, (4, 2), (1.5, 5), tie=10),
        _tenant(rng, "clinic: surest wrong", 40_000, 0.2, (6, 2), (1, 9), tie=1, wrong=0.004),
    ]


def _tenant(
    rng: np.random.Generator,
    name: str,
    turns: int,
    base_rate: float,
    found: tuple[float, float],
    other: tuple[float, float],
    *,
    tie: int,
    wrong: float = 0.0,
) -> Tenant:
    positive = int(turns * base_rate)
    high = np.round(100 * rng.beta(*found, positive) / tie) * tie
    low = np.round(100 * rng.beta(*other, turns - positive) / tie) * tie
    low[: int(wrong * len(low))] = 99  # a judge that is now and then sure and wrong
    counts = [np.bincount(scores.astype(int), minlength=SCORES) for scores in (high, low)]
    return Tenant(name=name, positives=counts[0], negatives=counts[1])


def histogram(counts: np.ndarray) -> Histogram:
    """Makes a histogram of an array of counts."""
    return Histogram(counts={int(score): int(counts[score]) for score in np.flatnonzero(counts)})


def drawn(rng: np.random.Generator, tenant: Tenant, labels: int) -> Sample:
    """Draws turns at random, each at most once, and labels them by the truth."""
    counts = rng.multivariate_hypergeometric(np.concatenate([tenant.positives, tenant.negatives]), labels)
    return Sample(positives=histogram(counts[:SCORES]), negatives=histogram(counts[SCORES:]))


def proven(claim: str, sample: Sample, traffic: Histogram) -> int | None:
    """Asks for a threshold with its guarantee."""
    if claim == "fpr":
        return for_false_alarms(sample, FPR, error=1 - CONFIDENCE).threshold
    return for_precision(sample, PRECISION, traffic, error=1 - CONFIDENCE).threshold


def naive(claim: str, sample: Sample, traffic: Histogram) -> int | None:
    """Takes the lowest threshold whose rate in the sample is on target."""
    del traffic
    for threshold in range(1, SCORES):
        hits, alarms = sample.positives.at_least(threshold), sample.negatives.at_least(threshold)
        if claim == "fpr" and alarms <= FPR * sample.negatives.scored:
            return threshold
        if claim == "precision" and hits and hits >= PRECISION * (hits + alarms):
            return threshold
    return None


def kept(claim: str, rate: float) -> bool:
    """Says whether a true rate keeps the promise."""
    return rate <= FPR if claim == "fpr" else rate >= PRECISION


def simulated(rng: np.random.Generator, tenant: Tenant, claim: str, labels: int, repeats: int) -> dict[str, Any]:
    """Repeats a draw and the choice of a threshold; gives how often the promise was kept."""
    samples = [drawn(rng, tenant, labels) for _ in range(repeats)]
    traffic = tenant.traffic

    def shares(choose: Callable[[str, Sample, Histogram], int | None]) -> tuple[float, float, list[float]]:
        chosen = [choose(claim, sample, traffic) for sample in samples]
        rates = [tenant.rate(claim, threshold) for threshold in chosen if threshold is not None]
        broken = sum(not kept(claim, rate) for rate in rates)
        return 1 - broken / repeats, len(rates) / repeats, rates

    share, given, rates = shares(proven)
    return {
        "tenant": tenant.name,
        "claim": claim,
        "labels": labels,
        "kept": round(share, 4),
        "given": round(given, 4),
        "mean_rate": round(float(np.mean(rates)), 5) if rates else None,
        "naive_kept": round(shares(naive)[0], 4),
    }


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Plots the share of repeats that kept the promise, beside that of the naive choice."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8))
    axes: Any = figure.subplots()
    names = [f"{row['tenant']}: {row['claim']}, {row['labels']:,} labels" for row in rows]
    above, below = ([place + shift for place in range(len(rows))] for shift in (0.2, -0.2))
    kept_given = [row["given"] - (1 - row["kept"]) for row in rows]
    none = [1 - row["given"] for row in rows]
    axes.barh(above, kept_given, height=0.4, color="tab:blue", label="proven: threshold given, promise kept")
    axes.barh(
        above, none, left=kept_given, height=0.4, color="0.85", label="proven: no threshold, more labels asked for"
    )
    axes.barh(
        above,
        [1 - row["kept"] for row in rows],
        left=[row["kept"] for row in rows],
        height=0.4,
        color="tab:red",
        label="proven: promise broken",
    )
    axes.barh(below, [row["naive_kept"] for row in rows], height=0.4, color="tab:orange", label="naive: promise kept")
    axes.axvline(CONFIDENCE, color="black", linestyle=":", label="promised: broken in 5 % at most")
    axes.set(yticks=list(range(len(rows))), xlabel="share of repeats", xlim=(0, 1))
    axes.set_yticklabels(names, fontsize=8)
    axes.invert_yaxis()
    figure.legend(loc="upper center", ncols=2, fontsize=8)
    figure.tight_layout(rect=(0, 0, 1, 0.91))
    with rc_context({"svg.hashsalt": "afterturn", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Prints the table, or with --json one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=500)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    rows = [
        simulated(rng, tenant, claim, labels, options.repeats)
        for tenant in tenants(rng)
        for claim in ("fpr", "precision")
        for labels in LABELS
    ]
    if options.plot:
        draw(rows, options.plot)
    if options.json:
        print(json.dumps({"bench": "thresholds", "target": CONFIDENCE, "repeats": options.repeats, "rows": rows}))
        return
    print(f"{'tenant':<24}{'claim':<11}{'labels':>7}{'kept':>8}{'given':>8}{'mean rate':>11}{'naive kept':>12}")
    for row in rows:
        rate = "-" if row["mean_rate"] is None else f"{row['mean_rate']:.4f}"
        print(
            f"{row['tenant']:<24}{row['claim']:<11}{row['labels']:>7}{row['kept']:>8.3f}{row['given']:>8.3f}"
            f"{rate:>11}{row['naive_kept']:>12.3f}"
        )
    print(f"claims: false-positive rate at most {FPR}, precision at least {PRECISION}; promised share {CONFIDENCE}")


if __name__ == "__main__":
    main()
