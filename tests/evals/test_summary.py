"""The figures of a run: coverage beside every mean, no NaN, no missing row."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from eval_parts import row, said

from afterturn.evals import AssertionResult, Mean, RowResult, RunSummary, Score, outcome, summarize, summary_to_json


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


def test_an_assertion_is_counted_over_the_rows_that_declare_it() -> None:
    checks = [AssertionResult(name="a", passed=True), AssertionResult(name="b", passed=False, reason="no")]
    results = [
        replace(judged(90), assertions=tuple(checks)),
        replace(judged(90), assertions=tuple(checks[:1])),
        judged(90),
    ]
    assert summarize(results, planned=4).assertions == {
        "a": Mean(mean=1.0, count=2, coverage=0.5),
        "b": Mean(mean=0.0, count=1, coverage=0.25),
    }


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
