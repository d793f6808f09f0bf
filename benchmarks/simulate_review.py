"""Shows by simulation that estimates from the stratified sample of `afterturn review` are unbiased, and safe to act on.

    python benchmarks/simulate_review.py [--repeats 500] [--json] [--plot FILE.png|svg]

The three tenants of `simulate_thresholds.py`, 200,000 turns in all, of which all is known. Each repeat draws a sample
of 400 turns by stratum, as `afterturn review` does, and labels them by the truth, so nothing but the draw is by chance.
What is looked at:

- bias: the mean of the estimates (share of positives, precision of findings, recall) less the truth, in standard errors
  of that mean. Target: at most 4 in every row. `naive` takes the labelled turns as if each had had the same chance.
- cover: the share of repeats whose 95 % interval holds the truth. Target: at least 95 %.
- a threshold chosen from the stratified sample keeps its promise (false-positive rate at most 1 %, precision at least
  0.9) in at least the stated share, 95 %, of the repeats. A repeat that gives none breaks none; `given` counts the
  others. Each takes a search at up to a hundred thresholds: 500 repeats (--choices) are some minutes of one core.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from simulate_thresholds import FPR, PRECISION, SCORES, Tenant, kept, tenants

from afterturn.calibration import (
    StratifiedSample,
    allocate,
    estimates,
    for_false_alarms_stratified,
    for_precision_stratified,
    layers_of,
    stratum_of,
)

SIZE = 400
CONFIDENCE = 0.95
FINDING_FROM = 51
RATES = ("positives", "precision", "recall")


def status(score: int) -> str:
    """Says what the judge answered: the score of a finding is above 50."""
    return "finding" if score >= FINDING_FROM else "no_finding"


class Traffic:
    """Is the turns of a tenant one by one: score and truth of each, and what the frame of a draw is made of."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        places = np.arange(SCORES)
        self.scores = np.concatenate([np.repeat(places, tenant.positives), np.repeat(places, tenant.negatives)])
        self.labels = np.arange(len(self.scores)) < tenant.positives.sum()
        self.frame = {
            (status(score), score): int(count)
            for score, count in enumerate(tenant.positives + tenant.negatives)
            if count
        }
        self.sizes: dict[Any, int] = {}
        for (name, score), count in self.frame.items():
            stratum = stratum_of(name, score)
            self.sizes[stratum] = self.sizes.get(stratum, 0) + count
        found = self.scores >= FINDING_FROM
        self.members = {
            stratum: np.flatnonzero(
                (self.scores >= stratum.low) & (self.scores <= stratum.high) & (found == (stratum.status == "finding"))
            )
            for stratum in self.sizes
        }

    def truth(self) -> dict[str, float]:
        """Gives the true rates."""
        found = self.scores >= FINDING_FROM
        return {
            "positives": float(self.labels.mean()),
            "precision": float(self.labels[found].mean()),
            "recall": float(found[self.labels].mean()),
        }

    def drawn(self, rng: np.random.Generator, size: int) -> tuple[list[int], StratifiedSample]:
        """Draws as `draw` does, with numbers of the generator in place of 200,000 hashes a repeat."""
        keys: list[int] = []
        for stratum, part in allocate(self.sizes, size).items():
            keys += rng.choice(self.members[stratum], part, replace=False).tolist()
        return keys, self.sample(keys)

    def sample(self, keys: list[int]) -> StratifiedSample:
        """Labels drawn turns by the truth."""
        labelled = ((status(int(self.scores[key])), int(self.scores[key]), bool(self.labels[key])) for key in keys)
        return StratifiedSample(layers=layers_of(self.frame, labelled))


def naive(traffic: Traffic, keys: list[int]) -> dict[str, float]:
    """Takes labelled turns as if they were drawn with one chance."""
    labels, found = traffic.labels[keys], traffic.scores[keys] >= FINDING_FROM
    return {
        "positives": float(labels.mean()),
        "precision": float(labels[found].mean()),
        "recall": float(found[labels].mean()) if labels.any() else math.nan,
    }


def estimated(rng: np.random.Generator, traffic: Traffic, repeats: int, size: int) -> list[dict[str, Any]]:
    """Repeats the draw and the estimates; gives a row a rate."""
    truth = traffic.truth()
    runs: dict[str, list[tuple[float, float, float]]] = {name: [] for name in RATES}
    simple: dict[str, list[float]] = {name: [] for name in RATES}
    for _ in range(repeats):
        keys, sample = traffic.drawn(rng, size)
        found = estimates(sample, confidence=CONFIDENCE)
        for name, value in naive(traffic, keys).items():
            rate, low, high = getattr(found, name)
            simple[name].append(value)
            if rate is not None:
                runs[name].append((rate, low, high))
    return [_row(traffic.tenant.name, name, truth[name], runs[name], simple[name]) for name in RATES]


def _row(
    tenant: str, rate: str, truth: float, runs: list[tuple[float, float, float]], simple: list[float]
) -> dict[str, Any]:
    values = np.array([run[0] for run in runs])
    error = float(values.std(ddof=1) / math.sqrt(len(values)))
    return {
        "tenant": tenant,
        "rate": rate,
        "truth": round(truth, 5),
        "mean": round(float(values.mean()), 5),
        "bias_in_errors": round(float((values.mean() - truth) / error), 2) if error else 0.0,
        "cover": round(float(np.mean([low <= truth <= high for _, low, high in runs])), 4),
        "width": round(float(np.mean([high - low for _, low, high in runs])), 4),
        "naive_mean": round(float(np.nanmean(simple)), 5),
        "estimates": values.round(5).tolist(),
    }


def promised(rng: np.random.Generator, traffic: Traffic, claim: str, repeats: int, size: int) -> dict[str, Any]:
    """Repeats the draw and the choice of a threshold; gives how often the promise was kept."""
    chosen: list[int | None] = []
    for _ in range(repeats):
        _, sample = traffic.drawn(rng, size)
        if claim == "fpr":
            decision = for_false_alarms_stratified(sample, FPR, error=1 - CONFIDENCE)
        else:
            decision = for_precision_stratified(sample, PRECISION, error=1 - CONFIDENCE)
        chosen.append(decision.threshold)
    given = [one for one in chosen if one is not None]
    rates = [traffic.tenant.rate(claim, threshold) for threshold in given]
    return {
        "tenant": traffic.tenant.name,
        "claim": claim,
        "labels": size,
        "kept": round(1 - sum(not kept(claim, rate) for rate in rates) / repeats, 4),
        "given": round(len(given) / repeats, 4),
        "mean_rate": round(float(np.mean(rates)), 5) if rates else None,
    }


def draw_plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Plots the estimates of all repeats about the truth, and where the naive mean lies."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7))
    axes: Any = figure.subplots(3, 3)
    for place, row in zip(axes.flat, rows, strict=True):
        place.hist(row["estimates"], bins=30, color="tab:blue", alpha=0.6)
        place.axvline(row["truth"], color="black", label="truth")
        place.axvline(row["mean"], color="tab:blue", linestyle="--", label="mean of estimates")
        place.axvline(row["naive_mean"], color="tab:red", linestyle=":", label="naive mean")
        place.set_title(f"{row['tenant']}\n{row['rate']}", fontsize=8)
        place.tick_params(labelsize=7)
    axes[0, 0].legend(fontsize=6)
    figure.tight_layout()
    with rc_context({"svg.hashsalt": "afterturn", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Prints the tables, or with --json one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=500)
    parser.add_argument("--choices", type=int, default=500)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    traffics = [Traffic(tenant) for tenant in tenants(rng)]
    rows = [row for one in traffics for row in estimated(rng, one, options.repeats, options.size)]
    if options.plot:
        draw_plot(rows, options.plot)
    claims = [
        promised(rng, one, claim, options.choices, size)
        for one in traffics
        for claim in ("fpr", "precision")
        for size in (options.size, 4 * options.size)
    ]
    for row in rows:
        del row["estimates"]
    if options.json:
        print(
            json.dumps(
                {
                    "bench": "review",
                    "repeats": options.repeats,
                    "size": options.size,
                    "estimates": rows,
                    "thresholds": claims,
                }
            )
        )
        return
    print(f"{'tenant':<22}{'rate':<11}{'truth':>8}{'mean':>9}{'bias/se':>9}{'cover':>8}{'width':>8}{'naive mean':>12}")
    for row in rows:
        print(
            f"{row['tenant']:<22}{row['rate']:<11}{row['truth']:>8.4f}{row['mean']:>9.4f}{row['bias_in_errors']:>9.2f}"
            f"{row['cover']:>8.3f}{row['width']:>8.3f}{row['naive_mean']:>12.4f}"
        )
    print(f"{'tenant':<22}{'claim':<11}{'labels':>8}{'kept':>8}{'given':>8}{'mean rate':>11}")
    for row in claims:
        rate = "-" if row["mean_rate"] is None else f"{row['mean_rate']:.4f}"
        print(
            f"{row['tenant']:<22}{row['claim']:<11}{row['labels']:>8}{row['kept']:>8.3f}{row['given']:>8.3f}{rate:>11}"
        )


if __name__ == "__main__":
    main()
