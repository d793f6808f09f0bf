"""Chooses a threshold with a finite-sample guarantee from a stratified sample; see `_choose` for the idea.

The hypotheses, their order and the search are those of learn-then-test. The p-value is that of `_bound`: whether the
promise is broken is a claim about one total, of turns weighted by what they add to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from afterturn.calibration._bound import Cell, log_p_value
from afterturn.calibration._choose import STARTS, Decision, LabelsOf, fewest_hits, walk
from afterturn.calibration._histogram import TOP
from afterturn.calibration._stratified import Part, StratifiedSample, parts

METHOD_STRATIFIED = (
    "learn-then-test (Angelopoulos et al. 2021), Chernoff p-values for samples stratified by score (Hoeffding 1963; "
    "worst case over the strata), fixed-sequence testing"
)


def for_false_alarms_stratified(sample: StratifiedSample, target: float, *, error: float = 0.05) -> Decision:
    """Chooses the lowest threshold whose false-positive rate in the traffic is at most the target.

    The search starts at the highest score that there is: above it nothing alerts, and nothing is proven by that.
    """
    start = max((score for score in sample.population.counts if score), default=TOP)
    enough = math.log(error)
    rejected, tested = walk(start, lambda one: math.exp(_false_alarms(sample, one, target, enough=enough)), error)
    if rejected:
        p_value = math.exp(_false_alarms(sample, min(rejected), target))
        return Decision(threshold=min(rejected), p_value=p_value, tested=tested, labels_of="sample")
    more, of = _more(sample, [_factor(_false_alarms(sample, start, target), error)])
    return Decision(threshold=None, tested=tested, more_labels=more, labels_of=of)


def for_precision_stratified(sample: StratifiedSample, target: float, *, error: float = 0.05) -> Decision:
    """Chooses the lowest threshold that is proven to have at least the target precision in the traffic."""
    starts = _starts(sample, target, error)
    share = error / max(1, len(starts))
    enough = math.log(share)
    rejected: set[int] = set()
    tested: set[int] = set()
    for start in starts:
        found, number = walk(start, lambda one: math.exp(_precision(sample, one, target, enough=enough)), share)
        rejected |= {*found}
        tested |= set(range(start, start - number, -1))
    if rejected:
        p_value = math.exp(_precision(sample, min(rejected), target))
        return Decision(threshold=min(rejected), p_value=p_value, tested=len(tested), labels_of="sample")
    at_start = STARTS[0] * fewest_hits(target, error / len(STARTS))
    factors = [
        max(_factor(_precision(sample, one, target), error / len(STARTS)), at_start / expected)
        for one in range(5, TOP + 1, 5)
        if (expected := _labelled_alerts(sample, one))
    ]
    more, of = _more(sample, factors)
    return Decision(threshold=None, tested=len(tested), more_labels=more, labels_of=of)


def _false_alarms(sample: StratifiedSample, threshold: int, target: float, *, enough: float = -math.inf) -> float:
    """Gives the log of the p-value for "the rate is above the target": false alarms less their share of negatives."""
    above, below = parts(sample, threshold)
    return _log_p([(part, 1 - target) for part in above] + [(part, -target) for part in below], 0.0, enough)


def _precision(sample: StratifiedSample, threshold: int, target: float, *, enough: float = -math.inf) -> float:
    """Gives the log of the p-value for "the precision is under the target": too many of the alerts are negatives."""
    above, _ = parts(sample, threshold)
    return _log_p([(part, 1.0) for part in above], (1 - target) * sum(part.turns for part in above), enough)


def _log_p(of: Sequence[tuple[Part, float]], limit: float, enough: float) -> float:
    """Tests whether the weighted negatives reach a limit; parts labelled to the last turn are known."""
    cells: list[Cell] = []
    for part, weight in of:
        if part.labelled == part.turns:
            limit -= weight * (part.turns - part.positives)
        else:
            cells.append(part.cell(of=False, times=weight))
    if not any(cell.trials for cell in cells):
        return -math.inf if of and sum(max(0.0, cell.weight) for cell in cells) < limit else 0.0
    return log_p_value(cells, limit, enough=enough)


def _starts(sample: StratifiedSample, target: float, error: float) -> tuple[int, ...]:
    """Gives the thresholds to start from: the strictest with enough labelled alerts, which shares of the labels decide.

    What is looked at is how many labels a stratum has, never which: so the labels cannot choose their own test.
    """
    fewest = fewest_hits(target, error / len(STARTS))
    expected = {one: _labelled_alerts(sample, one) for one in range(1, TOP + 1)}
    starts: list[int] = []
    for multiple in STARTS:
        start = next((one for one in range(TOP, 0, -1) if expected[one] >= multiple * fewest), None)
        if start is not None and start not in starts:
            starts.append(start)
    return tuple(starts)


def _labelled_alerts(sample: StratifiedSample, threshold: int) -> float:
    return sum(
        layer.labelled * layer.population.at_least(threshold) / layer.population.scored for layer in sample.layers
    )


def _factor(log_p: float, error: float) -> float:
    """Says how many times the labels would do, in their proportions: the log of a p-value grows with their number."""
    return math.log(error) / log_p if log_p < 0 else math.inf


def _more(sample: StratifiedSample, factors: Sequence[float]) -> tuple[int | None, LabelsOf]:
    """Gives the labels that are missing at the threshold where the fewest are, and of what; None: no number would do.

    A stratum without a label may hold anything, so nothing is known before each has one. More than all turns are never
    missing: who labels all knows all.
    """
    left = sample.population.scored - sample.size
    silent = sum(not layer.labelled for layer in sample.layers if layer.population.scored)
    best = min(factors, default=math.inf)
    if not left or (math.isinf(best) and not silent):
        return None, "sample"
    if math.isinf(best):
        return silent, "strata"
    more = max(1, silent, math.ceil(sample.size * (best - 1)))
    return (more, "sample") if more < left else (left, "all")
