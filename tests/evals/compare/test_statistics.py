"""The statistics of a comparison against published and simulated figures."""

from __future__ import annotations

import random

import pytest

from afterturn.calibration import rank_biserial, wilcoxon
from afterturn.evals.compare._statistics import bootstrap, detectable_mean, detectable_rate, holm

# M. Hollander, D. A. Wolfe: Nonparametric statistical methods, 1973, table 3.1 (p. 29): nine patients, two visits.
DEPRESSION = [0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010]


def test_wilcoxon_gives_the_published_p_value() -> None:
    assert wilcoxon(DEPRESSION) == 0.0390625
    assert rank_biserial(DEPRESSION) == pytest.approx(2 * 40 / 45 - 1)


def test_wilcoxon_by_the_normal_distribution_meets_the_exact_one(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    for _ in range(20):
        differences = [chance.randint(-30, 40) for _ in range(50)]
        exact = wilcoxon(differences)
        with monkeypatch.context() as patch:
            patch.setattr("afterturn.calibration._wilcoxon._EXACT_UP_TO", 10)
            assert wilcoxon(differences) == pytest.approx(exact, abs=0.01)


def test_wilcoxon_is_the_same_the_other_way_round() -> None:
    assert wilcoxon(DEPRESSION) == wilcoxon([-one for one in DEPRESSION])


def test_the_bootstrap_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    chance = random.Random(3)
    hits = 0
    for seed in range(200):
        low, high = bootstrap([chance.choice((-10, 0, 5, 20)) for _ in range(60)], seed=seed) or (1, 0)
        hits += low <= 3.75 <= high
    assert 180 <= hits <= 198


def test_the_bootstrap_of_rows_without_spread_says_nothing() -> None:
    assert bootstrap([0.0] * 30, seed=0) is None
    assert bootstrap([5.0] * 30, seed=0) is None


def test_the_detectable_difference_of_means_shrinks_with_the_root_of_the_rows() -> None:
    few, many = detectable_mean([10, -10] * 50), detectable_mean([10, -10] * 5000)
    assert few is not None
    assert many is not None
    assert few / many == pytest.approx(10, rel=0.01)
    assert detectable_mean([3, 3, 3]) is None


def test_mcnemar_finds_the_detectable_difference_in_about_four_of_five_runs() -> None:
    from afterturn.calibration import mcnemar

    rows, apart = 400, 0.2
    least = detectable_rate([1] * 40 + [-1] * 40 + [0] * 320)
    assert least is not None
    chance, found = random.Random(5), 0
    for _ in range(300):
        drawn = chance.choices((1, -1, 0), (apart / 2 + least / 2, apart / 2 - least / 2, 1 - apart), k=rows)
        found += (mcnemar(drawn.count(-1), drawn.count(1)) or 1.0) <= 0.05
    assert 0.70 <= found / 300 <= 0.88  # the exact test is a little stricter than the formula


def test_of_three_rows_no_difference_of_rates_could_be_seen() -> None:
    assert detectable_rate([0, 0, 0]) is None


def test_holm_keeps_the_order_and_passes_over_what_was_not_tested() -> None:
    assert holm([0.03, 0.02]) == [0.04, 0.04]
    assert holm([None, None]) == [None, None]
