"""Reads the labels that people gave to turns, and finds the scores of what they labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from afterturn.cli._common import note
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.calibration import Sample
    from afterturn.formats import BadLine, Record
    from afterturn.store import Filter, Store
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


def read_labels(file: Path, classifier: str) -> Labels:
    """Reads a file of `{"turn", "classifier", "label": true or false}`, one a line; `tenant` may be there too.

    Raises:
        UnreadableInputError: The file as a whole cannot be read.
    """
    from afterturn.formats import BadLine, read_records

    labels = Labels()
    both: set[Key] = set()
    for record in read_records(file):
        row = record if isinstance(record, BadLine) else _row(record, str(file))
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


def _row(record: Record, file: str) -> tuple[Key, str, bool] | BadLine:
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
