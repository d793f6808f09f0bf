"""Holds histograms of confidence: 101 integer bins, kept sparsely, exact, and merged by addition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

TOP = 100
"""Is the highest bin; the lowest is 0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Histogram:
    """Counts by an integer from 0 to 100.

    Attributes:
        counts: How many there are, by bin; bins that are not there are empty.
        unscored: How many have no value; they are in no bin.
    """

    counts: Mapping[int, int] = field(default_factory=dict[int, int])
    unscored: int = 0

    @property
    def scored(self) -> int:
        """How many are in bins."""
        return sum(self.counts.values())

    @property
    def total(self) -> int:
        """How many there are in all."""
        return self.scored + self.unscored

    def at_least(self, threshold: int) -> int:
        """Counts those in the bin of the threshold and above.

        Example:
            >>> Histogram(counts={40: 3, 90: 2}).at_least(41)
            2
        """
        return sum(count for value, count in self.counts.items() if value >= threshold)


class Series(NamedTuple):
    """Is what verdicts are counted by, beside their day and confidence; `label` and `reason` are None where none is.

    `replayed_by` is the judge of a replay, or None for live traffic: the two are never counted together.
    """

    tenant: str
    agent: str
    classifier: str
    version: str
    status: str
    label: str | None
    reason: str | None
    replayed_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DayHistogram:
    """Is the histogram of the confidences of one series on one day, in UTC."""

    series: Series
    day: date
    histogram: Histogram


def merged(histograms: Iterable[Histogram]) -> Histogram:
    """Adds histograms: of days, tenants or workers, in any order.

    Example:
        >>> merged([Histogram(counts={90: 1}), Histogram(counts={90: 2, 3: 1}, unscored=1)])
        Histogram(counts={3: 1, 90: 3}, unscored=1)
    """
    counts: Counter[int] = Counter()
    unscored = 0
    for histogram in histograms:
        counts.update(histogram.counts)
        unscored += histogram.unscored
    return Histogram(counts={value: counts[value] for value in sorted(counts)}, unscored=unscored)


def by_series(days: Iterable[DayHistogram]) -> dict[Series, Histogram]:
    """Merges the days of each series."""
    found: dict[Series, list[Histogram]] = {}
    for one in days:
        found.setdefault(one.series, []).append(one.histogram)
    return {series: merged(histograms) for series, histograms in found.items()}
