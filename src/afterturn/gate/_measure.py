"""Measures one metric of a run, and compares it row by row with a baseline's."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from afterturn.calibration import clopper_pearson, incomplete_beta
from afterturn.evals import RowResult
from afterturn.evals._keys import hash_of
from afterturn.gate._metrics import Metric

TAIL = 0.05
"""The chance of calling something not worse that is worse."""

FEWEST_PAIRS = 20
"""With fewer pairs a mean of differences says nothing that a gate may rest on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """Is a figure and what stands behind it.

    Attributes:
        value: The figure; None where nothing was measured.
        low: Lower end of its exact 95 % interval; None but for rates.
        high: Upper end.
        count: Results in it.
        planned: Results that should be in it.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    count: int = 0
    planned: int = 0

    @property
    def coverage(self) -> float:
        """The share of the results that should be in it."""
        return min(1.0, self.count / self.planned) if self.planned else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Paired:
    """Is a comparison row by row, turned so that less than nothing is worse.

    Attributes:
        difference: Mean of new minus baseline, or the reverse where less is better; None without pairs.
        low: Its lower bound, with 95 % confidence; None where it cannot be said.
        pairs: How many rows were measured in both runs.
        planned: How many should have been.
    """

    difference: float | None
    low: float | None
    pairs: int
    planned: int

    @property
    def coverage(self) -> float:
        """The share of the rows that could be compared."""
        return min(1.0, self.pairs / self.planned) if self.planned else 0.0


def measure(metric: Metric, results: Iterable[RowResult], *, planned: int) -> Measured:
    """Measures a metric over all results of a run, one at a time.

    Args:
        metric: The metric.
        results: The results.
        planned: Results that the whole run has; those that are missing are missing from every metric.
    """
    total, count, members, done, broken = 0.0, 0, 0, 0, False
    for result in results:
        done += 1
        members += metric.belongs(result)
        value = metric.counts(result)
        if value is not None:
            broken = broken or not math.isfinite(value)
            total += value
            count += 1
    wanted = members + max(planned - done, 0)
    if not count or broken or not math.isfinite(total):
        return Measured(value=None, count=0, planned=wanted)
    if metric.total:
        return Measured(value=total, count=count, planned=wanted)
    if not metric.rate:
        return Measured(value=total / count, count=count, planned=wanted)
    _, low, high = clopper_pearson(round(total), count)
    return Measured(value=total / count, low=low, high=high, count=count, planned=wanted)


def compare(metric: Metric, new: Iterable[RowResult], baseline: Iterable[RowResult], *, planned: int) -> Paired:
    """Compares two runs row by row, by content and repeat.

    A rate's bound is exact and cautious: that of the rows that got better minus that of those that got worse, each at
    half the risk (Bonferroni). A mean's is Student's.

    Args:
        metric: The metric.
        new: Results of the run that is judged.
        baseline: Results of the run it is compared with.
        planned: Results that the run that is judged has as a whole.
    """
    before: dict[int, float] = {}
    for result in baseline:
        value = metric.counts(result)
        if value is not None:
            before[hash_of(result.row.content, result.repeat)] = value
    sign = 1.0 if metric.higher else -1.0
    differences: list[float] = []
    members = done = 0
    for result in new:
        done += 1
        members += metric.belongs(result)
        value, then = metric.counts(result), before.get(hash_of(result.row.content, result.repeat))
        if value is not None and then is not None:
            differences.append(sign * (value - then))
    wanted = members + max(planned - done, 0)
    pairs = len(differences)
    if not pairs or not all(map(math.isfinite, differences)):
        return Paired(difference=None, low=None, pairs=0, planned=wanted)
    mean = math.fsum(differences) / pairs
    low = _low_of_rate(differences) if metric.rate else _low_of_mean(differences, mean)
    return Paired(difference=mean, low=low, pairs=pairs, planned=wanted)


def _low_of_rate(differences: list[float]) -> float:
    pairs = len(differences)
    better, worse = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    gained = clopper_pearson(better, pairs, confidence=1 - TAIL).low or 0.0
    lost = clopper_pearson(worse, pairs, confidence=1 - TAIL).high or 0.0
    return gained - lost


def _low_of_mean(differences: list[float], mean: float) -> float | None:
    pairs = len(differences)
    if pairs < FEWEST_PAIRS:
        return None
    spread = math.fsum((one - mean) ** 2 for one in differences) / (pairs - 1)
    return mean - _student(pairs - 1) * math.sqrt(spread / pairs)


def _student(freedom: int) -> float:
    """The value that Student's t with so many degrees of freedom exceeds with probability `TAIL`, by halving."""
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + middle * middle)) / 2
        low, high = (middle, high) if tail > TAIL else (low, middle)
    return (low + high) / 2
