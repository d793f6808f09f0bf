"""`afterturn review --report` says how good the judge is on the whole traffic, and who agrees."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from review_turns import ANNA, NARROW, Run

from afterturn.cli import _review_report
from afterturn.store import Answer, open_store


def test_a_report_gives_rates_of_the_traffic_and_how_far_people_agree(run: Run) -> None:
    run(*ANNA, typed="n\n" * 30)
    run("--classifier", "safety", "--reviewer", "ben", "--size", "30", typed="n\n" * 9 + "y\nu\n")
    result = run("--classifier", "safety", "--report")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["sample"]["labelled"], told["sample"]["contradictory"]) == (0, 29, 1)
    assert told["estimates"]["positives"][0] == 0.0
    assert told["estimates"]["recall"] == [None, None, None]  # nobody said yes alone
    assert told["reviewers"] == [
        {"reviewer": "anna", "yes": 0, "no": 30, "unsure": 0},
        {"reviewer": "ben", "yes": 1, "no": 9, "unsure": 1},
    ]
    (pair,) = told["agreement"]
    assert (pair["first"], pair["second"], pair["turns"], pair["agreement"][0]) == ("anna", "ben", 10, 0.9)
    assert (pair["kappa"][0], pair["undefined"]) == (0.0, None)
    assert [one["second"] for one in told["judge"]] == ["anna", "ben", "majority"]


def test_without_labels_a_report_is_inconclusive(run: Run) -> None:
    result = run("--classifier", "safety", "--report")
    assert (result.exit_code, json.loads(result.stdout)["estimates"]) == (3, None)
    assert "no labels" in result.stderr


def test_a_person_at_a_terminal_reads_the_report(run: Run, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(*ANNA, typed="y\n" * 30)
    screen = StringIO()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", screen)
    with open_store(database) as store:
        _review_report.show(_review_report.report(store, NARROW))
    for part in (
        "30 labelled of 30 drawn from 120 turns",
        "precision, of the findings: 100.0 %",
        "both gave one",
        "judge",
    ):
        assert (part in screen.getvalue()) is (part != "both gave one")


def test_a_report_on_a_terminal_says_why_a_rate_is_unknown(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(*ANNA, typed="y\nq\n")
    screen = StringIO()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", screen)
    with open_store(database) as store:
        _review_report.show(_review_report.report(store, NARROW))
    assert "positives, of all turns: -" in screen.getvalue()
    assert "2 of 3 strata have no label yet" in screen.getvalue()


def test_a_stratum_whose_labels_all_contradict_each_other_needs_a_third_reviewer(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(*ANNA, typed="n\n" * 30)
    screen = StringIO()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", screen)
    with open_store(database) as store:
        (sample,) = store.reviews.samples(NARROW)
        found: dict[int, Answer] = {one.key: "yes" for one in store.reviews.turns(sample) if one.status == "finding"}
        store.reviews.label(found, "safety", reviewer="ben")
        told = _review_report.report(store, NARROW)
    assert (told["sample"]["strata_contradictory"], told["sample"]["strata_without_label"]) == (1, 1)
    _review_report.show(told)
    assert "all labels of 1 strata contradict each other" in screen.getvalue()
    assert "no label yet" not in screen.getvalue()


def test_a_sample_that_is_torn_as_a_whole_is_reported_as_anything(run: Run, database: Path) -> None:
    run(*ANNA, typed="n\n" * 30)
    with open_store(database) as store:
        (sample,) = store.reviews.samples(NARROW)
        said: dict[int, Answer] = {turn.key: "yes" for turn in store.reviews.turns(sample)}
        store.reviews.label(said, "safety", reviewer="ben")
        told = _review_report.report(store, NARROW)
    assert (told["sample"]["labelled"], told["sample"]["strata_contradictory"]) == (0, 3)
    assert [told["estimates"][name] for name in ("positives", "precision")] == [(0.5, 0.0, 1.0)] * 2
