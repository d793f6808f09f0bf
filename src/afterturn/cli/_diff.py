"""Shows what a replay would change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from afterturn.cli._common import printable

if TYPE_CHECKING:
    from rich.console import Console

    from afterturn.calibration import Interval
    from afterturn.replay import Band, Diff, Labelled

_MOST_ANSWERS = 12


def diff_json(diff: Diff) -> dict[str, Any]:
    """Gives a difference as JSON; an interval is a list of rate, low and high."""
    values = asdict(diff)
    values["change"] = diff.change._asdict()
    for name in ("answers", "by_old_confidence", "by_new_confidence"):
        values[name] = [one._asdict() for one in getattr(diff, name)]
    return values


def show_diffs(diffs: Sequence[Diff]) -> None:
    """Prints differences for a person at a terminal."""
    from rich.console import Console

    console = Console(markup=False, emoji=False, highlight=False)
    for diff in diffs:
        for line in _lines(diff):
            console.print(line)
        _tables(console, diff)
    if not diffs:
        console.print("nothing was replayed under these filters")


def _lines(diff: Diff) -> Iterator[str]:
    old, new = diff.change[1:3], diff.change[3:]
    yield f"{printable(diff.change.classifier)}: {_side(*old)} → {_side(*new)}"
    yield (
        f"{diff.turns} turns, {diff.compared} answered by both; {diff.unasked} not asked before, "
        f"{_counted(diff.old_unanswered)} before and {_counted(diff.new_unanswered)} now without an answer"
    )
    of = "findings" if diff.threshold is None else f"alerts from {diff.threshold} on"
    yield (
        f"agreement {_percent(diff.agreement)}; {of}: {diff.raised} raised, {diff.dropped} dropped, "
        f"{diff.relabelled} of another label"
    )
    if diff.labelled is None:
        yield "no labels of these turns: review some, or give --labels, to learn which side is right"
    else:
        yield from _judged(diff.labelled)


def _judged(labelled: Labelled) -> Iterator[str]:
    yield (
        f"{labelled.turns} labelled turns, {labelled.positives} with something to find"
        + (
            f"; rates are estimates for the {labelled.of:,} compared turns that the review sample was drawn from"
            if labelled.stratified
            else ""
        )
    )
    yield f"precision {_percent(labelled.precision_old)} → {_percent(labelled.precision_new)}"
    yield f"recall    {_percent(labelled.recall_old)} → {_percent(labelled.recall_new)}"
    told = "they never differ" if labelled.p_value is None else f"McNemar's exact p = {labelled.p_value:.3g}"
    yield _gained(labelled.gain)
    counted = "labelled turns as they are, unweighted: " if labelled.stratified else ""
    yield f"{counted}only the old side right: {labelled.only_old}, only the new: {labelled.only_new}; {told}"
    if labelled.strata_contradictory:
        yield (
            f"all labels of {labelled.strata_contradictory} strata contradict each other: rates count half of their "
            "turns, intervals hold none to all; have a third reviewer run afterturn review: it shows those turns first"
        )
    if labelled.gain.rate is None or None in (labelled.precision_new.rate, labelled.recall_new.rate):
        yield "- : unknown, since a stratum has no label, or there is nothing to divide by"


def _tables(console: Console, diff: Diff) -> None:
    from rich.table import Table

    answers = Table("before", "now", title="answers")
    answers.add_column("turns", justify="right")
    for one in diff.answers[:_MOST_ANSWERS]:
        answers.add_row(one.old, one.new, f"{one.turns:,}")
    if diff.answers:
        console.print(answers)
        console.print(_flips(diff.by_old_confidence, "flips by old confidence"))
        console.print(_flips(diff.by_new_confidence, "flips by new confidence"))


def _flips(bands: Iterable[Band], title: str) -> Any:
    from rich.table import Table

    table = Table("confidence", title=title)
    for name in ("turns", "raised", "dropped"):
        table.add_column(name, justify="right")
    for band in bands:
        whose = "none" if band.low is None else f"{band.low}-{band.high}"
        table.add_row(whose, f"{band.compared:,}", f"{band.raised:,}", f"{band.dropped:,}")
    return table


def _side(version: str | None, judge: str | None) -> str:
    return "not asked" if version is None else printable(f"version {version} by {judge}")


def _counted(reasons: Mapping[str, int]) -> str:
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
    return f"{sum(reasons.values())} ({told})" if told else "0"


def _gained(gain: Interval) -> str:
    if gain.rate is None or gain.low is None or gain.high is None:
        return "which side is right more often on all these turns: unknown"
    points = f"{100 * gain.rate:+.1f} % ({100 * gain.low:+.1f} to {100 * gain.high:+.1f})"
    return f"turns on which the new side is right, less those on which the old one is: {points} of all"


def _percent(interval: Interval) -> str:
    if interval.rate is None or interval.low is None or interval.high is None:
        return "-"
    return f"{100 * interval.rate:.1f} % ({100 * interval.low:.1f}-{100 * interval.high:.1f})"
