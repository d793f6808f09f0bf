"""Samples keep what they were drawn from, labels who said what when; both without a word of a conversation."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from afterturn.calibration import estimates
from afterturn.calls import Planned
from afterturn.errors import StoreError
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Answer, Claim, Filter, Store
from afterturn.turns import Turn

_NARROW = Filter(classifier="safety", version="1")
_TURNS = 60


@pytest.fixture
def filled(
    store: Store,
    new_turn: Callable[..., Turn],
    question: Callable[..., Planned],
    answer: Callable[..., Judgement],
) -> Store:
    """60 turns of two tenants: every fifth a finding at 90, the rest no finding at 80; one more that failed."""
    for number in range(_TURNS + 1):
        tenant = "acme" if number % 2 else "other"
        store.add_turn(new_turn(number, tenant=tenant, session=f"s-{number}"), [question("safety")])
    for number, claimed in enumerate(store.claim("w", lease_s=60, limit=_TURNS + 1).claims):
        store.finish(claimed, [_judgement(claimed, answer, number)], apply)
    return store


def _judgement(claimed: Claim, answer: Callable[..., Judgement], number: int) -> Judgement:
    if number == _TURNS:
        return answer(claimed, status="error", reason="timeout")
    if number % 5:
        return answer(claimed, status="no_finding", confidence=80)
    return answer(claimed, status="finding", confidence=90)


def test_a_sample_keeps_its_frame_and_the_chance_of_each_turn(filled: Store, time: list[datetime]) -> None:
    drawn = filled.reviews.draw(_NARROW, size=20, seed=1, reviewer="anna")
    assert drawn.frame == {("finding", 90): 12, ("no_finding", 20): 48}
    assert (drawn.size, drawn.seed, drawn.reviewer, drawn.drawn_at) == (20, 1, "anna", time[0])
    turns = filled.reviews.turns(drawn)
    findings = [turn for turn in turns if turn.status == "finding"]
    assert {turn.probability for turn in findings} == {len(findings) / 12}
    assert len(turns) == 20
    assert filled.reviews.samples(_NARROW) == (drawn,)
    assert filled.reviews.samples(Filter(classifier="safety", version="1", tenant="acme")) == ()


def test_a_sample_is_of_one_tenant_where_one_is_named(filled: Store) -> None:
    narrow = Filter(classifier="safety", version="1", tenant="acme")
    drawn = filled.reviews.draw(narrow, size=500, seed=1, reviewer="anna")
    assert sum(drawn.frame.values()) == len(filled.reviews.turns(drawn)) == 30
    assert {turn.tenant for turn in filled.reviews.turns(drawn)} == {"acme"}


def test_a_turn_whose_text_has_gone_cannot_be_drawn_and_is_counted(filled: Store) -> None:
    filled.forget("acme", "s-1")
    filled.forget("other", "s-2")
    drawn = filled.reviews.draw(_NARROW, size=500, seed=1, reviewer="anna")
    assert (drawn.expired, sum(drawn.frame.values())) == (2, 58)


def test_of_several_judges_the_newest_answer_counts(
    store: Store, new_turn: Callable[..., Turn], question: Callable[..., Planned], answer: Callable[..., Judgement]
) -> None:
    one, two = question("safety"), question("safety", judge="openai:x")
    store.add_turn(new_turn(1), [one, two])
    (claimed,) = store.claim("w", lease_s=60).claims
    first = answer(claimed, one, status="finding", confidence=70)
    second = answer(claimed, two, status="no_finding", confidence=60)
    store.finish(claimed, [first, second], apply)
    drawn = store.reviews.draw(_NARROW, size=5, seed=1, reviewer="anna")
    assert drawn.frame == {("no_finding", 40): 1}
    assert store.reviews.answers(_NARROW, [turn.key for turn in store.reviews.turns(drawn)]) == {1: ("no_finding", 60)}


def _answered(store: Store, answers: dict[int, Answer], reviewer: str = "anna") -> None:
    store.reviews.label(answers, "safety", reviewer=reviewer)


def test_labels_stay_with_who_and_when_and_a_later_answer_takes_the_place(
    filled: Store, time: list[datetime], pass_s: Callable[[float], None]
) -> None:
    _answered(filled, {1: "yes", 2: "unsure"})
    pass_s(60)
    _answered(filled, {1: "no"})
    _answered(filled, {1: "yes"}, "ben")
    found = [(label.turn, label.reviewer, label.answer, label.source, label.at) for label in filled.reviews.labels()]
    start = filled.reviews.labels()[2].at
    assert found == [
        ("t-0", "anna", "no", "review", time[0]),
        ("t-0", "ben", "yes", "review", time[0]),
        ("t-1", "anna", "unsure", "review", start),
    ]
    assert start < time[0]
    assert [label.turn for label in filled.reviews.labels("safety", tenant="acme")] == ["t-1"]


def test_a_label_stays_when_the_text_of_its_turn_goes(filled: Store) -> None:
    _answered(filled, {2: "yes"})
    filled.forget("acme", "s-1")
    assert [(label.turn, label.answer) for label in filled.reviews.labels()] == [("t-1", "yes")]


def test_a_label_of_no_turn_is_refused(filled: Store) -> None:
    with pytest.raises(StoreError):
        _answered(filled, {999: "yes"})


def test_what_is_missing_of_a_review_is_counted_and_the_majority_is_taken(filled: Store) -> None:
    drawn = filled.reviews.draw(_NARROW, size=500, seed=1, reviewer="anna")
    keys = [turn.key for turn in filled.reviews.turns(drawn)]
    _answered(filled, dict.fromkeys(keys[:40], "no"))
    _answered(filled, {keys[0]: "yes", keys[1]: "yes", keys[2]: "no"}, "ben")
    _answered(filled, {keys[1]: "yes", keys[50]: "unsure"}, "carl")
    _answered(filled, {61: "yes"}, "carl")  # the turn that failed is not in the sample
    gone = filled.reviews.turns(drawn)[59]
    filled.forget(gone.tenant, gone.turn.replace("t-", "s-"))
    found = filled.reviews.reviewed(drawn)
    counts = (found.stratified.size, found.unlabelled, found.unreadable, found.contradictory, found.outside)
    assert counts == (39, 19, 1, 1, 1)
    assert found.stratified.positives.scored == 1


def test_a_sample_that_is_labelled_in_full_tells_the_truth(filled: Store) -> None:
    drawn = filled.reviews.draw(_NARROW, size=500, seed=1, reviewer="anna")
    truth: dict[int, Answer] = {
        turn.key: "yes" if turn.status == "finding" and turn.key % 2 else "no" for turn in filled.reviews.turns(drawn)
    }
    _answered(filled, truth)
    found = estimates(filled.reviews.reviewed(drawn).stratified)
    assert found.precision == pytest.approx((0.5, 0.5, 0.5))


def test_no_judged_turn_gives_an_empty_sample(store: Store) -> None:
    drawn = store.reviews.draw(_NARROW, size=10, seed=1, reviewer="anna")
    assert (drawn.frame, store.reviews.turns(drawn)) == ({}, ())


def test_turns_are_found_by_id_in_every_tenant(filled: Store, new_turn: Callable[..., Any]) -> None:
    filled.add_turn(new_turn(2, tenant="third"))
    found = filled.reviews.turns_named(["t-2", "nowhere"])
    assert {name: [tenant for tenant, _ in places] for name, places in found.items()} == {"t-2": ["other", "third"]}
    assert [tenant for tenant, _ in filled.reviews.turns_named(["t-2"], "third")["t-2"]] == ["third"]
