"""Shows counts of verdicts: the funnel, and histograms of confidence."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from afterturn.cli._common import json_line, printable

if TYPE_CHECKING:
    from afterturn.calibration import DayHistogram, Histogram
    from afterturn.store import Funnel

_DETAILS = {"finding": "findings", "skipped": "skips", "failed": "failures"}
"""Names the counts by reason or label that belong under a stage."""

_NO_LABEL = "no label"
_BAND = 10
_BARS = " ▁▂▃▄▅▆▇█"


def show_funnel(funnel: Funnel, *, as_json: bool) -> None:
    """Prints a funnel: one line of JSON, or a table with the reasons under their stage."""
    counts: dict[str, Any] = asdict(funnel)
    if as_json:
        sys.stdout.write(json_line(counts) + "\n")
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("stage")
    table.add_column("count", justify="right")
    for stage, count in counts.items():
        if isinstance(count, int):
            table.add_row(stage, f"{count:,}")
            for reason, number in counts.get(_DETAILS.get(stage, ""), {}).items():
                table.add_row(f"  {reason or _NO_LABEL}", f"{number:,}")
    Console().print(table)


def show_histograms(days: Iterable[DayHistogram], *, as_json: bool) -> None:
    """Prints the histogram of each series, its days added up: a line of JSON each, or a table with bars."""
    from afterturn.calibration import by_series

    merged = by_series(days)
    if as_json:
        for series, histogram in merged.items():
            sys.stdout.write(json_line(series._asdict() | asdict(histogram)) + "\n")
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("tenant / agent", "classifier", "verdict", "confidence 0-100")
    table.add_column("count", justify="right")
    table.add_column("without", justify="right")
    for series, histogram in merged.items():
        detail = series.reason or series.label
        table.add_row(
            printable(f"{series.tenant} / {series.agent}"),
            f"{series.classifier} {printable(series.version)}"
            + (f" by {printable(series.replayed_by)}" if series.replayed_by else ""),
            f"{series.status} ({detail})" if detail else series.status,
            _bars(histogram),
            f"{histogram.scored:,}",
            f"{histogram.unscored:,}",
        )
    Console(markup=False, emoji=False, highlight=False).print(table)


def _bars(histogram: Histogram) -> str:
    """Draws ten bars, a band of ten confidences each, 100 in the last; a band that is not empty has a bar."""
    bands = _bands(histogram.counts)
    highest = max(bands)
    return "".join(_BARS[-(-count * (len(_BARS) - 1) // highest) if highest else 0] for count in bands)


def _bands(counts: Mapping[int, int]) -> list[int]:
    bands = [0] * _BAND
    for value, count in counts.items():
        bands[min(value // _BAND, _BAND - 1)] += count
    return bands
