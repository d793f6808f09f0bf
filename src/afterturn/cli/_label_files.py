"""Takes labels from a file into the store, and writes those of the store to a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterturn.cli._common import json_line, note, output, printable
from afterturn.cli._labels import Key, label_row
from afterturn.cli._reviewer import check_reviewer

if TYPE_CHECKING:
    from afterturn.formats import BadLine, Record
    from afterturn.store import Answer, Store

IMPORTED = "import"
"""Is who labelled, where neither the line nor --reviewer says it."""


_COUNTS: tuple[str, ...] = (
    "imported",
    "replaced",
    "unknown_turns",
    "contradictory",
    "other_classifiers",
    "bad_lines",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    number: int
    key: Key
    classifier: str
    label: bool
    reviewer: str


def import_labels(
    store: Store, file: Path, *, classifier: str | None, tenant: str | None, reviewer: str | None
) -> dict[str, Any]:
    """Stores the labels of a file; lines that hold none are told with their number, and counted.

    An answer that the same person gave before gives way; where it was another, or given at the terminal, it is counted
    and told. The stored label then says that it is of a file, and when that was read.

    Raises:
        UnreadableInputError: The file as a whole cannot be read.
    """
    from afterturn.formats import BadLine, read_records

    counts = dict.fromkeys(_COUNTS, 0)
    lines: list[_Line] = []
    for record in read_records(file):
        line = record if isinstance(record, BadLine) else _line(record, str(file), reviewer or IMPORTED)
        if isinstance(line, BadLine):
            _bad(counts, str(line))
        elif classifier not in (None, line.classifier):
            counts["other_classifiers"] += 1
        else:
            lines.append(line)
    for (name, who), answers in _by_reviewer(store, lines, str(file), tenant, counts).items():
        replaced = _replaced(store, answers, name, who)
        store.reviews.label(answers, name, reviewer=who, source="file")
        counts["imported"] += len(answers)
        counts["replaced"] += replaced
        if replaced:
            note(f"{replaced} earlier answers of {printable(who)} about {printable(name)} are replaced by this file")
    return counts


def _replaced(store: Store, answers: Mapping[int, Answer], classifier: str, reviewer: str) -> int:
    """Counts the answers of a person that a file changes, or that were given at the terminal."""
    return sum(
        label.key in answers and (label.answer, label.source) != (answers[label.key], "file")
        for label in store.reviews.labels(classifier)
        if label.reviewer == reviewer
    )


def export_labels(
    store: Store, file: Path, *, classifier: str | None, tenant: str | None, agent: str | None
) -> dict[str, Any]:
    """Writes the labels, one a line; `unsure` is none and is left out.

    Raises:
        OutputError: The file cannot be written.
    """
    given = store.reviews.labels(classifier, tenant=tenant, agent=agent)
    written = [label for label in given if label.answer != "unsure"]
    with output(file) as stream:
        for label in written:
            row = {
                "tenant": label.tenant,
                "turn": label.turn,
                "classifier": label.classifier,
                "label": label.answer == "yes",
                "reviewer": label.reviewer,
                "source": label.source,
                "at": label.at.isoformat(),
            }
            stream.write(json_line(row) + "\n")
    return {"exported": len(written), "unsure": len(given) - len(written)}


def _line(record: Record, file: str, reviewer: str) -> _Line | BadLine:
    from afterturn.errors import UsageError
    from afterturn.formats import BadLine

    row = label_row(record, file)
    if isinstance(row, BadLine):
        return row
    said = record.value.get("reviewer") if isinstance(record.value, Mapping) else None
    try:
        who = check_reviewer(reviewer if said is None else said)
    except UsageError:
        hint = "write a name of up to 100 characters, or leave it out"
        return BadLine(file=file, line=record.line, problem="`reviewer` is no name", hint=hint)
    return _Line(number=record.line, key=row[0], classifier=row[1], label=row[2], reviewer=who)


def _by_reviewer(
    store: Store, lines: list[_Line], file: str, tenant: str | None, counts: dict[str, int]
) -> dict[tuple[str, str], dict[int, Answer]]:
    """Finds the turns of lines; one that the same person labelled both ways is left out."""
    known = store.reviews.turns_named([line.key[1] for line in lines], tenant)
    found: dict[tuple[str, str], dict[int, Answer]] = {}
    both: set[tuple[str, str, int]] = set()
    for line in lines:
        turns = [key for whose, key in known.get(line.key[1], ()) if line.key[0] in (None, whose)]
        if not turns:
            counts["unknown_turns"] += 1
        elif len(turns) > 1:
            _bad(
                counts, f"{file}:{line.number}: several tenants have a turn of this id; add `tenant`, or give --tenant"
            )
        else:
            answer: Answer = "yes" if line.label else "no"
            if found.setdefault((line.classifier, line.reviewer), {}).setdefault(turns[0], answer) != answer:
                both.add((line.classifier, line.reviewer, turns[0]))
    for name, who, key in both:
        del found[name, who][key]
    counts["contradictory"] = len(both)
    return found


def _bad(counts: dict[str, int], message: str) -> None:
    counts["bad_lines"] += 1
    note(message)
