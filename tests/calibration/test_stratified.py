"""Estimates from a stratified sample are unbiased, over all samples that could have been drawn."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

from afterturn.calibration import (
    Histogram,
    Sample,
    StratifiedSample,
    Target,
    allocate,
    calibrate,
    estimates,
    for_false_alarms_stratified,
    for_precision_stratified,
    layers_of,
    stratum_of,
)

Turns = list[tuple[str, int, bool]]
"""Is status, score and truth of turns."""

_SMALL: Turns = [
    *[("finding", 90 + number, number % 3 != 0) for number in range(4)],
    *[("finding", 60, True), ("finding", 61, False), ("finding", 62, False)],
    *[("no_finding", number, number == 4) for number in range(5)],
]


def _frame(turns: Turns) -> dict[tuple[str, int], int]:
    frame: dict[tuple[str, int], int] = {}
    for status, score, _ in turns:
        frame[status, score] = frame.get((status, score), 0) + 1
    return frame


def _sampled(turns: Turns, labelled: Turns) -> StratifiedSample:
    return StratifiedSample(layers=layers_of(_frame(turns), iter(labelled)))


def _by_stratum(turns: Turns) -> list[Turns]:
    strata = sorted({stratum_of(status, score) for status, score, _ in turns})
    return [[one for one in turns if stratum_of(one[0], one[1]) == stratum] for stratum in strata]


def _all_samples(turns: Turns, each: int) -> list[Turns]:
    parts = [combinations(members, each) for members in _by_stratum(turns)]
    return [[one for part in chosen for one in part] for chosen in product(*parts)]


@pytest.mark.parametrize("each", [1, 2])
def test_the_mean_over_all_samples_is_the_truth(each: int) -> None:
    found = [estimates(_sampled(_SMALL, labelled)) for labelled in _all_samples(_SMALL, each)]
    positives = [one.positives.rate or 0.0 for one in found]
    precision = [one.precision.rate or 0.0 for one in found]
    findings = [label for status, _, label in _SMALL if status == "finding"]
    assert sum(positives) / len(found) == pytest.approx(sum(label for *_, label in _SMALL) / len(_SMALL), abs=1e-12)
    assert sum(precision) / len(found) == pytest.approx(sum(findings) / len(findings), abs=1e-12)


def test_who_labels_all_knows_all() -> None:
    found = estimates(_sampled(_SMALL, _SMALL))
    assert found.precision == pytest.approx((3 / 7,) * 3)
    assert found.positives == pytest.approx((4 / 12,) * 3)
    assert found.recall == pytest.approx((0.75,) * 3)


def test_without_a_label_in_a_stratum_a_rate_is_unknown() -> None:
    found = estimates(_sampled(_SMALL, [one for one in _SMALL if one[0] == "finding"]))
    assert found.precision.rate is not None
    assert (found.positives.rate, found.recall.rate) == (None, None)


# --- simulated traffic ------------------------------------------------------------------------------------------------


def _traffic(chance: random.Random, turns: int = 6_000) -> Turns:
    found: Turns = []
    for _ in range(turns):
        label = chance.random() < 0.08
        score = round(100 * (chance.betavariate(6, 2) if label else chance.betavariate(1.2, 7)))
        found.append(("finding" if score > 50 else "no_finding", score, label))
    return found


def _draw(chance: random.Random, turns: Turns, size: int) -> Turns:
    strata = {stratum_of(part[0][0], part[0][1]): part for part in _by_stratum(turns)}
    parts = allocate({stratum: len(members) for stratum, members in strata.items()}, size)
    return [one for stratum, part in parts.items() for one in chance.sample(strata[stratum], part)]


def test_intervals_hold_the_truth_at_least_as_often_as_they_say() -> None:
    chance = random.Random(11)
    turns = _traffic(chance)
    truth = sum(label for *_, label in turns) / len(turns)
    found = [estimates(_sampled(turns, _draw(chance, turns, 150))).positives for _ in range(30)]
    assert sum((one.low or 0) <= truth <= (one.high or 0) for one in found) >= 28
    rates = [one.rate or 0.0 for one in found]
    mean = sum(rates) / len(rates)
    spread = (sum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1)) ** 0.5
    assert abs(mean - truth) <= 4 * spread / len(rates) ** 0.5


def _false_alarms(turns: Turns, threshold: int) -> float:
    negatives = [score for _, score, label in turns if not label]
    return sum(score >= threshold for score in negatives) / len(negatives)


def _precision(turns: Turns, threshold: int) -> float:
    alerts = [label for _, score, label in turns if score >= threshold]
    return sum(alerts) / len(alerts)


def test_a_threshold_keeps_its_promise_as_often_as_it_says() -> None:
    chance = random.Random(12)
    turns = _traffic(chance)
    given = 0
    for _ in range(10):
        sample = _sampled(turns, _draw(chance, turns, 400))
        low = for_false_alarms_stratified(sample, 0.02).threshold
        high = for_precision_stratified(sample, 0.7).threshold
        assert low is None or _false_alarms(turns, low) <= 0.02
        assert high is None or _precision(turns, high) >= 0.7
        given += (low is not None) + (high is not None)
    assert given >= 16


def test_fewer_labels_than_a_simple_sample_needs_prove_a_false_positive_rate() -> None:
    chance = random.Random(13)
    turns = _traffic(chance)
    labelled = _draw(chance, turns, 150)
    found = for_false_alarms_stratified(_sampled(turns, labelled), 0.01)
    assert found.threshold is not None
    assert sum(not label for *_, label in labelled) < 299  # what a simple sample needs without a single false alarm


def test_what_is_missing_is_said_in_turns_of_a_larger_sample() -> None:
    chance = random.Random(14)
    turns = _traffic(chance)
    found = for_precision_stratified(_sampled(turns, _draw(chance, turns, 60)), 0.8)
    assert (found.threshold, found.labels_of) == (None, "sample")
    assert found.more_labels is not None
    assert 1 <= found.more_labels <= 2_000
    hopeless = [("finding", 90, False)] * 50
    assert for_precision_stratified(_sampled(hopeless * 9, hopeless), 0.8).more_labels is None


def test_a_score_that_nothing_has_proves_nothing() -> None:
    turns: Turns = [("no_finding", 5, False)] * 500 + [("finding", 80, False)] * 500
    found = for_false_alarms_stratified(_sampled(turns, turns[450:550]), 0.01)
    assert found.threshold is None


def test_curves_of_a_sample_are_those_of_the_traffic() -> None:
    chance = random.Random(15)
    turns = _traffic(chance)
    scores = {True: dict[int, int](), False: dict[int, int]()}
    for _, score, label in turns:
        scores[label][score] = scores[label].get(score, 0) + 1
    whole = Sample(positives=Histogram(counts=scores[True]), negatives=Histogram(counts=scores[False]))
    target = Target(kind="false_positive_rate", value=0.05)
    known, sampled = calibrate({}, whole, target), calibrate({}, _sampled(turns, _draw(chance, turns, 800)), target)
    assert known.auroc is not None
    assert sampled.auroc == pytest.approx(known.auroc, abs=0.05)
    truth = {point.threshold: point for point in known.points}
    for point in sampled.points:
        for name in ("recall", "false_alarms", "precision"):
            rate, low, high = getattr(point, name)
            if rate is not None:
                assert low - 1e-9 <= getattr(truth[point.threshold], name).rate <= high + 1e-9
    assert sampled.guarantee is not None
    assert "each stratum" in sampled.guarantee


def test_more_labels_than_there_are_turns_are_never_asked_for() -> None:
    turns: Turns = [("finding", 95, True)] * 20 + [("no_finding", 5, False)] * 40
    labelled = turns[:2] + turns[20:22]
    found = for_false_alarms_stratified(_sampled(turns, labelled), 0.001)
    assert (found.threshold, found.more_labels, found.labels_of) == (None, 56, "all")
    assert for_false_alarms_stratified(_sampled(turns, turns), 0.001).threshold is not None


def test_a_stratum_without_a_label_is_missing_and_does_not_break_a_promise() -> None:
    turns: Turns = [("finding", 95, True)] * 20 + [("no_finding", 5, False)] * 40
    found = for_precision_stratified(_sampled(turns, turns[20:]), 0.9)
    assert (found.threshold, found.more_labels, found.labels_of) == (None, 1, "strata")


def test_scores_that_nobody_labelled_are_not_proven_to_raise_no_false_alarm() -> None:
    """The surest findings have no label; those of a common stratum stand for ten times as many turns as others."""
    turns: Turns = [("finding", 88, False)] * 4 + [("finding", 80, False)] * 16
    turns += [("no_finding", 15, False)] * 92 + [("no_finding", 20, False)] * 8
    labelled = [turns[4]] * 3 + [turns[20]] * 3 + [turns[-1]] * 3
    assert for_false_alarms_stratified(_sampled(turns, labelled), 0.001).threshold is None
