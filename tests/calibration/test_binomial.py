"""The exact tails equal sums of exact fractions; intervals cover what they promise."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.calibration import at_least, at_most, clopper_pearson


def _summed(hits: range, trials: int, rate: Fraction) -> float:
    return float(sum(math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in hits))


@given(st.integers(0, 120), st.integers(-1, 125), st.integers(1, 999))
def test_tails_equal_sums_of_exact_fractions(trials: int, hits: int, thousandths: int) -> None:
    rate = Fraction(thousandths, 1000)
    below = _summed(range(min(hits, trials) + 1), trials, rate)
    above = _summed(range(max(hits, 0), trials + 1), trials, rate)
    assert at_most(hits, trials, float(rate)) == pytest.approx(below, abs=1e-11)
    assert at_least(hits, trials, float(rate)) == pytest.approx(above, abs=1e-11)


def test_small_tails_keep_their_digits() -> None:
    assert at_least(100, 100, 0.5) == pytest.approx(0.5**100, rel=1e-9)
    assert at_most(0, 10_000_000, 1e-6) == pytest.approx(math.exp(10_000_000 * math.log1p(-1e-6)), rel=1e-6)


def test_a_rate_of_none_or_all_has_the_tails_of_a_certainty() -> None:
    assert (at_most(0, 5, 0.0), at_most(4, 5, 1.0), at_least(5, 5, 1.0), at_least(1, 5, 0.0)) == (1.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [  # bounds for no hits and all hits in closed form; the others by the definition, to six digits
        (0, 299, 0.0, 1 - 0.025 ** (1 / 299)),
        (30, 30, 0.025 ** (1 / 30), 1.0),
        (5, 10, 0.187086, 0.812914),
        (1, 100, 0.000253, 0.054459),
    ],
)
def test_intervals_are_the_known_ones(hits: int, trials: int, low: float, high: float) -> None:
    interval = clopper_pearson(hits, trials)
    assert interval.low == pytest.approx(low, abs=1e-6)
    assert interval.high == pytest.approx(high, abs=1e-6)


def test_nothing_seen_has_no_interval() -> None:
    assert clopper_pearson(0, 0) == (None, None, None)


@pytest.mark.parametrize("rate", [0.003, 0.2, 0.5, 0.93])
@pytest.mark.parametrize("trials", [7, 60])
def test_an_interval_holds_the_true_rate_as_often_as_it_says(trials: int, rate: float) -> None:
    covered = 0.0
    for hits in range(trials + 1):
        _, low, high = clopper_pearson(hits, trials, confidence=0.9)
        assert low is not None
        assert high is not None
        if low <= rate <= high:
            covered += math.comb(trials, hits) * rate**hits * (1 - rate) ** (trials - hits)
    assert covered >= 0.9
