from __future__ import annotations

import random
from collections import Counter
from datetime import date

import pytest

from afterturn.calibration import DayHistogram, Histogram, Marks, Series, drift, far_from, ks, psi


def _day(counts: dict[int, int], *, status: str = "finding", version: str = "1", tenant: str = "acme") -> DayHistogram:
    series = Series(tenant, "support", "safety", version, status, None, None)
    return DayHistogram(series=series, day=date(2026, 11, 1), histogram=Histogram(counts=counts))


def test_the_same_scores_are_steady_and_others_ring() -> None:
    then = [_day({80: 300}), _day({90: 700}, status="no_finding")]
    (same,) = drift(then, then)
    assert (same.state, same.why, same.psi, same.distance, same.then, same.now) == (
        "steady",
        None,
        0.0,
        0.0,
        1000,
        1000,
    )
    (moved,) = drift(then, [_day({80: 600}), _day({90: 400}, status="no_finding")])
    assert (moved.state, moved.why) == ("alarm", "psi")
    assert (moved.mean_then, moved.mean_now) == (31.0, 52.0)


def test_a_shift_within_a_band_is_seen_by_ks_alone() -> None:
    (found,) = drift([_day({80: 5_000})], [_day({85: 5_000})])
    assert (found.state, found.why, found.psi, found.distance) == ("alarm", "ks", 0.0, 1.0)


def test_a_small_shift_is_proven_by_many_verdicts_and_rings_not() -> None:
    (found,) = drift([_day({20: 500_000, 80: 500_000})], [_day({20: 520_000, 80: 480_000})])
    assert found.p_value is not None
    assert found.p_value < 1e-50
    assert (found.state, round(found.distance or 0, 3)) == ("steady", 0.02)


def test_a_medium_shift_is_to_be_watched() -> None:
    (found,) = drift([_day({20: 500, 80: 500})], [_day({20: 650, 80: 350})], Marks(watch=0.05, distance=0.3))
    assert (found.state, found.why) == ("watch", "psi")


@pytest.mark.parametrize(
    ("then", "now", "why"),
    [
        ([], [_day({80: 500})], "no_verdicts_then"),
        ([_day({80: 500})], [], "no_verdicts_now"),
        ([_day({80: 199})], [_day({80: 500})], "few_verdicts_then"),
        ([_day({80: 500})], [_day({80: 199})], "few_verdicts_now"),
        ([_day({80: 500})], [_day({}), _day({7: 900}, status="error")], "no_verdicts_now"),
    ],
)
def test_where_there_are_not_enough_it_says_why(then: list[DayHistogram], now: list[DayHistogram], why: str) -> None:
    (found,) = drift(then, now)
    assert (found.state, found.why, found.psi, found.p_value) == ("not_enough", why, None, None)


def test_tenants_and_versions_are_compared_each_by_itself() -> None:
    then = [_day({80: 500}), _day({80: 500}, tenant="other")]
    now = [_day({80: 500}, version="2"), _day({20: 500}, tenant="other")]
    found = [(one.group.tenant, one.group.version, one.state, one.why) for one in drift(then, now)]
    assert found == [
        ("acme", "1", "not_enough", "no_verdicts_now"),
        ("acme", "2", "not_enough", "no_verdicts_then"),
        ("other", "1", "alarm", "psi"),
    ]


def _drawn(chance: random.Random, number: int) -> Histogram:
    return Histogram(counts=Counter(chance.choice((0, 50, 50, 100)) for _ in range(number)))


def test_without_drift_few_ring_and_p_values_stay_honest_with_ties() -> None:
    chance = random.Random(3)
    pairs = [(_drawn(chance, 200), _drawn(chance, 200)) for _ in range(300)]
    assert sum(psi(then, now) >= 0.25 for then, now in pairs) <= 3
    assert sum(ks(then, now)[1] <= 0.05 for then, now in pairs) <= 15


def test_the_bound_is_no_smaller_than_the_share_of_permutations() -> None:
    chance = random.Random(4)
    then, now = Histogram(counts={10: 60, 50: 30, 90: 10}), Histogram(counts={10: 35, 50: 35, 90: 30})
    distance, p_value = ks(then, now)
    pooled = [score for one in (then, now) for score, count in one.counts.items() for _ in range(count)]
    larger = 0
    for _ in range(400):
        chance.shuffle(pooled)
        larger += ks(Histogram(counts=Counter(pooled[:100])), Histogram(counts=Counter(pooled[100:])))[0] >= distance
    assert p_value >= larger / 400


def test_a_random_sample_is_not_far_from_its_traffic_more_often_than_the_bound_says() -> None:
    chance = random.Random(9)
    traffic = [chance.choice((3, 20, 20, 50, 88)) for _ in range(3_000)]
    every = Histogram(counts={score: traffic.count(score) for score in {*traffic}})
    low = 0
    for _ in range(300):
        drawn = chance.sample(traffic, 60)
        _, p_value = far_from(Histogram(counts={score: drawn.count(score) for score in {*drawn}}), every)
        low += p_value <= 0.05
    assert low <= 15
    assert far_from(Histogram(), every) == (0.0, 1.0)
