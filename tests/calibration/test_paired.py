"""The gain of one side over the other is that of the whole traffic, with an interval that holds."""

from __future__ import annotations

import random

import pytest

from afterturn.calibration import Interval, Pairs, gain


def test_turns_count_by_how_many_they_stand_for() -> None:
    """In the large stratum the old side is ahead on one turn of ten, in the small one the new side on nine."""
    strata = [
        Pairs(turns=10_000, labelled=10, only_old=1, only_new=0),
        Pairs(turns=10, labelled=10, only_old=0, only_new=9),
    ]
    assert gain(strata).rate == pytest.approx((-1000 + 9) / 10_010)


def test_who_labels_all_knows_the_gain() -> None:
    assert gain([Pairs(turns=40, labelled=40, only_old=3, only_new=13)]) == Interval(0.25, 0.25, 0.25)


def test_a_stratum_without_a_label_leaves_the_gain_unknown() -> None:
    strata = [Pairs(turns=9, labelled=9, only_old=0, only_new=9), Pairs(turns=1, labelled=0, only_old=0, only_new=0)]
    assert gain(strata) == gain([]) == Interval(None, None, None)


def test_of_a_torn_stratum_every_turn_on_which_the_sides_differ_may_count_for_either() -> None:
    """Four of its ten turns are answered differently; of the other stratum all is known."""
    strata = [
        Pairs(turns=30, labelled=30, only_old=2, only_new=8),
        Pairs(turns=10, labelled=0, only_old=0, only_new=0, torn=4),
    ]
    assert gain(strata) == Interval(6 / 40, 2 / 40, 10 / 40)
    assert gain(strata[1:]) == Interval(0.0, -0.4, 0.4)


def test_both_sides_change_places_with_the_sign() -> None:
    one = gain([Pairs(turns=500, labelled=80, only_old=4, only_new=30)])
    other = gain([Pairs(turns=500, labelled=80, only_old=30, only_new=4)])
    assert one.low is not None
    assert one.low > 0
    assert [-(value or 0) for value in other] == pytest.approx([one.rate, one.high, one.low])


def test_the_interval_holds_the_truth_at_least_as_often_as_it_says() -> None:
    """Three strata of other sizes and other gains; 200 draws."""
    chance = random.Random(3)
    strata = [(600, 0.3, 0.05), (300, 0.02, 0.1), (50, 0.0, 0.8)]  # turns, share only old, share only new
    kinds = [["old"] * int(n * a) + ["new"] * int(n * b) + [""] * (n - int(n * a) - int(n * b)) for n, a, b in strata]
    truth = sum(kind.count("new") - kind.count("old") for kind in kinds) / 950
    held = 0
    for _ in range(200):
        drawn = [chance.sample(kind, 25) for kind in kinds]
        found = gain(
            Pairs(turns=len(kind), labelled=25, only_old=some.count("old"), only_new=some.count("new"))
            for kind, some in zip(kinds, drawn, strict=True)
        )
        held += (found.low or 0) <= truth <= (found.high or 0)
    assert held >= 190
