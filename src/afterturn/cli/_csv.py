"""Writes verdicts and counts as CSV for spreadsheets: ids, enums and numbers, never text of a conversation."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from afterturn.calibration import DayHistogram
    from afterturn.store import Funnel
    from afterturn.verdicts import Verdict

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NESTED = ("params", "usage")
_SERIES = ("tenant", "agent", "classifier", "version", "status", "label", "reason", "replayed_by")
_DETAILS = ("findings", "skips", "failures")


def write_verdicts(verdicts: Iterable[Verdict]) -> None:
    """Writes a row a verdict, with the keys of its JSON line as columns; `params.temperature` and so on are flat."""
    from afterturn.verdicts import JudgeParams, Usage, Verdict

    inner = {"params": JudgeParams.__slots__, "usage": Usage.__slots__}
    columns = [
        column
        for name in Verdict.__slots__
        for column in ([f"{name}.{one}" for one in inner[name]] if name in _NESTED else [name])
    ]
    _write(columns, map(_flat, verdicts))


def write_histograms(days: Iterable[DayHistogram]) -> None:
    """Writes a row a series, day and confidence that has verdicts; without a confidence the cell is empty."""
    _write([*_SERIES, "day", "confidence", "verdicts"], (row for one in days for row in _bins(one)))


def write_funnel(funnel: Funnel) -> None:
    """Writes a row a stage, then one a reason or label of those stages that have some."""
    counts: dict[str, Any] = asdict(funnel)
    rows = [{"stage": name, "count": count} for name, count in counts.items() if isinstance(count, int)]
    rows += [
        {"stage": name, "detail": detail, "count": count} for name in _DETAILS for detail, count in counts[name].items()
    ]
    _write(["stage", "detail", "count"], rows)


def _flat(verdict: Verdict) -> Mapping[str, object]:
    from afterturn.classification import verdict_to_json

    values = verdict_to_json(verdict)
    for name in _NESTED:
        values |= {f"{name}.{key}": value for key, value in values.pop(name).items()}
    return values


def _bins(one: DayHistogram) -> Iterator[Mapping[str, object]]:
    head = one.series._asdict() | {"day": one.day.isoformat()}
    for value, count in one.histogram.counts.items():
        yield head | {"confidence": value, "verdicts": count}
    if one.histogram.unscored:
        yield head | {"confidence": None, "verdicts": one.histogram.unscored}


def _write(columns: Iterable[str], rows: Iterable[Mapping[str, object]]) -> None:
    writer = csv.DictWriter(sys.stdout, [*columns], restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})


def _cell(value: object) -> object:
    """Keeps an id from being run as a formula by a spreadsheet, and half a character from breaking the file."""
    if not isinstance(value, str):
        return "" if value is None else value
    text = value.encode("utf-8", "replace").decode()
    return f"'{text}" if text.startswith(_FORMULA) else text
