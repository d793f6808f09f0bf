"""The figures of a run: coverage beside every mean, no NaN, no missing row."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from eval_parts import row, said

from afterturn.evals import AssertionResult, Mean, RowResult, RunSummary, Score, outcome, summarize, summary_to_json
from afterturn.gate._measure import measure
from afterturn.gate._metrics import metric


def judged(score: int, *, name: str = "r1", repeat: int = 1, **fields: Any) -> RowResult:
    state = "pass" if score >= 70 else "fail"
    return RowResult(
        row=row(id=name),
        repeat=repeat,
        state=state,
        reason=None if state == "pass" else "score",
        score=score,
        scores=(Score(rubric="correctness", score=score),),
        reply=said("x", latency_ms=10.0),
        agent_cost_usd=0.5,
        judge_cost_usd=0.25,
        **fields,
    )


def failed(state: Any, reason: str, *, name: str = "r1") -> RowResult:
    return RowResult(row=row(id=name), state=state, reason=reason)


def test_errors_are_in_no_mean_and_lower_the_coverage() -> None:
    results = [judged(90), judged(50), failed("agent_error", "timeout"), failed("judge_error", "refusal")]
    summary = summarize(results, planned=5)
    assert summary.score == Mean(mean=70.0, count=2, coverage=0.4)
    assert summary.pass_rate == Mean(mean=0.5, count=2, coverage=0.4)
    assert summary.rubrics == {"correctness": Mean(mean=70.0, count=2, coverage=0.4)}
    assert summary.states == {"pass": 1, "fail": 1, "agent_error": 1, "judge_error": 1, "skipped": 0}
    assert summary.reasons == {"fail:score": 1, "agent_error:timeout": 1, "judge_error:refusal": 1}
    assert (summary.done, summary.planned) == (4, 5)


def test_an_unknown_cost_is_unknown_and_not_0() -> None:
    summary = summarize([judged(90), judged(90)], planned=2)
    assert summary.cost_usd == 1.5
    summary = summarize([judged(90), replace(judged(90), agent_cost_usd=None)], planned=2)
    assert summary.cost_usd is None
    assert (summary.agent_cost.known_usd, summary.agent_cost.unknown, summary.judge_cost.usd) == (0.5, 1, 0.5)


def test_a_run_of_nothing_has_no_mean_and_is_valid_json() -> None:
    summary = summarize([], planned=0)
    assert summary.score == Mean(mean=None, count=0, coverage=0.0)
    assert json.loads(json.dumps(summary_to_json(summary), allow_nan=False))["score"]["mean"] is None


HELD = AssertionResult(name="a", passed=True)
BROKEN = AssertionResult(name="b", passed=False, reason="no")


def test_an_assertion_is_counted_over_the_rows_that_declare_it_and_so_is_its_coverage() -> None:
    results = [
        replace(judged(90), assertions=(HELD, BROKEN)),
        replace(judged(90), assertions=(HELD,)),
        judged(90),
    ]
    assert summarize(results, planned=3).assertions == {
        "a": Mean(mean=1.0, count=2, coverage=1.0),
        "b": Mean(mean=0.0, count=1, coverage=1.0),
    }


def test_rows_of_which_nobody_knows_what_they_declare_lower_the_coverage_of_every_assertion() -> None:
    results = [
        replace(judged(90), assertions=(HELD, BROKEN)),
        replace(judged(90), assertions=(HELD,), unasserted=True),  # the check of another broke
        failed("agent_error", "timeout"),
        failed("skipped", "bad_line"),
        failed("skipped", "no_expected"),  # skipped before the agent was asked: it declares nothing
        judged(90),
    ]
    assert summarize(results, planned=8).assertions == {  # two are not done
        "a": Mean(mean=1.0, count=2, coverage=2 / 6),
        "b": Mean(mean=0.0, count=1, coverage=1 / 6),
    }


def test_several_assertions_of_one_name_hold_together_or_not_at_all() -> None:
    results = [replace(judged(90), assertions=(HELD, replace(HELD, passed=False, reason="no")))]
    assert summarize(results, planned=1).assertions == {"a": Mean(mean=0.0, count=1, coverage=1.0)}


@pytest.mark.parametrize("name", ["a", "b"])
def test_the_gate_and_the_report_give_an_assertion_the_same_figures(name: str) -> None:
    results = [
        replace(judged(90), assertions=(HELD, BROKEN)),
        replace(judged(90), assertions=(HELD, replace(HELD, passed=False, reason="no")), unasserted=True),
        failed("agent_error", "timeout"),
        failed("skipped", "bad_line"),
        failed("skipped", "no_expected"),
        judged(90),
    ]
    told = summarize(results, planned=8).assertions[name]
    measured = measure(metric(f"assertion:{name}"), results, planned=8)
    assert (measured.value, measured.count, measured.coverage) == (told.mean, told.count, told.coverage)


def test_repeats_that_agree_are_told_from_those_that_do_not() -> None:
    scores = {"a": (90, 90, 90), "b": (90, 90, 10), "c": (90,)}
    results = [
        judged(score, name=name, repeat=repeat)
        for name, given in scores.items()
        for repeat, score in enumerate(given, start=1)
    ]
    agreement = summarize(results, planned=9, repeat=3).agreement
    assert agreement is not None
    assert (agreement.rows, agreement.unanimous) == (2, 0.5)
    assert agreement.pairwise == pytest.approx((1 + 1 / 3) / 2)
    assert summarize(results, planned=9).agreement is None
    nothing = summarize([], planned=9, repeat=3).agreement
    assert nothing is not None
    assert (nothing.rows, nothing.unanimous, nothing.pairwise) == (0, None, None)


def summary_of(*scores: int, planned: int | None = None, stop: str | None = None, check: bool = True) -> RunSummary:
    assertion = AssertionResult(name="a", passed=check, reason=None if check else "no")
    results = [replace(judged(score), assertions=(assertion,)) for score in scores]
    return summarize(results, planned=len(scores) if planned is None else planned, stop=stop)


OUTCOMES: list[tuple[RunSummary, dict[str, Any], str, str | None, int]] = [
    (summary_of(80, 90), {}, "passed", None, 0),
    (summary_of(80, 60), {}, "passed", None, 0),  # the mean decides, not each row
    (summary_of(60, 60), {}, "failed", "mean_score", 1),
    (summary_of(80, 80, check=False), {}, "failed", "assertion", 1),
    (summary_of(80, 60), {"min_pass_rate": 0.6}, "failed", "pass_rate", 1),
    (summary_of(80, 60, check=False), {"min_pass_rate": 0.5}, "passed", None, 0),
    (summary_of(), {}, "inconclusive", "empty", 3),
    (summary_of(planned=3), {}, "inconclusive", "nothing_judged", 3),
    (summary_of(90, planned=2), {}, "inconclusive", "low_coverage", 3),
    (summary_of(90, planned=2), {"min_coverage": 0.5}, "passed", None, 0),
    (summary_of(90, 90, stop="cost_cap"), {}, "inconclusive", "cost_cap", 3),
    (summary_of(10, 10, stop="interrupted"), {}, "inconclusive", "interrupted", 3),
    (summary_of(90, 90, stop="unknown_price"), {"min_coverage": 0.0}, "inconclusive", "unknown_price", 3),
]


@pytest.mark.parametrize(("summary", "options", "verdict", "reason", "exit_code"), OUTCOMES)
def test_what_was_not_measured_does_not_pass(
    summary: RunSummary, options: dict[str, Any], verdict: str, reason: str | None, exit_code: int
) -> None:
    found = outcome(summary, threshold=70, **options)
    assert (found.verdict, found.reason, found.exit_code) == (verdict, reason, exit_code)
