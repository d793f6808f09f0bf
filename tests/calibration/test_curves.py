"""Curves and budgets count what they say, on samples small enough to count by hand."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.calibration import (
    Alerts,
    DayHistogram,
    Histogram,
    Sample,
    Series,
    Target,
    alerts,
    auroc,
    bands,
    calibrate,
    for_budget,
    merged,
    points,
    scores_by_day,
)

_COUNTS = st.dictionaries(st.integers(0, 100), st.integers(1, 5), min_size=1, max_size=8)
_SAMPLE = Sample(positives=Histogram(counts={90: 3, 40: 1}), negatives=Histogram(counts={90: 1, 10: 5}))
_DAYS = {date(2026, 11, day): Histogram(counts={95: 2, 60: 2 * day}) for day in (1, 2, 4)}


def test_each_point_counts_the_alerts_at_its_threshold() -> None:
    found = [(one.threshold, one.recall.rate, one.false_alarms.rate, one.precision.rate) for one in points(_SAMPLE)]
    assert found == [
        (101, 0.0, 0.0, None),
        (90, 0.75, 1 / 6, 0.75),
        (40, 1.0, 1 / 6, 0.8),
        (10, 1.0, 1.0, 0.4),
    ]


def test_the_rates_lie_within_their_intervals() -> None:
    for one in points(_SAMPLE)[1:]:
        for interval in (one.recall, one.false_alarms, one.precision):
            assert interval.low is not None
            assert interval.rate is not None
            assert interval.high is not None
            assert interval.low <= interval.rate <= interval.high


def test_bands_hold_the_share_of_positives_beside_the_mean_score() -> None:
    found = [(one.low, one.high, one.labelled, one.mean_score, one.positives.rate) for one in bands(_SAMPLE)]
    assert found == [(10, 19, 5, 10.0, 0.0), (40, 49, 1, 40.0, 1.0), (90, 100, 4, 90.0, 0.75)]


@given(_COUNTS, _COUNTS)
def test_the_area_under_the_curve_is_the_share_of_pairs_in_order(
    positives: dict[int, int], negatives: dict[int, int]
) -> None:
    area = auroc(Sample(positives=Histogram(counts=positives), negatives=Histogram(counts=negatives)))
    wins = [
        (1.0 if above > below else 0.5 if above == below else 0.0, m * n)
        for above, m in positives.items()
        for below, n in negatives.items()
    ]
    assert area == pytest.approx(sum(win * weight for win, weight in wins) / sum(weight for _, weight in wins))


def test_without_positives_there_is_no_area() -> None:
    assert auroc(Sample(positives=Histogram(), negatives=Histogram(counts={1: 1}))) is None


def test_a_day_without_verdicts_counts_as_a_day() -> None:
    assert alerts(_DAYS, 61) == Alerts(days=4, a_day=1.5, most=2)
    assert alerts(_DAYS, 60) == Alerts(days=4, a_day=5.0, most=10)
    assert alerts({}, 60) == Alerts(days=0, a_day=0.0, most=0)


@pytest.mark.parametrize(("budget", "threshold"), [(5, 1), (4.9, 61), (1.5, 61), (1.4, 96), (0, 96)])
def test_a_budget_gets_the_lowest_threshold_within_it(budget: float, threshold: int) -> None:
    assert for_budget(_DAYS, budget) == threshold


def test_a_budget_below_the_surest_alerts_has_no_threshold() -> None:
    assert for_budget({date(2026, 11, 1): Histogram(counts={100: 3})}, 2) is None


def test_scores_are_of_findings_upwards_and_of_no_findings_downwards() -> None:
    day = date(2026, 11, 30)

    def counted(status: str, counts: dict[int, int], unscored: int = 0) -> DayHistogram:
        series = Series("acme", "support", "safety", "1", status, None, None)
        return DayHistogram(series=series, day=day, histogram=Histogram(counts=counts, unscored=unscored))

    days = [
        counted("finding", {90: 2}, unscored=1),
        counted("no_finding", {90: 3, 0: 1}, unscored=4),
        counted("skipped", {}, unscored=5),
        counted("error", {}, unscored=6),
    ]
    assert scores_by_day(days) == {day: Histogram(counts={0: 5, 10: 3, 90: 2, 100: 1}, unscored=11)}


@given(st.lists(st.builds(Histogram, counts=_COUNTS, unscored=st.integers(0, 5)), max_size=5))
def test_merging_adds_in_any_order(histograms: list[Histogram]) -> None:
    assert merged(histograms) == merged(reversed(histograms))
    assert merged(histograms).total == sum(one.total for one in histograms)
    assert merged([merged(histograms[:2]), merged(histograms[2:])]) == merged(histograms)


def test_a_calibration_without_labels_promises_nothing() -> None:
    empty = Sample(positives=Histogram(), negatives=Histogram())
    found = calibrate(_DAYS, empty, Target(kind="alerts_a_day", value=2))
    assert (found.threshold, found.guarantee, found.decision) == (61, None, None)
    assert found.alerts == Alerts(days=4, a_day=1.5, most=2)
    claim = calibrate(_DAYS, empty, Target(kind="false_positive_rate", value=0.01))
    assert claim.decision is not None
    assert (claim.threshold, claim.guarantee, claim.decision.more_labels) == (None, None, 299)


def test_a_guarantee_names_the_promise_the_method_and_what_it_needs() -> None:
    sample = Sample(positives=Histogram(counts={95: 9}), negatives=Histogram(counts={60: 500}))
    found = calibrate(_DAYS, sample, Target(kind="false_positive_rate", value=0.01))
    assert found.threshold == 61
    assert found.guarantee is not None
    for part in ("at least 0.95", "false-positive rate is at most 0.01", "learn-then-test", "drawn at random"):
        assert part in found.guarantee


@pytest.mark.parametrize(
    ("kind", "value", "confidence"),
    [("precision", 1.0, 0.95), ("false_positive_rate", 0.0, 0.95), ("alerts_a_day", -1.0, 0.95), ("precision", 0.9, 1)],
)
def test_a_target_that_nothing_can_meet_is_refused(kind: str, value: float, confidence: float) -> None:
    with pytest.raises(ValueError, match="give"):
        Target(kind=kind, value=value, confidence=confidence)  # pyright: ignore[reportArgumentType]
