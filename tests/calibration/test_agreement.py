from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.calibration import agreement
from afterturn.calibration._agreement import _standard_error  # pyright: ignore[reportPrivateUsage]

Pairs = list[tuple[bool, bool]]


def _pairs(both: int, first: int, second: int, neither: int) -> Pairs:
    return [(True, True)] * both + [(True, False)] * first + [(False, True)] * second + [(False, False)] * neither


def _kappa(shares: list[float]) -> float:
    both, first, second, neither = shares
    one, two = both + first, both + second
    chance = one * two + (1 - one) * (1 - two)
    return (both + neither - chance) / (1 - chance)


def _by_differences(counts: tuple[int, int, int, int]) -> float:
    """Gives the standard error by the delta method, with slopes taken numerically."""
    turns = sum(counts)
    shares = [count / turns for count in counts]
    slopes: list[float] = []
    for place in range(4):
        moved = [[share + (sign * 1e-6 if place == at else 0) for at, share in enumerate(shares)] for sign in (1, -1)]
        slopes.append((_kappa(moved[0]) - _kappa(moved[1])) / 2e-6)
    mean = sum(share * slope for share, slope in zip(shares, slopes, strict=True))
    square = sum(share * slope**2 for share, slope in zip(shares, slopes, strict=True))
    return math.sqrt((square - mean**2) / turns)


def test_kappa_is_what_cohen_says() -> None:
    found = agreement(_pairs(20, 5, 10, 15))
    assert found.kappa.rate == pytest.approx(0.4)
    assert (found.turns, found.both_yes, found.first_only, found.second_only, found.both_no) == (50, 20, 5, 10, 15)


def test_its_interval_is_that_of_fleiss_or_wider() -> None:
    counts = (900, 10, 40, 50)
    found = agreement(_pairs(*counts))
    error = _by_differences(counts)
    assert found.kappa.rate is not None
    assert found.kappa.low is not None
    assert found.kappa.high is not None
    assert found.kappa.low <= found.kappa.rate - 1.959 * error
    assert found.kappa.high >= found.kappa.rate + 1.959 * error
    share = [count / 1000 for count in counts]
    margins = (share[0] + share[1], share[0] + share[2])
    chance = margins[0] * margins[1] + (1 - margins[0]) * (1 - margins[1])
    own = _standard_error(Counter(_pairs(*counts)), 1000, *margins, chance)
    assert own == pytest.approx(error, rel=1e-6)


def test_full_agreement_of_a_few_is_not_certain() -> None:
    few, many = agreement(_pairs(3, 0, 0, 3)), agreement(_pairs(300, 0, 0, 300))
    assert (few.kappa.rate, many.kappa.rate) == (1.0, 1.0)
    assert few.kappa.low is not None
    assert many.kappa.low is not None
    assert few.kappa.low < 0.2
    assert many.kappa.low > 0.98


@pytest.mark.parametrize(
    ("pairs", "why"),
    [([], "no_common_turns"), (_pairs(9, 0, 0, 0), "one_answer_only"), (_pairs(0, 0, 0, 4), "one_answer_only")],
)
def test_where_chance_would_agree_as_well_there_is_no_kappa(pairs: Pairs, why: str) -> None:
    found = agreement(pairs)
    assert (found.kappa.rate, found.undefined) == (None, why)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_an_interval_holds_its_kappa_and_who_is_first_does_not_matter(pairs: Pairs) -> None:
    found, turned = agreement(pairs), agreement([(second, first) for first, second in pairs])
    assert found.kappa == pytest.approx(turned.kappa)
    if found.kappa.rate is not None and found.kappa.low is not None and found.kappa.high is not None:
        assert -1 <= found.kappa.low <= found.kappa.rate + 1e-12
        assert found.kappa.rate <= found.kappa.high + 1e-12 <= 1 + 1e-9
