"""Finds the labels that people gave to turns, in the store or in a file, and the scores of what they labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from afterturn.cli._common import note, printable
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.calibration import Sample, StratifiedSample
    from afterturn.formats import BadLine, Record
    from afterturn.store import Filter, Label, Reviewed, ReviewSample, Store
    from afterturn.verdicts import Verdict

Key = tuple[str | None, str]
"""Is a turn by its tenant, where the label says which, and its id."""


@dataclass(kw_only=True, slots=True)
class Labels:
    """Are the labels of one classifier.

    Attributes:
        values: The label of each turn.
        contradictory: Turns that were labelled both ways; they are left out.
        other_classifiers: Lines about other classifiers.
        bad_lines: Lines that hold no label; each was reported.
    """

    values: dict[Key, bool] = field(default_factory=dict[Key, bool])
    contradictory: int = 0
    other_classifiers: int = 0
    bad_lines: int = 0


Source = Literal["none", "file", "review", "stored"]
"""Is where labels come from: a sample that was reviewed, or labels that were imported and are in no sample."""

_SHOWN = 5
_LEFT_OUT = ("unknown_turns", "unanswered", "contradictory", "other_classifiers", "bad_lines")


@dataclass(frozen=True, kw_only=True, slots=True)
class Used:
    """Is what a calibration rests on.

    Attributes:
        source: Where the labels come from.
        sample: The labelled sample: simple where turns were drawn at random, else stratified.
        left_out: How many labels, lines or turns are not in it, by why.
        drawn: What the stratified sample was drawn from; None without one.
    """

    source: Source
    sample: Sample | StratifiedSample
    left_out: dict[str, int]
    drawn: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Matched:
    """Is a labelled sample with what of the labels is in it.

    Attributes:
        sample: The scores of the labelled turns.
        unknown: Labelled turns without a verdict of the classifier under the filters.
        unanswered: Labelled turns whose question was skipped or failed; they have no score.
    """

    sample: Sample
    unknown: int
    unanswered: int


def from_file(store: Store, file: Path, narrow: Filter) -> Used:
    """Takes the labels of a file; those of the store are left alone, since the two were drawn in different ways.

    Raises:
        UnreadableInputError: The file as a whole cannot be read.
        UsageError: A label names a turn id that several tenants have, and not whose.
    """
    read = read_labels(file, narrow.classifier or "")
    found = matched(store, read, narrow)
    left_out = _none_left_out() | {
        "unknown_turns": found.unknown,
        "unanswered": found.unanswered,
        "contradictory": read.contradictory,
        "other_classifiers": read.other_classifiers,
        "bad_lines": read.bad_lines,
    }
    return Used(source="file", sample=found.sample, left_out=left_out)


def from_store(store: Store, narrow: Filter) -> Used:
    """Takes the labels of the newest sample that has some, by stratum; without one, those that were imported."""
    given = store.reviews.labels(narrow.classifier, tenant=narrow.tenant, agent=narrow.agent)
    reviewed = store.reviews.newest_reviewed(narrow, given)
    if reviewed is None:
        return _imported(store, narrow, given)
    left_out = _none_left_out() | {
        "contradictory": reviewed.contradictory,
        "strata_contradictory": reviewed.strata_contradictory,
        "unlabelled": reviewed.unlabelled,
        "unreadable": reviewed.unreadable,
        "outside_the_sample": reviewed.outside,
    }
    return Used(source="review", sample=reviewed.stratified, left_out=left_out, drawn=facts(reviewed))


def from_replay(store: Store, narrow: Filter) -> Used:
    """Takes the labels of the newest sample of the version that was replayed: labels are about turns, so they count.

    The turns were drawn by the old scores. So the strata are those of the old scores, and within each the new scores
    are looked at.
    """
    from afterturn.replay import new_scores

    found = new_scores(store, narrow)
    if found is None:
        used = _imported(
            store, narrow, store.reviews.labels(narrow.classifier, tenant=narrow.tenant, agent=narrow.agent)
        )
        if not used.sample.size:
            note("no reviewed sample of the version that was live; review one, or give --labels FILE")
        return used
    stratified = found.stratified
    turns = stratified.population.scored
    drawn = sample_facts(found.sample) | {"turns": turns, "drawn": found.drawn, "labelled": stratified.size}
    left_out = _none_left_out() | {
        "contradictory": found.contradictory,
        "strata_contradictory": sum(layer.torn for layer in stratified.layers),
    }
    return Used(source="review", sample=stratified, left_out=left_out, drawn=drawn)


def facts(reviewed: Reviewed) -> dict[str, Any]:
    """Gives what a sample, or a part of one, was drawn from, as JSON."""
    return sample_facts(reviewed.sample) | {
        "turns": sum(reviewed.frame.values()),
        "drawn": len(reviewed.turns),
        "labelled": reviewed.stratified.size,
    }


def sample_facts(sample: ReviewSample) -> dict[str, Any]:
    """Gives how a sample was drawn, as JSON."""
    return {
        "number": sample.number,
        "version": sample.version,
        "tenant": sample.tenant,
        "agent": sample.agent,
        "seed": sample.seed,
        "drawn_at": sample.drawn_at.isoformat(),
        "since": sample.since and sample.since.isoformat(),
        "until": sample.until and sample.until.isoformat(),
        "expired": sample.expired,
    }


def other_samples(store: Store, narrow: Filter) -> str:
    """Says which samples of other traffic there are, by the options that choose it; empty where there is none."""
    told = {whose_sample(one.tenant, one.agent) for one in store.reviews.others(narrow)}
    return ", ".join(sorted(told)[:_SHOWN])


def whose_sample(tenant: str | None, agent: str | None) -> str:
    """Names the traffic of a sample by the options that choose it."""
    given = [f"--{name} {printable(value)}" for name, value in (("tenant", tenant), ("agent", agent)) if value]
    return " ".join(given) or "all tenants"


def _imported(store: Store, narrow: Filter, given: tuple[Label, ...]) -> Used:
    """Takes imported labels as if their turns had been drawn at random: whoever imported them says so.

    Labels of a sample of other traffic (all tenants, another version) are left out: they were drawn by its scores.
    """
    from afterturn.calibration import Histogram, Sample, score
    from afterturn.store import majority

    drawn = store.reviews.sampled(narrow.classifier or "")
    truth, tied = majority(label for label in given if label.source == "file" and label.key not in drawn)
    others = {label.key for label in given} - truth.keys() - tied
    scores: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    for key, (status, confidence) in store.reviews.answers(narrow, [*truth]).items():
        scores[truth[key]][score(status, confidence) or 0] += 1
    sample = Sample(positives=Histogram(counts=scores[True]), negatives=Histogram(counts=scores[False]))
    left_out = _none_left_out() | {
        "unknown_turns": len(truth) - sample.size,
        "contradictory": len(tied),
        "of_other_samples": len(others),
    }
    if others and not sample.size:
        there = other_samples(store, narrow)
        hint = f"there are samples of: {there}" if there else "draw one here: afterturn review"
        note(f"{len(others)} labelled turns are of samples of other traffic, or of another version; {hint}")
    return Used(source="stored" if sample.size else "none", sample=sample, left_out=left_out)


def _none_left_out() -> dict[str, int]:
    return dict.fromkeys(_LEFT_OUT, 0)


def read_labels(file: Path, classifier: str) -> Labels:
    """Reads a file of `{"turn", "classifier", "label": true or false}`, one a line; `tenant` may be there too.

    Raises:
        UnreadableInputError: The file as a whole cannot be read.
    """
    from afterturn.formats import BadLine, read_records

    labels = Labels()
    both: set[Key] = set()
    for record in read_records(file):
        row = record if isinstance(record, BadLine) else label_row(record, str(file))
        if isinstance(row, BadLine):
            labels.bad_lines += 1
            note(str(row))
        elif row[1] != classifier:
            labels.other_classifiers += 1
        elif labels.values.setdefault(row[0], row[2]) != row[2]:
            both.add(row[0])
    for key in both:
        del labels.values[key]
    labels.contradictory = len(both)
    return labels


def label_row(record: Record, file: str) -> tuple[Key, str, bool] | BadLine:
    """Reads one label: of which turn, for which classifier, and what it says."""
    from afterturn.formats import BadLine

    value = record.value
    if isinstance(value, Mapping):
        turn, name, label, tenant = (value.get(key) for key in ("turn", "classifier", "label", "tenant"))
        if isinstance(turn, str) and isinstance(name, str) and isinstance(label, bool):
            return (tenant if isinstance(tenant, str) else None, turn), name, label
    hint = 'write {"turn": ID, "classifier": NAME, "label": true or false}'
    return BadLine(file=file, line=record.line, problem="no label of a turn", hint=hint)


def matched(store: Store, labels: Labels, narrow: Filter) -> Matched:
    """Finds the verdicts of labelled turns; of several about one turn the newest counts.

    Raises:
        UsageError: A label names a turn id that several tenants have, and not whose.
    """
    from afterturn.calibration import Histogram, Sample, score

    found = _verdicts(store.verdicts_of([turn for _, turn in labels.values], narrow), labels.values)
    scores: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
    unanswered = 0
    for key, verdict in found.items():
        value = score(verdict.status, verdict.confidence)
        if value is None:
            unanswered += 1
        else:
            scores[labels.values[key]][value] += 1
    return Matched(
        sample=Sample(positives=Histogram(counts=scores[True]), negatives=Histogram(counts=scores[False])),
        unknown=len(labels.values) - len(found),
        unanswered=unanswered,
    )


def _verdicts(verdicts: Iterable[Verdict], wanted: Mapping[Key, bool]) -> dict[Key, Verdict]:
    found: dict[Key, Verdict] = {}
    for verdict in verdicts:
        exact: Key = (verdict.tenant, verdict.turn)
        key = exact if exact in wanted else (None, verdict.turn)
        if key not in wanted:
            continue
        if key in found and found[key].tenant != verdict.tenant:
            raise UsageError("several tenants have a turn of the same id; give --tenant, or a tenant in each label")
        found[key] = verdict
    return found
