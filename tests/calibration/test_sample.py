"""Samples are the same for the same seed, grow without losing a turn, and give each turn of a stratum one chance."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterturn.calibration import Candidate, Drawn, Stratum, allocate, draw, stratum_of

_SIZES = {stratum_of("finding", 95): 40, stratum_of("no_finding", 5): 900, stratum_of("no_finding", 45): 60}


def _candidates(*, extra: int = 0) -> list[Candidate]:
    found: list[Candidate] = []
    for stratum, number in _SIZES.items():
        for place in range(number + extra):
            key = len(found)
            name = f"{stratum.status}-{stratum.low}-{place}"
            found.append(Candidate(key=key, tenant="acme", turn=name, status=stratum.status, score=stratum.low + 1))
    return found


def _sizes(candidates: list[Candidate]) -> Counter[Stratum]:
    return Counter(stratum_of(one.status, one.score) for one in candidates)


def _names(drawn: tuple[Drawn, ...]) -> list[str]:
    return [one.candidate.turn for one in drawn]


@given(
    sizes=st.dictionaries(st.builds(stratum_of, st.just("finding"), st.integers(0, 100)), st.integers(0, 10_000)),
    size=st.integers(1, 5_000),
)
@settings(max_examples=200)
def test_no_stratum_gives_more_than_it_has_or_less_than_two(sizes: dict[Stratum, int], size: int) -> None:
    parts = allocate(sizes, size)
    assert {stratum for stratum, number in sizes.items() if number} == {*parts}
    assert all(min(2, sizes[stratum]) <= part <= sizes[stratum] for stratum, part in parts.items())
    wanted = min(size, sum(sizes.values()))
    assert wanted <= sum(parts.values()) <= wanted + 2 * len(parts)


def test_a_sample_is_shared_out_by_the_root_of_what_there_is() -> None:
    first, second = stratum_of("no_finding", 0), stratum_of("finding", 90)
    assert allocate({first: 10_000, second: 100}, 110) == {first: 100, second: 10}
    assert allocate({first: 10_000, second: 1}, 110) == {first: 109, second: 1}  # a small one gives all it has


@given(st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_the_same_seed_draws_the_same_turns_in_whatever_order_they_come(chance: object) -> None:
    candidates = _candidates()
    first = draw(candidates, _sizes(candidates), size=50, seed=3)
    chance.shuffle(candidates)  # type: ignore[attr-defined]
    assert draw(candidates, _sizes(candidates), size=50, seed=3) == first
    assert draw(candidates, _sizes(candidates), size=50, seed=4) != first


def test_a_larger_sample_holds_the_smaller_one() -> None:
    candidates = _candidates()
    small = draw(candidates, _sizes(candidates), size=60, seed=3)
    large = draw(candidates, _sizes(candidates), size=160, seed=3)
    assert {*_names(small)} < {*_names(large)}


def test_new_traffic_leaves_most_of_a_sample_as_it_was() -> None:
    before, after = _candidates(), _candidates(extra=9)
    first = {*_names(draw(before, _sizes(before), size=60, seed=3))}
    second = {*_names(draw(after, _sizes(after), size=60, seed=3))}
    assert len(first & second) >= 0.8 * len(first)


def test_each_turn_keeps_the_chance_it_had() -> None:
    candidates = _candidates()
    sizes = _sizes(candidates)
    drawn = draw(candidates, sizes, size=60, seed=3)
    parts = Counter(stratum_of(one.candidate.status, one.candidate.score) for one in drawn)
    assert parts == Counter(allocate(sizes, 60))
    for one in drawn:
        stratum = stratum_of(one.candidate.status, one.candidate.score)
        assert one.probability == parts[stratum] / sizes[stratum]


def test_over_many_seeds_every_turn_of_a_stratum_is_drawn_as_often() -> None:
    candidates = [one for one in _candidates() if one.status == "finding"]
    sizes = _sizes(candidates)
    seen = Counter(name for seed in range(2_000) for name in _names(draw(candidates, sizes, size=10, seed=seed)))
    assert len(seen) == 40
    assert all(400 <= count <= 600 for count in seen.values())  # 500 expected, 5 standard deviations either way


def test_half_a_review_has_every_stratum_in_its_proportion() -> None:
    candidates = _candidates()
    drawn = draw(candidates, _sizes(candidates), size=120, seed=3)
    whole = Counter(one.candidate.status for one in drawn)
    half = Counter(one.candidate.status for one in drawn[: len(drawn) // 2])
    assert all(abs(half[status] - whole[status] / 2) <= 2 for status in whole)


@pytest.mark.parametrize("score", [0, 9, 10, 89, 90, 99, 100])
def test_a_stratum_holds_its_scores(score: int) -> None:
    stratum = stratum_of("finding", score)
    assert stratum.low <= score <= stratum.high
