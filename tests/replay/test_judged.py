"""Labels are about turns: those of a reviewed sample say of the new version what they say of the old one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from afterturn.calibration import for_false_alarms_stratified
from afterturn.replay import Replay, new_scores
from afterturn.store import Filter, Store
from afterturn.turns import Turn

Live = Callable[..., Awaitable[None]]
MakeReplay = Callable[..., Replay]
_OLD = Filter(classifier="safety", version="1")
_NEW = Filter(classifier="safety", version="2", judge="new", replayed=True)


def _truth(turn: str) -> bool:
    """Says that the new script is right: there is something to find in every fifth turn."""
    return turn[-1] in "05"


def _review(store: Store, narrow: Filter = _OLD, *, size: int = 40, seed: int = 1) -> Any:
    sample = store.reviews.draw(narrow, size=size, seed=seed, reviewer="ada")
    turns = store.reviews.turns(sample)
    store.reviews.label({one.key: "yes" if _truth(one.turn) else "no" for one in turns}, "safety", reviewer="ada")
    return sample


async def test_a_reviewed_sample_calibrates_the_new_version(live: Live, make_replay: MakeReplay, store: Store) -> None:
    """The old version alarms at every tenth turn, the new one at every fifth, as it should."""
    await live(60)
    _review(store, size=60)
    await make_replay().run()
    found = new_scores(store, _NEW)
    assert found is not None
    sample = found.stratified
    assert sample.population.counts == {30: 48, 90: 12}
    assert (sample.positives.counts, sample.negatives.counts) == ({90: 12}, {30: 48})
    assert [layer.stratum[:2] for layer in sample.layers] == [("finding", 90), ("no_finding", 30)]
    assert for_false_alarms_stratified(sample, 0.1).threshold == 31


async def test_turns_weigh_by_the_chance_of_the_old_strata(live: Live, make_replay: MakeReplay, store: Store) -> None:
    await live(60)
    _review(store, size=20)
    await make_replay().run()
    (diff,) = make_replay().diffs()
    assert diff.labelled is not None
    assert (diff.labelled.turns, diff.labelled.of, diff.labelled.stratified) == (20, 60, True)
    old = {one.turn: one.status for one in store.reviews.turns(store.reviews.samples(_OLD)[0])}
    missed = sum(_truth(turn) and status == "no_finding" for turn, status in old.items())
    silent = sum(status == "no_finding" for status in old.values())
    assert diff.labelled.only_new == missed
    assert diff.labelled.gain.rate == pytest.approx(missed / silent * 54 / 60)


async def test_turns_that_came_after_the_draw_are_in_no_rate_from_its_labels(
    live: Live, make_replay: MakeReplay, store: Store, make_turn: Callable[..., Turn]
) -> None:
    await live(30)
    _review(store, size=30)
    await live([make_turn(number) for number in range(30, 50)])
    replay = make_replay()
    await replay.run()
    (diff,) = replay.diffs()
    assert diff.labelled is not None
    assert (diff.compared, diff.labelled.of, diff.labelled.turns) == (50, 30, 30)
    assert diff.labelled.recall_new == (1.0, 1.0, 1.0)  # all thirty are labelled


async def test_one_sample_counts_and_not_a_mixture_of_several(
    live: Live, make_replay: MakeReplay, store: Store, make_turn: Callable[..., Turn]
) -> None:
    await live([make_turn(number, tenant="acme" if number % 2 else "other") for number in range(40)])
    _review(store, Filter(classifier="safety", version="1", tenant="other"), size=20)
    _review(store, Filter(classifier="safety", version="1", tenant="acme"), size=6)
    replay = make_replay()
    await replay.run()
    (diff,) = replay.diffs()
    assert diff.labelled is not None
    assert (diff.labelled.turns, diff.labelled.of) == (6, 20)  # the newest, of less than all


async def test_imported_labels_are_of_turns_with_one_chance(live: Live, make_replay: MakeReplay, store: Store) -> None:
    await live(20)
    replay = make_replay()
    await replay.run()
    assert replay.diffs()[0].labelled is None
    assert new_scores(store, _NEW) is None
    named = store.reviews.turns_named(["t-5", "t-6"])
    answers: Any = {places[0][1]: "yes" if turn == "t-5" else "no" for turn, places in named.items()}
    store.reviews.label(answers, "safety", reviewer="import", source="file")
    labelled = replay.diffs()[0].labelled
    assert labelled is not None
    assert (labelled.turns, labelled.of, labelled.stratified) == (2, 20, False)


async def test_turns_that_reviewers_tie_on_make_a_range_of_their_stratum_and_blank_nothing(
    live: Live, make_replay: MakeReplay, store: Store
) -> None:
    """Of the six old findings nobody knows, since two reviewers say the opposite of each; all others are labelled."""
    await live(60)
    sample = _review(store, size=60)
    found = {one.key: _truth(one.turn) for one in store.reviews.turns(sample) if one.status == "finding"}
    store.reviews.label({key: "no" if true else "yes" for key, true in found.items()}, "safety", reviewer="bo")
    await make_replay().run()
    (diff,) = make_replay().diffs()
    assert diff.labelled is not None
    assert (diff.labelled.turns, diff.labelled.of, diff.labelled.strata_contradictory) == (54, 60, 1)
    assert diff.labelled.precision_old == (0.5, 0.0, 1.0)
    assert diff.labelled.precision_new == (9 / 12, 6 / 12, 1.0)
    assert diff.labelled.gain == (0.1, 0.1, 0.1)  # on the open turns both sides answer the same
    told = new_scores(store, _NEW)
    assert told is not None
    assert (told.contradictory, [layer.torn for layer in told.stratified.layers]) == (6, [True, False])
    assert for_false_alarms_stratified(told.stratified, 0.1).threshold != 31  # which all labels would prove
