"""Chooses a threshold with a finite-sample guarantee, or says how many labels are missing for it.

The method is Learn then Test (A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan, L. Lei: Learn then Test:
Calibrating Predictive Algorithms to Achieve Risk Control, arXiv 2110.01052, 2021). For each threshold it tests the
hypothesis that the promise does NOT hold there, with the exact binomial p-value, in an order that is fixed before the
labels are looked at, and stops at the first test that does not reject (fixed-sequence testing). Then the probability
over the draw of the labelled turns that any threshold is accepted whose promise is broken is at most `error`, for any
distribution of scores and any number of labels. It needs labelled turns drawn at random from the traffic.

The false-positive rate falls with the threshold, so its sequence starts at 100. The precision may go up and down, and
at the strictest threshold there are hardly any alerts to test it with; so its sequences start where the traffic, not
the sample, lets one expect enough of them, at a few places that share the error out among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from afterturn.calibration._binomial import at_least, at_most
from afterturn.calibration._curves import Sample
from afterturn.calibration._histogram import TOP, Histogram

METHOD = "learn-then-test (Angelopoulos et al. 2021), exact binomial p-values, fixed-sequence testing"

LabelsOf = Literal["negatives", "alerts", "sample", "strata", "all"]

_LOWEST = 1
"""Is the lowest threshold that is tried: 0 alerts on everything."""

STARTS = (1.5, 3.0, 6.0, 12.0)
"""Are the alerts expected in the sample at each start, as a multiple of the fewest that could prove the claim."""

_MOST_LABELS = 10_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """Is the outcome of a search for a threshold.

    Attributes:
        threshold: The lowest threshold that is proven to keep the promise, or None where none is.
        p_value: The p-value of its test; None where none is chosen.
        tested: How many thresholds were tested.
        more_labels: Where none is chosen: how many labels more would do if the sample's rates are the true ones; None
            where no number would, since the sample breaks the promise at every threshold that was tried.
        labels_of: Of what these labels have to be: turns labelled false, turns that alert, turns of a larger
            stratified sample, of strata that have no label, or all turns that there are.
    """

    threshold: int | None
    p_value: float | None = None
    tested: int = 0
    more_labels: int | None = None
    labels_of: LabelsOf = "alerts"


def for_false_alarms(sample: Sample, target: float, *, error: float = 0.05) -> Decision:
    """Chooses the lowest threshold whose false-positive rate is at most the target.

    Args:
        sample: The labelled sample.
        target: The highest false-positive rate, between 0 and 1.
        error: The probability that the promise may be broken with.

    Example:
        >>> sample = Sample(positives=Histogram(), negatives=Histogram(counts={5: 297, 80: 2}))
        >>> for_false_alarms(sample, 0.01).threshold, for_false_alarms(sample, 0.001).more_labels
        (81, 2696)
    """
    trials = sample.negatives.scored

    def p_value(threshold: int) -> float:
        return at_most(sample.negatives.at_least(threshold), trials, target)

    rejected, tested = walk(TOP, p_value, error)
    if rejected:
        lowest = min(rejected)
        return Decision(threshold=lowest, p_value=rejected[lowest], tested=tested, labels_of="negatives")
    needed = labels_for_false_alarms(sample.negatives.at_least(TOP), trials, target, error=error)
    more = None if needed is None else max(1, needed - trials)
    return Decision(threshold=None, tested=tested, more_labels=more, labels_of="negatives")


def for_precision(sample: Sample, target: float, traffic: Histogram, *, error: float = 0.05) -> Decision:
    """Chooses the lowest threshold that is proven to have at least the target precision.

    Args:
        sample: The labelled sample.
        target: The lowest precision, between 0 and 1.
        traffic: The scores of all the traffic that the sample was drawn from; says where to start.
        error: The probability that the promise may be broken with.
    """
    starts = starts_for_precision(sample.size, target, traffic, error=error)
    share = error / max(1, len(starts))
    rejected: dict[int, float] = {}
    tested: set[int] = set()
    for start in starts:
        found, number = walk(start, lambda threshold: _precision_p(sample, threshold, target), share)
        rejected |= found
        tested |= set(range(start, start - number, -1))
    if rejected:
        lowest = min(rejected)
        return Decision(threshold=lowest, p_value=rejected[lowest], tested=len(tested))
    return Decision(threshold=None, tested=len(tested), more_labels=_more_alerts(sample, target, traffic, error))


def starts_for_precision(labels: int, target: float, traffic: Histogram, *, error: float) -> tuple[int, ...]:
    """Gives the thresholds to start from: the strictest at which the traffic lets one expect enough labelled alerts."""
    fewest = fewest_hits(target, error / len(STARTS))
    starts: list[int] = []
    for multiple in STARTS:
        enough = multiple * fewest * traffic.scored
        start = next((one for one in range(TOP, 0, -1) if labels * traffic.at_least(one) >= enough), None)
        if start is not None and traffic.scored and start not in starts:
            starts.append(start)
    return tuple(starts)


def fewest_hits(target: float, error: float) -> int:
    """Gives the fewest alerts that can prove a precision, all of them right.

    Example:
        >>> fewest_hits(0.9, 0.05)
        29
    """
    return math.ceil(math.log(error) / math.log(target))


def labels_for_false_alarms(alarms: int, trials: int, target: float, *, error: float) -> int | None:
    """Gives the labelled negatives that prove a false-positive rate, if the sample's rate is the true one."""
    rate = alarms / trials if trials else 0.0
    if rate >= target:
        return None
    return _fewest(lambda number: at_most(math.ceil(rate * number), number, target) <= error)


def _precision_p(sample: Sample, threshold: int, target: float) -> float:
    return at_least(*_alerts(sample, threshold), target)


def _more_alerts(sample: Sample, target: float, traffic: Histogram, error: float) -> int | None:
    """Gives the labelled alerts that are missing where the fewest are, if the sample's rates are the true ones.

    What is there is what the traffic lets one expect, as where the search starts; the sample may have more or fewer.
    """
    share = error / len(STARTS)
    at_start = math.ceil(STARTS[0] * fewest_hits(target, share))
    every = max(1, traffic.scored)
    seen = {(*_alerts(sample, one), sample.size * traffic.at_least(one) / every) for one in range(_LOWEST, TOP + 1)}
    more: list[int] = []
    for hits, trials, expected in [one for one in seen if one[1]] or [(0, 0, 0.0)]:
        rate = hits / trials if trials else 1.0
        needed = None if rate <= target else _fewest(_proves_precision(rate, target, share))
        if needed is not None:
            more.append(max(1, math.ceil(max(needed - min(trials, expected), at_start - expected))))
    return min(more, default=None)


def _proves_precision(rate: float, target: float, error: float) -> Callable[[int], bool]:
    return lambda number: at_least(math.floor(rate * number), number, target) <= error


def _alerts(sample: Sample, threshold: int) -> tuple[int, int]:
    hits = sample.positives.at_least(threshold)
    return hits, hits + sample.negatives.at_least(threshold)


def walk(start: int, p_value: Callable[[int], float], error: float) -> tuple[dict[int, float], int]:
    """Tests from a start downwards until one test does not reject; gives the rejected ones and how many were tested."""
    rejected: dict[int, float] = {}
    for threshold in range(start, _LOWEST - 1, -1):
        p = p_value(threshold)
        if p > error:
            return rejected, start - threshold + 1
        rejected[threshold] = p
    return rejected, start


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """Finds the fewest labels that are enough: doubles, then halves."""
    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST_LABELS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
