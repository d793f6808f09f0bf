"""A person at a terminal sees counts with their reasons, and bars."""

from __future__ import annotations

from datetime import date

import pytest

from afterturn.calibration import DayHistogram, Histogram, Series
from afterturn.cli._counts import show_funnel, show_histograms
from afterturn.store import Funnel


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("COLUMNS", "200")


def test_reasons_stand_under_their_stage(capsys: pytest.CaptureFixture[str]) -> None:
    funnel = Funnel(
        stored=3,
        planned=1_200,
        open=0,
        judged=1_000,
        finding=1_000,
        skipped=200,
        failed=0,
        dead=0,
        findings={"": 400, "self_harm": 600},
        skips={"no_passages": 200},
    )
    show_funnel(funnel, as_json=False)
    lines = [" ".join(line.replace("│", " ").split()) for line in capsys.readouterr().out.splitlines()]
    at = lines.index("finding 1,000")
    assert lines[at + 1 : at + 3] == ["no label 400", "self_harm 600"]
    assert lines[lines.index("skipped 200") + 1] == "no_passages 200"


def test_bars_show_the_tenths_that_are_not_empty(capsys: pytest.CaptureFixture[str]) -> None:
    series = Series("acme", "[support]\x9b", "safety", "1", "finding", "self_harm", None)
    histogram = Histogram(counts={5: 1, 55: 400, 90: 500, 100: 300}, unscored=7)
    show_histograms([DayHistogram(series=series, day=date(2026, 11, 30), histogram=histogram)], as_json=False)
    text = capsys.readouterr().out
    for part in ("▁    ▄   █", "finding (self_harm)", "1,201", " 7 ", "[support]\N{REPLACEMENT CHARACTER}"):
        assert part in text
    assert "\x9b" not in text
