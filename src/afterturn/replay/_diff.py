"""Compares the answers of a replay with those of live traffic. Pure: pairs in, counts and intervals out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from afterturn.calibration import (
    TOP,
    Histogram,
    Interval,
    Layer,
    Pairs,
    Point,
    Sample,
    StratifiedSample,
    Stratum,
    clopper_pearson,
    gain,
    mcnemar,
    point,
    score,
    stratum_of,
    weighted_point,
)
from afterturn.errors import UsageError
from afterturn.replay._judged import Key, Labels
from afterturn.store import Change, Changed, GivenAnswer

_BAND = 10
_TOP_BAND = 9
_ONE = Stratum("", 0, TOP)


class Answers(NamedTuple):
    """Counts turns that had one answer before and have one now: a label, or the status where there is none."""

    old: str
    new: str
    turns: int


class Band(NamedTuple):
    """Counts what became of the turns of a band of confidences; `low` is None where nobody gave a confidence.

    `raised` are turns with a finding that had none before, `dropped` the other way round.
    """

    low: int | None
    high: int | None
    compared: int
    raised: int
    dropped: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    """Is what people's labels say of both sides, on the same turns: those labelled and answered by both.

    Attributes:
        turns: How many turns are labelled and answered by both.
        of: Of how many compared turns they were drawn, and what all rates are about: those of the review sample, else
            all.
        positives: On how many of the labelled turns there was something to find.
        stratified: Whether they were drawn by stratum, so that every rate is weighted to the turns they stand for.
        unanswered: Labelled turns that one of the two did not answer; they are in no figure.
        strata_contradictory: Strata that have no label because all of theirs contradict each other; what is said of
            them is a range.
        precision_old: Share of the old findings that are right.
        precision_new: Share of the new ones.
        recall_old: Share of the positives that the old side finds.
        recall_new: Share that the new one finds.
        gain: Share of all turns by which the new side is right more often; below 0, the old one is.
        only_old: Labelled turns on which only the old side is right.
        only_new: Labelled turns on which only the new side is right.
        p_value: Of McNemar's exact test that both are right equally often, on the labelled turns as they are, each
            counted once; None where they never differ.
    """

    turns: int
    of: int
    positives: int
    unanswered: int
    strata_contradictory: int
    stratified: bool
    precision_old: Interval
    precision_new: Interval
    recall_old: Interval
    recall_new: Interval
    gain: Interval
    only_old: int
    only_new: int
    p_value: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Diff:
    """Is what would change if the new side judged in place of the old one.

    Attributes:
        change: Which versions and judges are compared.
        threshold: From which score on an answer counts as a finding; None where its status says so.
        turns: Turns that were replayed.
        compared: Turns that both sides answered.
        unasked: Turns that live traffic never asked, or has not judged yet.
        old_unanswered: Of the rest, turns that the old side skipped or that failed there, by reason.
        new_unanswered: Turns that the new side skipped or that failed there, by reason.
        agreement: Share of the compared turns on which both see a finding, or both none.
        raised: Turns with a finding that had none before.
        dropped: Turns without a finding that had one before.
        relabelled: Turns with a finding in both, of another label.
        answers: Turns by old and new answer, the commonest first.
        by_old_confidence: Flips by bands of the old confidence.
        by_new_confidence: Flips by bands of the new confidence.
        labelled: What labels say; None where no compared turn has one.
    """

    change: Change
    threshold: int | None
    turns: int
    compared: int
    unasked: int
    old_unanswered: Mapping[str, int]
    new_unanswered: Mapping[str, int]
    agreement: Interval
    raised: int
    dropped: int
    relabelled: int
    answers: tuple[Answers, ...]
    by_old_confidence: tuple[Band, ...]
    by_new_confidence: tuple[Band, ...]
    labelled: Labelled | None


def compare(
    change: Change,
    changed: Iterable[Changed],
    *,
    labels: Labels | None = None,
    stratified: bool = False,
    tied: Collection[Key] = frozenset(),
    inside: Callable[[Changed], bool] = lambda one: True,
    threshold: int | None = None,
    confidence: float = 0.95,
) -> Diff:
    """Compares both sides, one turn after another.

    Args:
        change: What is compared.
        changed: Its turns with both answers; read once.
        labels: What people said of turns, where they did.
        stratified: Whether the labelled turns were drawn by stratum of the old score, as a review draws them, and not
            all with the same chance. All rates from labels are then weighted.
        tied: Turns of which as many people say yes as no; a stratum that has no other label may hold anything.
        inside: Which compared turns the labelled ones were drawn from; labels of others are left out.
        threshold: Take a score from here on for a finding, in place of the status.
        confidence: Of all intervals.

    Example:
        >>> change = Change("safety", "1", "encoder", "2", "encoder")
        >>> old, new = GivenAnswer("no_finding", None, 60, None), GivenAnswer("finding", "self_harm", 90, None)
        >>> diff = compare(change, [Changed(tenant="a", turn="t", old=old, new=new)], labels={(None, "t"): True})
        >>> diff.raised, diff.agreement.rate, diff.labelled and diff.labelled.only_new
        (1, 0.0, 1)
    """
    tally = _Tally(labels or {}, threshold, inside, stratified=stratified, tied=tied)
    for one in changed:
        tally.add(one)
    return tally.diff(change, confidence)


class _Tally:
    """Counts pairs of answers."""

    def __init__(
        self,
        labels: Labels,
        threshold: int | None,
        inside: Callable[[Changed], bool],
        *,
        stratified: bool,
        tied: Collection[Key],
    ) -> None:
        self._labels = labels
        self._inside = inside
        self._threshold = threshold
        self._stratified = stratified
        self._tied = tied
        self._strata: dict[Stratum, Counter[tuple[bool | None, bool, bool]]] = {}
        self._with_ties: set[Stratum] = set()
        self._turns = self._unasked = self._relabelled = 0
        self._old_unanswered: Counter[str] = Counter()
        self._new_unanswered: Counter[str] = Counter()
        self._decisions: Counter[tuple[bool, bool]] = Counter()
        self._answers: Counter[tuple[str, str]] = Counter()
        self._old_bands: dict[int | None, Counter[tuple[bool, bool]]] = {}
        self._new_bands: dict[int | None, Counter[tuple[bool, bool]]] = {}
        self._truths: Counter[tuple[bool, bool, bool]] = Counter()
        self._unanswered_labels = 0
        self._owners: dict[str, str] = {}

    def add(self, one: Changed) -> None:
        self._turns += 1
        if one.old is None:
            self._unasked += 1
            return
        inside = self._inside(one)
        label = self._label(one) if inside else None
        old, new = self._finding(one.old), self._finding(one.new)
        if old is None or new is None:
            self._old_unanswered.update([one.old.reason or one.old.status] if old is None else ())
            self._new_unanswered.update([one.new.reason or one.new.status] if new is None else ())
            self._unanswered_labels += label is not None
            return
        self._decisions[old, new] += 1
        self._answers[_named(one.old), _named(one.new)] += 1
        self._relabelled += old and new and one.old.label != one.new.label
        self._old_bands.setdefault(_band(one.old), Counter())[old, new] += 1
        self._new_bands.setdefault(_band(one.new), Counter())[old, new] += 1
        if inside:
            stratum = self._stratum(one.old)
            self._strata.setdefault(stratum, Counter())[label, old, new] += 1
            self._with_ties.update([stratum] if (one.tenant, one.turn) in self._tied else ())
        if label is not None:
            self._truths[label, old, new] += 1

    def diff(self, change: Change, confidence: float) -> Diff:
        compared = self._decisions.total()
        raised, dropped = self._decisions[False, True], self._decisions[True, False]
        return Diff(
            change=change,
            threshold=self._threshold,
            turns=self._turns,
            compared=compared,
            unasked=self._unasked,
            old_unanswered=dict(sorted(self._old_unanswered.items())),
            new_unanswered=dict(sorted(self._new_unanswered.items())),
            agreement=clopper_pearson(compared - raised - dropped, compared, confidence=confidence),
            raised=raised,
            dropped=dropped,
            relabelled=self._relabelled,
            answers=tuple(
                Answers(*pair, count)
                for pair, count in sorted(self._answers.items(), key=lambda item: (-item[1], item[0]))
            ),
            by_old_confidence=_bands(self._old_bands),
            by_new_confidence=_bands(self._new_bands),
            labelled=self._labelled(confidence) if self._truths or self._unanswered_labels else None,
        )

    def _label(self, one: Changed) -> bool | None:
        """Gives what people said of a turn.

        Raises:
            UsageError: A label names a turn id that several tenants have, and not whose.
        """
        label = self._labels.get((one.tenant, one.turn))
        if label is not None or (None, one.turn) not in self._labels:
            return label
        if self._owners.setdefault(one.turn, one.tenant) != one.tenant:
            raise UsageError("several tenants have a turn of the same id; give the tenant, or one in each label")
        return self._labels[None, one.turn]

    def _stratum(self, old: GivenAnswer) -> Stratum:
        """Gives the stratum that a turn was drawn from; turns that all had one chance are in one."""
        return stratum_of(old.status, score(old.status, old.confidence) or 0) if self._stratified else _ONE

    def _finding(self, answer: GivenAnswer) -> bool | None:
        """Says whether an answer is a finding; None where nobody answered."""
        value = score(answer.status, answer.confidence)
        if value is None:
            return None
        return answer.status == "finding" if self._threshold is None else value >= self._threshold

    def _labelled(self, confidence: float) -> Labelled:
        truths = self._truths
        only_old = truths[True, True, False] + truths[False, False, True]
        only_new = truths[True, False, True] + truths[False, True, False]
        torn = {stratum for stratum in self._with_ties if not _labels_of(self._strata[stratum])}
        old, new = self._point(1, torn, confidence), self._point(2, torn, confidence)
        return Labelled(
            turns=truths.total(),
            of=sum(counts.total() for counts in self._strata.values()),
            positives=sum(count for (label, _, _), count in truths.items() if label),
            unanswered=self._unanswered_labels,
            strata_contradictory=len(torn),
            stratified=self._stratified,
            precision_old=old.precision,
            precision_new=new.precision,
            recall_old=old.recall,
            recall_new=new.recall,
            gain=gain(
                [_pairs(counts, torn=one in torn) for one, counts in self._strata.items()], confidence=confidence
            ),
            only_old=only_old,
            only_new=only_new,
            p_value=mcnemar(only_old, only_new),
        )

    def _point(self, side: int, torn: Collection[Stratum], confidence: float) -> Point:
        """Gives what one side (1 the old, 2 the new) does to the labelled turns, or by them to all compared ones."""
        if self._stratified:
            layers = tuple(
                Layer(
                    stratum=stratum,
                    population=_halves(counts, side, (None, True, False)),
                    positives=_halves(counts, side, (True,)),
                    negatives=_halves(counts, side, (False,)),
                    torn=stratum in torn,
                )
                for stratum, counts in sorted(self._strata.items())
            )
            return weighted_point(StratifiedSample(layers=layers), TOP, confidence=confidence)
        sample = Sample(positives=_halves(self._truths, side, (True,)), negatives=_halves(self._truths, side, (False,)))
        return point(sample, TOP, confidence=confidence)


def _labels_of(counts: Mapping[tuple[bool | None, bool, bool], int]) -> int:
    return sum(count for (label, _, _), count in counts.items() if label is not None)


def _pairs(counts: Mapping[tuple[bool | None, bool, bool], int], *, torn: bool) -> Pairs:
    """Counts on which labelled turns of a stratum one side alone is right; of a torn one, where the sides differ."""

    def of(*keys: tuple[bool, bool, bool]) -> int:
        return sum(counts.get(key, 0) for key in keys)

    return Pairs(
        turns=sum(counts.values()),
        labelled=_labels_of(counts),
        only_old=of((True, True, False), (False, False, True)),
        only_new=of((True, False, True), (False, True, False)),
        torn=sum(count for (_, old, new), count in counts.items() if old != new) if torn else None,
    )


def _halves(counts: Mapping[Any, int], side: int, labels: Collection[bool | None]) -> Histogram:
    """Counts turns of some labels as a histogram: findings of a side in its top bin, the rest in its lowest."""
    found: Counter[int] = Counter()
    for key, count in counts.items():
        if key[0] in labels:
            found[TOP if key[side] else 0] += count
    return Histogram(counts=dict(found))


def _named(answer: GivenAnswer) -> str:
    return answer.label or answer.status


def _band(answer: GivenAnswer) -> int | None:
    return None if answer.confidence is None else min(answer.confidence // _BAND, _TOP_BAND)


def _bands(found: Mapping[int | None, Counter[tuple[bool, bool]]]) -> tuple[Band, ...]:
    """Gives the bands that are not empty, from the lowest up, then that without a confidence."""
    ordered = sorted(found.items(), key=lambda item: (item[0] is None, item[0] or 0))
    return tuple(
        Band(
            None if band is None else band * _BAND,
            None if band is None else (100 if band == _TOP_BAND else band * _BAND + _BAND - 1),
            counts.total(),
            counts[False, True],
            counts[True, False],
        )
        for band, counts in ordered
    )
