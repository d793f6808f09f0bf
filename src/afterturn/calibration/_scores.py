"""Gives a verdict the score that alerts are raised by: how likely it says there is something to find."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from afterturn.calibration._histogram import TOP, DayHistogram, Histogram, merged


def score(status: str, confidence: int | None) -> int | None:
    """Gives the confidence of a finding, or 100 less the confidence of no finding.

    A verdict without a confidence scores 0, as it does where a policy asks for a least confidence: it never alerts. A
    skip or an error has no score: nothing was read.

    Example:
        >>> score("finding", 90), score("no_finding", 90), score("finding", None), score("skipped", None)
        (90, 10, 0, None)
    """
    if status not in ("finding", "no_finding"):
        return None
    if confidence is None:
        return 0
    return confidence if status == "finding" else TOP - confidence


def scores_by_day(days: Iterable[DayHistogram]) -> dict[date, Histogram]:
    """Turns histograms of confidences into histograms of scores, one a day; skips and errors are `unscored`."""
    found: dict[date, list[Histogram]] = {}
    for one in days:
        found.setdefault(one.day, []).append(_scored(one))
    return {day: merged(histograms) for day, histograms in sorted(found.items())}


def _scored(one: DayHistogram) -> Histogram:
    status, histogram = one.series.status, one.histogram
    if score(status, None) is None:
        return Histogram(unscored=histogram.total)
    bins = [Histogram(counts={score(status, value) or 0: count}) for value, count in histogram.counts.items()]
    return merged([*bins, Histogram(counts={0: histogram.unscored} if histogram.unscored else {})])
