"""The bound on a stratified total holds for every share that the strata may have."""

from __future__ import annotations

import math
from itertools import product
from math import comb

import pytest

from afterturn.calibration._binomial import at_most
from afterturn.calibration._bound import Cell, least, log_p_value, most

_WEIGHTS = (100.0, 30.0)
_TRIALS = (5, 4)
_GRID = [share / 20 for share in range(21)]


def _chance(hits: int, trials: int, share: float) -> float:
    return comb(trials, hits) * share**hits * (1 - share) ** (trials - hits)


def _cells(hits: tuple[int, int], signs: tuple[int, int] = (1, 1)) -> list[Cell]:
    parts = zip(_WEIGHTS, hits, _TRIALS, signs, strict=True)
    return [Cell(weight * sign, number, trials) for weight, number, trials, sign in parts]


@pytest.mark.parametrize("signs", [(1, 1), (1, -1)])
@pytest.mark.parametrize("limit", [20.0, 60.0])
@pytest.mark.parametrize("error", [0.05, 0.2])
def test_a_true_hypothesis_is_rejected_no_more_often_than_it_says(
    signs: tuple[int, int], limit: float, error: float
) -> None:
    outcomes = list(product(range(_TRIALS[0] + 1), range(_TRIALS[1] + 1)))
    rejected = [hits for hits in outcomes if log_p_value(_cells(hits, signs), limit) <= math.log(error)]
    for shares in product(_GRID, _GRID):
        total = sum(w * s * share for w, s, share in zip(_WEIGHTS, signs, shares, strict=True))
        if total >= limit:  # the hypothesis is true
            wrong = sum(
                _chance(one, _TRIALS[0], shares[0]) * _chance(two, _TRIALS[1], shares[1]) for one, two in rejected
            )
            assert wrong <= error


@pytest.mark.parametrize("error", [0.05, 0.2])
def test_the_total_is_above_its_upper_bound_no_more_often_than_it_says(error: float) -> None:
    outcomes = list(product(range(_TRIALS[0] + 1), range(_TRIALS[1] + 1)))
    bounds = {hits: most(_cells(hits), error) for hits in outcomes}
    for shares in product(_GRID[::2], _GRID[::2]):
        total = sum(weight * share for weight, share in zip(_WEIGHTS, shares, strict=True))
        missed = sum(
            _chance(hits[0], _TRIALS[0], shares[0]) * _chance(hits[1], _TRIALS[1], shares[1])
            for hits, bound in bounds.items()
            if bound < total
        )
        assert missed <= error


@pytest.mark.parametrize("trials", [10, 300])
@pytest.mark.parametrize("rate", [0.01, 0.2])
def test_without_a_hit_in_one_cell_it_is_the_exact_tail(trials: int, rate: float) -> None:
    found = log_p_value([Cell(50.0, 0, trials)], 50 * rate)
    assert math.exp(found) == pytest.approx(at_most(0, trials, rate), rel=1e-3)


def test_with_hits_it_is_never_below_the_exact_tail() -> None:
    for hits in range(1, 30):
        assert math.exp(log_p_value([Cell(1.0, hits, 60)], 0.5)) >= at_most(hits, 60, 0.5)


def test_what_was_not_sampled_may_be_anything() -> None:
    sampled, not_sampled = Cell(90.0, 0, 100), Cell(10.0, 0, 0)
    assert log_p_value([sampled, not_sampled], 9.0) == 0.0
    assert log_p_value([sampled, not_sampled], 20.0) < -5
    assert most([sampled, not_sampled], 0.05) > 10.0
    assert least([sampled, not_sampled], 0.05) == pytest.approx(0.0, abs=1e-6)
    assert most([not_sampled], 0.05) == 10.0


def test_a_total_that_no_shares_reach_is_rejected_for_certain() -> None:
    assert log_p_value([Cell(10.0, 3, 5)], 10.5) == -math.inf


def test_lower_and_upper_bound_enclose_what_was_seen_and_narrow_with_labels() -> None:
    few, many = ([Cell(70.0, 2 * times, 10 * times), Cell(30.0, 6 * times, 10 * times)] for times in (1, 20))
    seen = 70 * 0.2 + 30 * 0.6
    assert 0 < least(few, 0.025) < least(many, 0.025) < seen < most(many, 0.025) < most(few, 0.025) < 100


@pytest.mark.parametrize("limit", [-60.0, 0.0, 20.0])
@pytest.mark.parametrize("error", [0.05, 0.2])
def test_it_holds_where_labels_of_what_is_taken_off_stand_for_far_more_turns_than_others(
    limit: float, error: float
) -> None:
    """Exponents of such cells are beyond what numbers hold; cut off, they would prove what is not so."""
    weights, trials = (-100.0, -1.0, 60.0), (3, 4, 3)
    outcomes = list(product(*(range(number + 1) for number in trials)))

    def cells(hits: tuple[int, ...]) -> list[Cell]:
        return [Cell(*one) for one in zip(weights, hits, trials, strict=True)]

    rejected = [hits for hits in outcomes if log_p_value(cells(hits), limit) <= math.log(error)]
    for shares in product(_GRID[::2], repeat=3):
        if sum(weight * share for weight, share in zip(weights, shares, strict=True)) >= limit:
            wrong = sum(math.prod(map(_chance, hits, trials, shares)) for hits in rejected)
            assert wrong <= error


def test_what_alerts_without_a_label_is_not_proven_by_labels_of_the_rest() -> None:
    rest = [Cell(-0.016, 3, 3), Cell(-0.092, 3, 3), Cell(-0.008, 3, 3)]
    assert log_p_value([Cell(3.996, 0, 0), *rest], 0.0) == pytest.approx(0.0, abs=1e-9)
