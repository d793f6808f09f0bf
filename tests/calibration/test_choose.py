"""A threshold is given where its promise is proven, and how many labels are missing where it is not."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.calibration import Decision, Histogram, Sample, at_least, at_most, for_false_alarms, for_precision

_COUNTS = st.dictionaries(st.integers(0, 100), st.integers(1, 60), max_size=12)


def _sample(positives: dict[int, int], negatives: dict[int, int]) -> Sample:
    return Sample(positives=Histogram(counts=positives), negatives=Histogram(counts=negatives))


def _traffic(sample: Sample) -> Histogram:
    counts = {
        score: sample.positives.counts.get(score, 0) + sample.negatives.counts.get(score, 0) for score in range(101)
    }
    return Histogram(counts={score: count for score, count in counts.items() if count})


def test_the_fewest_clean_negatives_that_prove_a_rate_are_enough_and_one_less_is_not() -> None:
    fewest = math.ceil(math.log(0.05) / math.log(0.99))
    assert fewest == 299
    enough = for_false_alarms(_sample({}, {10: fewest}), 0.01)
    assert (enough.threshold, enough.more_labels) == (11, None)
    missing = for_false_alarms(_sample({}, {10: fewest - 1}), 0.01)
    assert missing == Decision(threshold=None, tested=1, more_labels=1, labels_of="negatives")


def test_no_labels_need_all_of_them() -> None:
    assert for_false_alarms(_sample({}, {}), 0.01).more_labels == 299
    precise = for_precision(_sample({}, {}), 0.9, Histogram(counts={90: 1000}))
    assert (precise.threshold, precise.labels_of) == (None, "alerts")
    assert precise.more_labels is not None
    assert precise.more_labels >= 29


def test_a_sample_that_breaks_the_promise_everywhere_asks_for_no_labels() -> None:
    assert for_false_alarms(_sample({}, {100: 50, 0: 50}), 0.01).more_labels is None
    half = _sample({95: 200}, {95: 200})
    assert for_precision(half, 0.9, _traffic(half)).more_labels is None


def test_the_search_stops_at_the_first_threshold_that_is_not_proven() -> None:
    sample = _sample({}, {90: 40, 50: 1, 10: 4_000})
    decision = for_false_alarms(sample, 0.01)
    assert decision.threshold == 91  # at 90 there are 40 of 4,041 alarms, just too many to be sure
    assert decision.tested == 11


@given(_COUNTS, st.sampled_from([0.01, 0.05, 0.2, 0.5]))
def test_every_threshold_down_to_the_chosen_one_passes_its_exact_test(counts: dict[int, int], target: float) -> None:
    sample = _sample({}, counts)
    decision = for_false_alarms(sample, target)
    trials = sample.negatives.scored
    values = {one: at_most(sample.negatives.at_least(one), trials, target) for one in range(1, 101)}
    if decision.threshold is None:
        assert values[100] > 0.05
        return
    assert all(values[one] <= 0.05 for one in range(decision.threshold, 101))
    assert decision.threshold == 1 or values[decision.threshold - 1] > 0.05
    assert decision.p_value == values[decision.threshold]


@given(_COUNTS, _COUNTS, st.sampled_from([0.5, 0.8, 0.95]))
def test_a_chosen_precision_passes_its_exact_test(
    positives: dict[int, int], negatives: dict[int, int], target: float
) -> None:
    sample = _sample(positives, negatives)
    decision = for_precision(sample, target, _traffic(sample))
    if decision.threshold is None:
        return
    hits = sample.positives.at_least(decision.threshold)
    alarms = sample.negatives.at_least(decision.threshold)
    assert at_least(hits, hits + alarms, target) == decision.p_value
    assert at_least(hits, hits + alarms, target) <= 0.05


def test_the_labels_asked_for_are_enough_if_the_rates_stay() -> None:
    sample = _sample({}, {100: 2, 10: 498})
    more = for_false_alarms(sample, 0.01).more_labels
    assert more is not None
    grown = 500 + more
    alarms = math.ceil(grown * 2 / 500)
    assert for_false_alarms(_sample({}, {100: alarms, 10: grown - alarms}), 0.01).threshold is not None


def test_precision_starts_where_the_traffic_lets_one_expect_enough_alerts() -> None:
    sample = _sample({99: 5, 80: 150}, {99: 0, 80: 2, 5: 400})
    decision = for_precision(sample, 0.9, _traffic(sample))
    assert decision.threshold == 6
    assert decision.tested < 100


@pytest.mark.parametrize("error", [0.01, 0.05, 0.2])
def test_a_smaller_error_asks_for_more_labels(error: float) -> None:
    more = for_false_alarms(_sample({}, {}), 0.05, error=error).more_labels
    assert more == math.ceil(math.log(error) / math.log(0.95))


@pytest.mark.parametrize(("trials", "target"), [(299, 0.01), (1_000, 0.01), (400, 0.2)])
def test_a_promise_that_does_not_hold_is_made_no_more_often_than_stated(trials: int, target: float) -> None:
    """Adds up exactly how often a threshold is given where the true rate is just over the target at each of them."""
    rate = target * 1.001
    given = 0.0
    for alarms in range(trials + 1):
        if for_false_alarms(_sample({}, {100: alarms, 0: trials - alarms}), target).threshold is None:
            break  # with more alarms none is given either
        given += at_most(alarms, trials, rate) - at_most(alarms - 1, trials, rate)
    assert 0.01 < given <= 0.05


def test_a_precision_that_does_not_hold_is_promised_no_more_often_than_stated() -> None:
    alerts, target = 300, 0.9
    traffic = Histogram(counts={100: 300, 0: 700})
    given = 0.0
    for hits in range(alerts, -1, -1):
        sample = _sample({100: hits}, {100: alerts - hits, 0: 700})
        if for_precision(sample, target, traffic).threshold is None:
            break  # with fewer hits none is given either
        given += at_least(hits, alerts, target * 0.999) - at_least(hits + 1, alerts, target * 0.999)
    assert 0.001 < given <= 0.05


def test_the_labels_that_are_missing_are_enough() -> None:
    """Says how many more alerts; with the sample grown to have them, in its proportions, a threshold is proven."""
    traffic = Histogram(counts={100: 600, 0: 400})
    few = _sample({100: 30}, {0: 20})
    decision = for_precision(few, 0.9, traffic)
    assert (decision.threshold, decision.more_labels) == (None, 33)  # 63 alerts expected, 42 of them right
    grown = _sample({100: 63}, {0: 42})
    assert for_precision(grown, 0.9, traffic).threshold is not None
    picked = _sample({100: 100}, {})  # as if every turn alerted: the traffic lets one expect 60
    assert for_precision(picked, 0.9, traffic).more_labels == 3
