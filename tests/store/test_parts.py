"""The part of a sample that is of one tenant is a sample of that tenant, or is not used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from afterturn.calibration import estimates
from afterturn.calls import Planned
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Filter, Store, in_frame, open_store
from afterturn.turns import Agent, Turn

_ALL = Filter(classifier="safety", version="1")
_ACME = Filter(classifier="safety", version="1", tenant="acme")
_TURNS = 120

Judge = Callable[[int], None]


@pytest.fixture
def store(path: Path, now: Callable[[], datetime]) -> Iterator[Store]:
    with open_store(path, synchronous="OFF", clock=now) as opened:  # a hundred commits a test
        yield opened


@pytest.fixture
def judge(
    store: Store, new_turn: Callable[..., Turn], question: Callable[..., Planned], answer: Callable[..., Judgement]
) -> Judge:
    """Judges a turn: every third is acme's, every fourth a finding of two scores."""

    def judged(number: int) -> None:
        tenant, agent = ("other", "acme", "other")[number % 3], Agent(("support", "sales")[number % 2])
        store.add_turn(new_turn(number, tenant=tenant, agent=agent, session=f"s-{number}"), [question("safety")])
        (claimed,) = store.claim("w", lease_s=60).claims
        status = "no_finding" if number % 4 else "finding"
        store.finish(claimed, [answer(claimed, status=status, confidence=60 + number % 40)], apply)

    return judged


@pytest.fixture
def filled(store: Store, judge: Judge) -> Store:
    for number in range(_TURNS):
        judge(number)
    return store


def _positive(turn: str) -> bool:
    return int(turn.removeprefix("t-")) % 5 == 0


def _label_all(store: Store, sample: Any) -> None:
    drawn = store.reviews.turns(sample)
    store.reviews.label({one.key: "yes" if _positive(one.turn) else "no" for one in drawn}, "safety", reviewer="anna")


def test_a_tenants_part_of_a_sample_of_all_is_drawn_from_its_own_turns(filled: Store) -> None:
    sample = filled.reviews.draw(_ALL, size=60, seed=1, reviewer="anna")
    _label_all(filled, sample)
    found = filled.reviews.newest_reviewed(_ACME)
    assert found is not None
    assert {one.tenant for one in found.turns} == {"acme"}
    assert (sum(found.frame.values()), found.stratified.size) == (40, len(found.turns))
    whole = filled.reviews.newest_reviewed(_ALL)
    assert whole is not None
    assert (sum(whole.frame.values()), whole.stratified.size) == (_TURNS, 60)


def test_the_mean_of_a_tenants_estimates_over_draws_is_its_own_rate(filled: Store) -> None:
    """Of acme's forty turns eight have something to find; shares differ by stratum, so weights matter."""
    rates: list[float] = []
    _label_all(filled, filled.reviews.draw(_ALL, size=_TURNS, seed=0, reviewer="anna"))
    for seed in range(80):
        filled.reviews.draw(_ALL, size=72, seed=seed, reviewer="anna")
        found = filled.reviews.newest_reviewed(_ACME)
        assert found is not None
        rate = _share(found.stratified)
        if rate is not None:
            rates.append(rate)
    truth = sum(_positive(f"t-{number}") for number in range(1, _TURNS, 3)) / 40
    assert len(rates) > 60
    assert fmean(rates) == pytest.approx(truth, abs=0.02)


def _share(sample: Any) -> float | None:
    """Gives the estimated share of positives without the search for its bounds."""
    if not all(layer.labelled for layer in sample.layers):
        return None
    true = sum(layer.population.scored * layer.positives.scored / layer.labelled for layer in sample.layers)
    return true / sample.population.scored


def test_a_part_that_is_labelled_to_the_last_turn_is_known(filled: Store) -> None:
    sample = filled.reviews.draw(_ALL, size=_TURNS, seed=1, reviewer="anna")
    _label_all(filled, sample)
    narrow = Filter(classifier="safety", version="1", tenant="acme", agent="sales")
    found = filled.reviews.newest_reviewed(narrow)
    assert found is not None
    rate, low, high = estimates(found.stratified).positives
    assert rate == pytest.approx(4 / 20)
    assert (low, high) == (rate, rate)


def test_a_stratum_of_the_part_without_a_label_leaves_its_rate_unknown(filled: Store) -> None:
    sample = filled.reviews.draw(_ALL, size=12, seed=1, reviewer="anna")
    _label_all(filled, sample)
    found = filled.reviews.newest_reviewed(_ACME)
    assert found is not None
    assert estimates(found.stratified).positives == (None, None, None)


def test_what_was_judged_or_forgotten_after_the_draw_is_not_in_the_part(
    filled: Store, judge: Judge, pass_s: Callable[[float], None]
) -> None:
    sample = filled.reviews.draw(_ALL, size=60, seed=1, reviewer="anna")
    _label_all(filled, sample)
    pass_s(60)
    for number in range(_TURNS, _TURNS + 30):
        judge(number)
    filled.forget("acme", "s-1")
    found = filled.reviews.newest_reviewed(_ACME)
    assert found is not None
    assert sum(found.frame.values()) == 40


def test_a_sample_whose_frame_cannot_be_counted_again_serves_no_part(filled: Store, judge: Judge) -> None:
    sample = filled.reviews.draw(_ALL, size=60, seed=1, reviewer="anna")
    _label_all(filled, sample)
    for number in range(_TURNS, _TURNS + 30):
        judge(number)  # they say that they are from before the draw
    assert filled.reviews.newest_reviewed(_ACME) is None
    assert filled.reviews.newest_reviewed(_ALL) is not None


def test_a_sample_of_just_this_traffic_comes_first_and_other_traffic_is_named(filled: Store) -> None:
    own = filled.reviews.draw(_ACME, size=10, seed=1, reviewer="anna")
    _label_all(filled, own)
    _label_all(filled, filled.reviews.draw(_ALL, size=60, seed=2, reviewer="anna"))
    found = filled.reviews.newest_reviewed(_ACME)
    assert found is not None
    assert found.sample == own
    other = Filter(classifier="safety", version="1", tenant="other")
    assert [one.number for one in filled.reviews.others(other)] == [own.number]
    assert [one.number for one in filled.reviews.for_replay(_ACME)] == [1, 2]


def test_an_answer_is_in_the_frame_of_a_sample_if_it_could_be_drawn(filled: Store, time: list[datetime]) -> None:
    sample = filled.reviews.draw(_ALL, size=5, seed=1, reviewer="anna")
    before = time[0]
    later = datetime.fromisoformat("2026-12-24T10:00:00+00:00")
    assert in_frame(sample, judged_at=before, erased_at=None)
    assert in_frame(sample, judged_at=before, erased_at=later)
    assert not in_frame(sample, judged_at=later, erased_at=None)
    assert not in_frame(sample, judged_at=before, erased_at=before)
    assert not in_frame(sample, judged_at=None, erased_at=None)
