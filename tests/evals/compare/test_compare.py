"""Comparing two runs: what is paired, what is left out, and what may be said."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from afterturn.cli._app import app
from afterturn.errors import UsageError
from afterturn.evals import RunFile
from afterturn.evals.compare import Comparison, Figure, compare_runs, comparison_to_json, told

MakeRun = Callable[..., RunFile]


def figure(found: Comparison, name: str) -> Figure:
    return next(one for one in found.figures if one.name == name)


def test_rows_are_paired_by_content_whatever_their_order(make_run: MakeRun) -> None:
    a = make_run("a", [80, 60, 90])
    b = make_run("b", [90, 80, 60])
    rate = figure(compare_runs(a, b), "pass_rate")
    assert (rate.rows, rate.pairs, rate.better, rate.worse) == (3, 3, 1, 1)


def test_what_is_not_judged_on_both_sides_is_counted_and_in_no_figure(make_run: MakeRun) -> None:
    a = make_run("a", [80, "agent_error", 90, "judge_error"])
    b = make_run("b", [80, 90, "skipped", "judge_error", 70])
    found = compare_runs(a, b)
    assert (found.paired, found.a.unpaired, found.b.unpaired) == (4, 0, 1)
    assert (found.a.unjudged, found.b.unjudged) == (2, 2)
    assert figure(found, "pass_rate").pairs == figure(found, "score").pairs == 1
    assert (found.a.summary.pass_rate.coverage, found.a.summary.states["agent_error"]) == (0.5, 1)


def test_few_rows_are_not_enough_however_clear_they_are(make_run: MakeRun) -> None:
    found = compare_runs(make_run("a", [0] * 19), make_run("b", [100] * 19))
    assert [one.finding for one in found.figures] == ["not_enough", "not_enough"]
    assert told(found.figures[0]) == "not enough: 19 rows are judged in both runs, and 20 are the least"
    assert not found.enough


def test_a_run_is_no_better_than_itself(make_run: MakeRun) -> None:
    run = make_run("a", [60, 80] * 15)
    found = compare_runs(run, run)
    assert [(one.finding, one.p_value, one.difference) for one in found.figures] == [("no_evidence", None, 0.0)] * 2
    assert told(found.figures[0]).startswith("no evidence of a difference (no row differs)")
    assert (found.now_fails, found.now_passes, found.differs) == ((), (), ())


def test_a_clear_gain_is_better_with_its_size_and_interval(make_run: MakeRun) -> None:
    a = make_run("a", [60] * 10 + [80] * 10)
    b = make_run("b", [80] * 10 + [85] * 10)
    found = compare_runs(a, b)
    rate, score = found.figures
    assert (rate.finding, rate.before, rate.after, rate.difference) == ("better", 0.5, 1.0, 0.5)
    assert (rate.p_value, rate.p_adjusted) == (0.001953125, 0.001953125)
    assert (score.finding, score.difference, score.effect, score.better, score.worse) == ("better", 12.5, 1.0, 20, 0)
    assert score.low is not None
    assert score.high is not None
    assert 5 < score.low < 12.5 < score.high < 20
    assert [flip.row for flip in found.now_passes] == [f"r{number}" for number in range(10)]
    assert {(flip.before_score, flip.after_score, flip.reason) for flip in found.now_passes} == {(60, 80, "score")}


def test_a_loss_is_worse_and_lists_why_each_row_fails_now(make_run: MakeRun) -> None:
    a = make_run("a", ["pass"] * 20)
    b = make_run("b", ["fail"] * 8 + ["pass"] * 12)
    found = compare_runs(a, b)
    (rate,) = found.figures
    assert (rate.finding, rate.p_value) == ("worse", 0.0078125)
    assert [(flip.row, flip.reason) for flip in found.now_fails] == [(f"r{n}", "assertion") for n in range(8)]


def test_many_small_gains_against_few_great_losses_are_mixed(make_run: MakeRun) -> None:
    a = make_run("a", [90] * 40)
    b = make_run("b", [91] * 36 + [0] * 4)
    assert figure(compare_runs(a, b), "score").finding == "mixed"


def test_five_flips_one_way_are_no_evidence(make_run: MakeRun) -> None:
    a = make_run("a", ["pass"] * 30)
    b = make_run("b", ["fail"] * 5 + ["pass"] * 25)
    (rate,) = compare_runs(a, b).figures
    assert (rate.p_value, rate.finding) == (0.0625, "no_evidence")
    assert "would be missed" in told(rate)


def test_repeats_of_a_row_are_one_piece_of_evidence(make_run: MakeRun) -> None:
    a = make_run("a", [["fail"] * 3] * 4 + [["pass"] * 3] * 16, repeat=3)
    b = make_run("b", [["pass"] * 3] * 4 + [["pass"] * 3] * 16, repeat=3)
    (rate,) = compare_runs(a, b).figures
    assert (rate.rows, rate.pairs, rate.better, rate.p_value) == (20, 60, 4, 0.125)


def test_the_same_runs_give_the_same_figures(make_run: MakeRun) -> None:
    a, b = make_run("a", [60, 80, 75] * 10), make_run("b", [70, 65, 90] * 10)
    assert compare_runs(a, b) == compare_runs(a, b)
    assert compare_runs(a, b, seed=1).figures[1].difference == compare_runs(a, b).figures[1].difference


def test_what_else_differs_between_the_runs_is_told(make_run: MakeRun) -> None:
    found = compare_runs(make_run("a", [80]), make_run("b", [80], judge="other:judge", threshold=50))
    assert found.differs == ("judge", "threshold")


def test_a_rubric_that_a_run_lacks_is_an_error(make_run: MakeRun) -> None:
    run = make_run("a", [80])
    assert compare_runs(run, run, rubric="correctness").figures[1].before == 80
    with pytest.raises(UsageError, match=r"has no rubric 'tone'; it has correctness"):
        compare_runs(run, run, rubric="tone")


def test_json_has_everything_and_no_nan(make_run: MakeRun) -> None:
    wire = comparison_to_json(compare_runs(make_run("a", ["agent_error"]), make_run("b", [80])))
    assert json.loads(json.dumps(wire, allow_nan=False))["figures"]["pass_rate"]["finding"] == "not_enough"


@pytest.mark.parametrize(("rows", "code"), [(30, 0), (5, 3)])
def test_the_command_ends_with_3_where_too_few_rows_are_paired(make_run: MakeRun, rows: int, code: int) -> None:
    a, b = make_run("a", [60] * rows), make_run("b", [80] * rows)
    done = CliRunner().invoke(app, ["eval", "compare", str(a.path), str(b.path), "--json"])
    assert done.exit_code == code
    wire: dict[str, Any] = json.loads(done.stdout)
    assert wire["figures"]["score"]["better"] == rows
    assert ("better" in done.stderr) == (code == 0)
