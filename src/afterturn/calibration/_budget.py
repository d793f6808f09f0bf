"""Says how many alerts a day a threshold would have given, and which threshold keeps a budget; without labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from afterturn.calibration._histogram import TOP, Histogram


@dataclass(frozen=True, kw_only=True, slots=True)
class Alerts:
    """Is what a threshold would have cost on the days that were seen. It describes the past and promises nothing.

    Attributes:
        days: How many days: from the first with a verdict to the last, those without one included.
        a_day: Mean number of alerts a day.
        most: Number of alerts on the worst day.
    """

    days: int
    a_day: float
    most: int


def alerts(scores: Mapping[date, Histogram], threshold: int) -> Alerts:
    """Counts the alerts that a threshold would have given.

    Example:
        >>> days = {date(2026, 11, 28): Histogram(counts={90: 4}), date(2026, 11, 30): Histogram(counts={90: 2, 80: 9})}
        >>> alerts(days, 90)
        Alerts(days=3, a_day=2.0, most=4)
    """
    if not scores:
        return Alerts(days=0, a_day=0.0, most=0)
    days = (max(scores) - min(scores)) // timedelta(days=1) + 1
    numbers = [histogram.at_least(threshold) for histogram in scores.values()]
    return Alerts(days=days, a_day=sum(numbers) / days, most=max(numbers))


def for_budget(scores: Mapping[date, Histogram], budget: float) -> int | None:
    """Chooses the lowest threshold with at most so many alerts a day in the mean; None where 100 has more."""
    within = [threshold for threshold in range(1, TOP + 1) if alerts(scores, threshold).a_day <= budget]
    return min(within, default=None)
