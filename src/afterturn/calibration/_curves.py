"""Draws the curves of a labelled sample: what each threshold finds, and what each score is worth."""

from __future__ import annotations

from dataclasses import dataclass

from afterturn.calibration._binomial import Interval, clopper_pearson
from afterturn.calibration._histogram import TOP, Histogram

_BAND = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """Is a labelled sample by score.

    Attributes:
        positives: Scores of the turns that people labelled true: there was something to find.
        negatives: Scores of the turns that people labelled false.
    """

    positives: Histogram
    negatives: Histogram

    @property
    def size(self) -> int:
        """How many turns are labelled."""
        return self.positives.scored + self.negatives.scored


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """Is what an alert at a threshold and above does to the sample, each rate with its interval.

    Attributes:
        threshold: The threshold, 0 to 100; 101 alerts on nothing.
        recall: Share of the positives that alert (the true-positive rate).
        false_alarms: Share of the negatives that alert (the false-positive rate).
        precision: Share of the alerts that are positives.
    """

    threshold: int
    recall: Interval
    false_alarms: Interval
    precision: Interval


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """Is what a band of scores is worth.

    Attributes:
        low: Lowest score of the band.
        high: Highest score of the band.
        labelled: How many labelled turns have such a score.
        mean_score: Their mean score, in percent.
        positives: Share of them that are positives, with its interval; calibrated means: as the mean score says.
    """

    low: int
    high: int
    labelled: int
    mean_score: float
    positives: Interval


def points(sample: Sample, *, confidence: float = 0.95) -> tuple[Point, ...]:
    """Gives a point for each threshold at which the alerts change, from the strictest down.

    Example:
        >>> sample = Sample(positives=Histogram(counts={90: 1}), negatives=Histogram(counts={10: 1}))
        >>> [(one.threshold, one.recall.rate, one.false_alarms.rate) for one in points(sample)]
        [(101, 0.0, 0.0), (90, 1.0, 0.0), (10, 1.0, 1.0)]
    """
    scores = {*sample.positives.counts, *sample.negatives.counts}
    return tuple(point(sample, score, confidence=confidence) for score in sorted({*scores, TOP + 1}, reverse=True))


def point(sample: Sample, threshold: int, *, confidence: float = 0.95) -> Point:
    """Gives the point of one threshold."""
    hits, alarms = sample.positives.at_least(threshold), sample.negatives.at_least(threshold)

    def share(of: int, trials: int) -> Interval:
        return clopper_pearson(of, trials, confidence=confidence)

    return Point(
        threshold=threshold,
        recall=share(hits, sample.positives.scored),
        false_alarms=share(alarms, sample.negatives.scored),
        precision=share(hits, hits + alarms),
    )


def bands(sample: Sample, *, confidence: float = 0.95) -> tuple[Band, ...]:
    """Gives the calibration curve: bands of ten scores (the last of eleven), those without a label left out."""
    found: list[Band] = []
    for low in range(0, TOP, _BAND):
        high = TOP if low + _BAND == TOP else low + _BAND - 1
        positives = _within(sample.positives, low, high)
        negatives = _within(sample.negatives, low, high)
        labelled = len(positives) + len(negatives)
        if labelled:
            share = clopper_pearson(len(positives), labelled, confidence=confidence)
            mean = (sum(positives) + sum(negatives)) / labelled
            found.append(Band(low=low, high=high, labelled=labelled, mean_score=mean, positives=share))
    return tuple(found)


def auroc(sample: Sample) -> float | None:
    """Gives the area under the ROC curve: how often a positive scores above a negative, ties by half.

    Example:
        >>> auroc(Sample(positives=Histogram(counts={90: 2}), negatives=Histogram(counts={10: 1, 90: 1})))
        0.75
    """
    pairs = sample.positives.scored * sample.negatives.scored
    if pairs == 0:
        return None
    wins = 0.0
    for score, count in sample.positives.counts.items():
        below = sample.negatives.scored - sample.negatives.at_least(score)
        wins += count * (below + sample.negatives.counts.get(score, 0) / 2)
    return wins / pairs


def _within(histogram: Histogram, low: int, high: int) -> list[int]:
    return [value for value, count in histogram.counts.items() if low <= value <= high for _ in range(count)]
