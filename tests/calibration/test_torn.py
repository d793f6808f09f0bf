"""A stratum whose labels all contradict each other widens what is known by its weight, and proves nothing."""

from __future__ import annotations

import random

import pytest

from afterturn.calibration import (
    Histogram,
    Layer,
    StratifiedSample,
    Target,
    calibrate,
    estimates,
    for_false_alarms_stratified,
    for_precision_stratified,
    stratum_of,
)

_SIZES = {95: 300, 55: 100, 5: 1_600}


def _layer(score: int, yes: int, no: int, *, torn: bool = False) -> Layer:
    status = "finding" if score > 50 else "no_finding"
    return Layer(
        stratum=stratum_of(status, score),
        population=Histogram(counts={score: _SIZES[score]}),
        positives=Histogram(counts={score: yes} if yes else {}),
        negatives=Histogram(counts={score: no} if no else {}),
        torn=torn,
    )


def _sample(sure: int = 27, low: int = 2, *, torn: bool = True) -> StratifiedSample:
    layers = (_layer(5, low, 100 - low), _layer(55, 0, 0, torn=torn), _layer(95, sure, 30 - sure))
    return StratifiedSample(layers=layers)


def test_a_torn_stratum_counts_half_and_its_interval_holds_both_ends() -> None:
    found = estimates(_sample())
    known = 300 * 0.9 + 1_600 * 0.02
    assert found.positives.rate == pytest.approx((known + 50) / 2_000)
    assert found.precision.rate == pytest.approx((270 + 50) / 400)
    for rate, least, most in ((found.positives, known, known + 100), (found.precision, 270, 370)):
        of = 2_000 if rate is found.positives else 400
        assert (rate.low or 0) <= least / of < most / of <= (rate.high or 0)
    silent = estimates(_sample(torn=False))
    assert (silent.positives.rate, silent.precision.rate, silent.recall.rate) == (None, None, None)


def test_its_interval_is_wider_by_no_more_than_its_weight() -> None:
    torn = estimates(_sample())
    without = StratifiedSample(layers=tuple(one for one in _sample().layers if not one.torn))
    known = estimates(without).positives
    low, high = (known.low or 0) * 1_900 / 2_000, (known.high or 0) * 1_900 / 2_000
    assert (torn.positives.low or 0) == pytest.approx(low, abs=1e-6)
    assert (torn.positives.high or 0) == pytest.approx(high + 100 / 2_000, abs=1e-6)


@pytest.mark.parametrize("true_of_torn", [0, 40, 100])
def test_intervals_hold_the_truth_whatever_is_true_of_a_torn_stratum(true_of_torn: int) -> None:
    chance = random.Random(21)
    sure = [number < 270 for number in range(300)]
    low = [number < 32 for number in range(1_600)]
    truth = (270 + true_of_torn + 32) / 2_000, (270 + true_of_torn) / 400, (270 + true_of_torn) / (302 + true_of_torn)
    drawn = [(sum(chance.sample(sure, 30)), sum(chance.sample(low, 100))) for _ in range(60)]
    found = [estimates(_sample(*one)) for one in drawn]
    for place, name in enumerate(("positives", "precision", "recall")):
        intervals = [getattr(one, name) for one in found]
        assert sum(one.low <= truth[place] <= one.high for one in intervals) >= 57
    mean = sum(one.positives.rate or 0 for one in found) / len(found)
    assert mean == pytest.approx((302 + 50) / 2_000, abs=0.005)  # unbiased about the middle of what is possible


def test_a_promise_rests_on_the_worst_that_a_torn_stratum_may_hold() -> None:
    sample = _sample(sure=30)
    low = for_precision_stratified(sample, 0.8).threshold
    assert low is None or low > 55
    whole = StratifiedSample(layers=tuple(_layer(55, 25, 0) if one.torn else one for one in sample.layers))
    assert for_false_alarms_stratified(whole, 0.04).threshold == 6
    strict = for_false_alarms_stratified(sample, 0.04).threshold
    assert strict is None or strict > 55


def test_curves_stay_and_the_torn_band_is_anything() -> None:
    found = calibrate({}, _sample(), Target(kind="alerts_a_day", value=10))
    assert None not in [point.recall.rate for point in found.points]
    assert None not in [point.precision.rate for point in found.points[1:]]
    (band,) = [one for one in found.bands if one.low == 50]
    assert (band.labelled, band.positives) == (0, (0.5, 0.0, 1.0))
    assert found.auroc is not None
