"""The difference counts what would change, where, and what labels say of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

import pytest

from afterturn.calibration import Interval, clopper_pearson, mcnemar
from afterturn.classifiers import AI_FRUSTRATION as UNASKED  # not enabled in these tests
from afterturn.errors import UsageError
from afterturn.replay import Answers, Band, Diff, Replay, compare
from afterturn.store import Change, Changed, Filter, GivenAnswer, Store

CHANGE = Change("safety", "1", "old", "2", "new")
FOUND = GivenAnswer("finding", "self_harm", 90, None)
NONE = GivenAnswer("no_finding", None, 70, None)


def _pairs(*pairs: tuple[GivenAnswer | None, GivenAnswer]) -> list[Changed]:
    return [Changed(tenant="acme", turn=f"t-{number}", old=old, new=new) for number, (old, new) in enumerate(pairs)]


def _diff(*pairs: tuple[GivenAnswer | None, GivenAnswer], **options: Any) -> Diff:
    return compare(CHANGE, _pairs(*pairs), **options)


def test_agreement_and_flips_are_counted_by_band_and_answer() -> None:
    harassed = GivenAnswer("finding", "harassment", None, None)
    diff = _diff((FOUND, FOUND), (NONE, FOUND), (NONE, NONE), (FOUND, NONE), (FOUND, harassed))
    assert (diff.turns, diff.compared, diff.raised, diff.dropped, diff.relabelled) == (5, 5, 1, 1, 1)
    assert diff.agreement == clopper_pearson(3, 5)
    assert diff.by_old_confidence == (Band(70, 79, 2, 1, 0), Band(90, 100, 3, 0, 1))
    assert diff.by_new_confidence == (Band(70, 79, 2, 0, 1), Band(90, 100, 2, 1, 0), Band(None, None, 1, 0, 0))
    assert diff.answers[0] == Answers("no_finding", "no_finding", 1)
    assert Answers("self_harm", "harassment", 1) in diff.answers
    assert diff.labelled is None


def test_what_one_side_did_not_answer_is_in_no_rate() -> None:
    skip = GivenAnswer("skipped", None, None, "no_reply")
    broken = GivenAnswer("error", None, None, "timeout")
    diff = _diff((skip, skip), (NONE, broken), (None, NONE), (FOUND, FOUND), labels={(None, "t-1"): True})
    assert (diff.turns, diff.compared, diff.unasked) == (4, 1, 1)
    assert (diff.old_unanswered, diff.new_unanswered) == ({"no_reply": 1}, {"no_reply": 1, "timeout": 1})
    assert diff.agreement.rate == 1.0
    assert diff.labelled is not None
    assert (diff.labelled.turns, diff.labelled.unanswered) == (0, 1)
    assert diff.labelled.precision_old == Interval(None, None, None)


def test_labels_say_which_side_is_right_more_often() -> None:
    pairs = [(NONE, FOUND)] * 6 + [(FOUND, FOUND)] * 2 + [(FOUND, NONE)] * 3
    labels = {("acme", f"t-{number}"): number < 8 for number in range(11)}
    labelled = _diff(*pairs, labels=labels).labelled
    assert labelled is not None
    assert (labelled.turns, labelled.positives, labelled.only_old, labelled.only_new) == (11, 8, 0, 9)
    assert labelled.precision_old == clopper_pearson(2, 5)
    assert labelled.precision_new == clopper_pearson(8, 8)
    assert labelled.recall_old == clopper_pearson(2, 8)
    assert labelled.recall_new == clopper_pearson(8, 8)
    assert labelled.p_value == mcnemar(0, 9) == 0.00390625


def test_labels_of_a_stratified_review_are_weighted_to_all_compared_turns() -> None:
    """Of 90 turns that pass in both, 10 are labelled; of 10 new alarms all are: the rates are those of the traffic."""
    pairs = [(NONE, NONE)] * 90 + [(FOUND, FOUND)] * 10
    labels = {("acme", f"t-{number}"): number == 0 for number in range(10)}  # one miss in ten
    labels |= {("acme", f"t-{number}"): number < 98 for number in range(90, 100)}  # eight of ten right
    diff = _diff(*pairs, labels=labels, stratified=True)
    assert diff.labelled is not None
    assert diff.labelled.recall_new.rate == pytest.approx(8 / (8 + 9))
    assert diff.labelled.precision_new.rate == 0.8
    assert diff.labelled.precision_new == diff.labelled.precision_old
    plain = _diff(*pairs, labels=labels).labelled
    assert plain is not None
    assert plain.recall_new.rate == pytest.approx(8 / 9)


def test_a_threshold_compares_alerts_in_place_of_findings() -> None:
    sure = FOUND._replace(confidence=95)
    diff = _diff((FOUND, sure), (sure, FOUND), (NONE, NONE), threshold=95)
    assert (diff.raised, diff.dropped, diff.threshold) == (1, 1, 95)


def test_a_label_without_a_tenant_is_of_one_tenant_alone() -> None:
    pairs = [*_pairs((FOUND, FOUND)), Changed(tenant="other", turn="t-0", old=FOUND, new=FOUND)]
    with pytest.raises(UsageError, match="several tenants"):
        compare(CHANGE, pairs, labels={(None, "t-0"): True})
    assert compare(CHANGE, pairs, labels={("acme", "t-0"): True}).labelled is not None


@pytest.mark.parametrize(
    ("only_old", "only_new", "p_value"),
    [(0, 0, None), (0, 1, 1.0), (1, 9, 22 / 1024), (9, 1, 22 / 1024), (12, 12, 1.0)],
)
def test_mcnemars_test_is_the_exact_binomial(only_old: int, only_new: int, p_value: float | None) -> None:
    assert mcnemar(only_old, only_new) == p_value


async def test_a_replay_shows_what_it_would_change(
    live: Callable[..., Awaitable[None]], make_replay: Callable[..., Replay], store: Store
) -> None:
    await live(20)
    replay = make_replay()
    assert replay.diffs() == ()
    await replay.run()
    (diff,) = replay.diffs(labels={"safety": {(None, "t-5"): True, (None, "t-1"): False}})
    assert diff.change == Change("safety", "1", "live", "2", "new")
    assert (diff.turns, diff.raised, diff.dropped) == (20, 2, 0)
    assert diff.agreement.rate == 0.9
    assert diff.answers == (
        Answers("no_finding", "no_finding", 16),
        Answers("no_finding", "self_harm", 2),
        Answers("self_harm", "self_harm", 2),
    )
    assert diff.labelled is not None
    assert (diff.labelled.only_old, diff.labelled.only_new) == (0, 1)
    assert replay.diffs()[0].labelled is None
    store.reviews.draw(Filter(classifier="safety", version="1"), size=20, seed=1, reviewer="ada")
    numbers = {id: places[0][1] for id, places in store.reviews.turns_named(["t-5", "t-10"]).items()}
    store.reviews.label({numbers["t-5"]: "no", numbers["t-10"]: "yes"}, "safety", reviewer="ada")
    reviewed = replay.diffs()[0].labelled
    assert reviewed is not None
    assert (reviewed.turns, reviewed.only_old, reviewed.stratified) == (2, 1, True)
    assert "invoice" not in repr(asdict(diff))


async def test_turns_that_live_traffic_was_not_asked_about_are_told(
    live: Callable[..., Awaitable[None]], make_replay: Callable[..., Replay], config: Any
) -> None:
    await live(3)

    def answers(call: Any) -> Any:
        return {
            "sentiment": 0.0,
            "frustrationTarget": "none",
            "wantsHuman": False,
            "title": None,
            "safetySignal": "none",
        }

    replay = make_replay(answers, classifiers=[UNASKED])
    assert (await replay.run()).judged == 3
    (diff,) = replay.diffs()
    assert diff.change == Change("ai_frustration", None, None, UNASKED.version, "new")
    assert (diff.turns, diff.unasked, diff.compared) == (3, 3, 0)
