"""Finds what people said of the turns that a replay is about, and how those turns were drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from afterturn.calibration import Histogram, Layer, StratifiedSample, Stratum, score, stratum_of
from afterturn.store import Change, Changed, Filter, Label, ReviewSample, Store, in_frame, majority

Key = tuple[str | None, str]
Labels = Mapping[Key, bool]
"""Says of turns whether there was something to find, by tenant (or None where the label names none) and turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """Is what people said of turns that were drawn in one and the same way.

    Attributes:
        labels: The labels, by tenant and turn.
        sample: The review sample that the turns are of, drawn by the old scores; None: drawn with one chance.
        tied: The turns of the sample of which as many people say yes as no.
        drawn: All turns of the sample.
    """

    labels: Labels
    sample: ReviewSample | None = None
    tied: frozenset[Key] = frozenset()
    drawn: frozenset[Key] = frozenset()

    def stands_for(self, one: Changed) -> bool:
        """Says whether a turn is one of those that the labelled ones were drawn from."""
        drawn = self.sample
        if drawn is None:
            return True
        mine = drawn.tenant in (None, one.tenant) and drawn.agent in (None, one.agent)
        return mine and in_frame(drawn, judged_at=one.judged_at, erased_at=one.erased_at)


class NewScores(NamedTuple):
    """Is a reviewed sample with the scores of a replay: its strata are those of the old scores, that it was drawn by.

    Attributes:
        stratified: The sample.
        sample: Where it comes from.
        contradictory: How many of its turns as many people said yes of as no.
        drawn: How many of its turns the replay gave a new score, labelled or not.
    """

    stratified: StratifiedSample
    sample: ReviewSample
    contradictory: int
    drawn: int


def told_of(store: Store, change: Change, narrow: Filter) -> Told | None:
    """Finds labels for a comparison: of the newest reviewed sample of its traffic, else imported ones.

    A sample of just this traffic comes first, then one of more, then one of less; it is one of the old version, since
    labels are about turns and serve the new version as well.
    """
    given = store.reviews.labels(change.classifier)
    truth, tied = majority(given)
    of = Filter(tenant=narrow.tenant, agent=narrow.agent, classifier=change.classifier, version=change.old_version)
    for sample in store.reviews.for_replay(of):
        members = store.reviews.turns(sample)
        labels: dict[Key, bool] = {(one.tenant, one.turn): truth[one.key] for one in members if one.key in truth}
        if labels:
            both_ways = frozenset((one.tenant, one.turn) for one in members if one.key in tied)
            drawn = frozenset((one.tenant, one.turn) for one in members)
            return Told(labels=labels, sample=sample, tied=both_ways, drawn=drawn)
    imported = _imported(given, store.reviews.sampled(change.classifier))
    return Told(labels=imported) if imported else None


def new_scores(store: Store, narrow: Filter) -> NewScores | None:
    """Gives a reviewed sample with the scores of a replay in place of those that it was drawn by.

    Args:
        store: The store.
        narrow: Which turns, and which replayed classifier, version and judge.

    Returns:
        The sample; None where no reviewed one serves.
    """
    about = Filter(tenant=narrow.tenant, agent=narrow.agent, since=narrow.since, until=narrow.until)
    wanted = replace(about, classifier=narrow.classifier, version=narrow.version, judge=narrow.judge)
    found = [
        (told.sample.number, told, told.sample, change)
        for change in store.replays.changes(wanted)
        if (told := told_of(store, change, narrow)) is not None and told.sample is not None
    ]
    if not found:
        return None
    _, told, sample, change = max(found, key=lambda one: one[0])
    layers, drawn = _layers(store.replays.changed(change, wanted), told)
    return NewScores(StratifiedSample(layers=layers), sample, len(told.tied), drawn)


def _layers(changed: Iterable[Changed], told: Told) -> tuple[tuple[Layer, ...], int]:
    """Counts turns by their old stratum and their new score: all, those labelled true, those labelled false.

    Returns:
        The layers, and how many turns of the sample are in them.
    """
    drawn = 0
    counts: dict[Stratum, tuple[dict[int, int], dict[int, int], dict[int, int]]] = {}
    with_ties: set[Stratum] = set()
    for one in changed:
        old = None if one.old is None else score(one.old.status, one.old.confidence)
        new = score(one.new.status, one.new.confidence)
        if one.old is None or old is None or new is None or not told.stands_for(one):
            continue
        stratum = stratum_of(one.old.status, old)
        into = counts.setdefault(stratum, ({}, {}, {}))
        with_ties.update([stratum] if (one.tenant, one.turn) in told.tied else ())
        drawn += (one.tenant, one.turn) in told.drawn
        label = told.labels.get((one.tenant, one.turn))
        for place in (0,) if label is None else (0, 1 if label else 2):
            into[place][new] = into[place].get(new, 0) + 1
    layers = tuple(
        Layer(
            stratum=stratum,
            population=Histogram(counts=turns),
            positives=Histogram(counts=true),
            negatives=Histogram(counts=false),
            torn=stratum in with_ties and not true and not false,
        )
        for stratum, (turns, true, false) in sorted(counts.items())
    )
    return layers, drawn


def _imported(given: Iterable[Label], drawn: frozenset[int]) -> Labels:
    """Takes imported labels as of turns drawn with one chance, as `calibrate` does; those of a sample were not."""
    some = [one for one in given if one.source == "file" and one.key not in drawn]
    truth, _ = majority(some)
    return {(one.tenant, one.turn): truth[one.key] for one in some if one.key in truth}
