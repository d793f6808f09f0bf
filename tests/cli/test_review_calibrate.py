"""`afterturn calibrate` takes what people said of a sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from review_turns import ANNA, CANARY, NARROW, START, Run, judge, last
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.store import Answer, open_store


def _calibrate(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["calibrate", "--classifier", "safety", *map(str, arguments)])


def test_calibrate_weighs_a_reviewed_sample(run: Run) -> None:
    run("--classifier", "safety", "--reviewer", "anna", "--size", "60", typed="n\n" * 60)
    result = _calibrate("--target-fpr", "0.3")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["labels"]["source"], told["labels"]["used"]) == (0, "review", 60)
    assert told["labels"]["sample"] | {"turns": 120, "drawn": 60, "labelled": 60} == told["labels"]["sample"]
    assert "each stratum" in told["guarantee"]
    alerts = told["alerts"]["a_day"] * told["alerts"]["days"]  # of all turns, none of which had anything to find
    assert told["at_threshold"]["false_alarms"][0] == pytest.approx(alerts / 120)
    short = _calibrate("--target-precision", "0.9")
    assert short.exit_code == 3
    assert "no threshold keeps this promise" in short.stderr


def test_turns_that_wait_are_answered_before_a_larger_sample_is_drawn(run: Run) -> None:
    run(*ANNA, typed="n\n" * 9 + "q\n")
    result = _calibrate("--target-fpr", "0.001")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["decision"]["labels_of"], told["decision"]["more_labels"]) == (3, "all", 111)
    assert "111 more for this claim (all turns that are left, as far as these labels tell)" in result.stderr
    assert "first answer the 21 drawn turns that are open: afterturn review" in result.stderr
    assert told["missing"] in result.stderr


def test_curves_of_a_reviewed_sample_are_drawn_without_a_word_of_a_conversation(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra [data]")
    run("--classifier", "safety", "--reviewer", "anna", "--size", "60", typed="n\ny\ny\n" * 20)
    result = _calibrate("--target-fpr", "0.9", "--plot", "curves.svg")
    picture = (tmp_path / "curves.svg").read_bytes()
    assert (result.exit_code, b"safety 1" in picture, CANARY.encode() in picture) == (0, True, False)


def test_labels_of_a_sample_of_less_traffic_are_not_taken_and_the_sample_is_named(run: Run) -> None:
    run(*ANNA, "--tenant", "acme", typed="n\n" * 30)
    result = _calibrate("--target-fpr", "0.1")
    told = json.loads(result.stdout)["labels"]
    assert (result.exit_code, told["source"], told["used"], told["of_other_samples"]) == (3, "none", 0, 30)
    assert "30 labelled turns are of samples of other traffic" in result.stderr
    assert "there are samples of: --tenant acme" in result.stderr
    report = json.loads(run("--classifier", "safety", "--report").stdout)
    assert (report["sample"], report["other_samples"]) == (None, "--tenant acme")
    own = run("--classifier", "safety", "--reviewer", "anna", "--size", "30", typed="q\n")
    assert last(own)["left"] == 0  # the same turns: nothing is asked again
    assert json.loads(_calibrate("--target-fpr", "0.1").stdout)["labels"]["source"] == "review"


def test_a_tenant_is_judged_by_its_part_of_a_sample_of_all(run: Run, database: Path) -> None:
    with open_store(database, clock=lambda: START) as store:
        for number in range(200, 240):
            judge(store, number, "other")
    run("--classifier", "safety", "--reviewer", "anna", "--size", "80", typed="n\n" * 80)
    told = json.loads(_calibrate("--target-fpr", "0.5", "--tenant", "other").stdout)["labels"]
    assert (told["source"], told["sample"]["tenant"], told["sample"]["turns"]) == ("review", None, 40)
    assert told["used"] == told["sample"]["drawn"] < 80
    report = json.loads(run("--classifier", "safety", "--report", "--tenant", "other").stdout)
    assert report["sample"]["turns"] == 40


def test_calibrate_takes_imported_labels_as_drawn_at_random_and_a_file_before_both(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    rows = [{"turn": f"t-{number}", "classifier": "safety", "label": number % 6 == 0} for number in range(100)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("--labels", path)
    stored = json.loads(_calibrate("--target-fpr", "0.1").stdout)
    assert (stored["labels"]["source"], stored["labels"]["positives"], stored["labels"]["negatives"]) == (
        "stored",
        17,
        83,
    )
    run(*ANNA, typed="q\n")
    reviewed = json.loads(_calibrate("--target-fpr", "0.1").stdout)
    assert reviewed["labels"]["source"] == "review"
    assert reviewed["labels"]["used"] + reviewed["labels"]["outside_the_sample"] == 100
    given = json.loads(_calibrate("--target-fpr", "0.1", "--labels", path).stdout)
    assert (given["labels"]["source"], given["labels"]["used"]) == ("file", 100)
    assert (given["threshold"], given["points"]) == (stored["threshold"], stored["points"])


def test_a_torn_stratum_leaves_curves_and_estimates_and_is_told(run: Run, database: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra [data]")
    run(*ANNA, typed="n\n" * 30)
    with open_store(database) as store:
        (sample,) = store.reviews.samples(NARROW)
        found: dict[int, Answer] = {one.key: "yes" for one in store.reviews.turns(sample) if one.status == "finding"}
        store.reviews.label(found, "safety", reviewer="ben")
    result = _calibrate("--alert-budget", "3", "--plot", "curves.svg")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["labels"]["strata_contradictory"]) == (0, 1)
    assert "have a third reviewer run afterturn review" in result.stderr
    assert None not in [point["recall"][0] for point in told["points"]]
    assert [0.5, 0.0, 1.0] in [band["positives"] for band in told["bands"]]
    assert (tmp_path / "curves.svg").stat().st_size
    report = json.loads(run("--classifier", "safety", "--report").stdout)
    assert report["estimates"]["precision"] == [0.5, 0.0, 1.0]
    promise = _calibrate("--target-precision", "0.4")
    assert (promise.exit_code, json.loads(promise.stdout)["guarantee"]) == (3, None)
