"""Rubrics as scorers of other tools, with those tools themselves where they are installed."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportUntypedFunctionDecorator=false

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from afterturn.errors import SchemaViolationError
from afterturn.testing import ScriptedJudge

GOOD: dict[str, Any] = {"reasoning": "It fits.", "score": 80}


def test_pydantic_evals_gets_score_pass_and_reason() -> None:
    pytest.importorskip("pydantic_evals")
    from pydantic_evals import Case, Dataset

    from afterturn.integrations.pydantic_evals import rubric_evaluator

    cases: Any = [Case(name="refund", inputs="How long?", expected_output="5 days"), Case(name="bare", inputs="Hi")]
    evaluator = rubric_evaluator("correctness", judge=ScriptedJudge(GOOD))
    data: Any = Dataset(name="shop", cases=cases, evaluators=[evaluator])
    report: Any = asyncio.run(data.evaluate(lambda asked: "Five days."))
    first, second = report.cases
    assert first.scores["correctness"].value == 80
    assert (first.assertions["correctness_passed"].value, first.assertions["correctness_passed"].reason) == (
        True,
        "It fits.",
    )
    assert (second.scores, second.assertions) == ({}, {})


def test_pydantic_evals_reports_a_failure_where_the_judge_gave_no_score() -> None:
    pytest.importorskip("pydantic_evals")
    from pydantic_evals import Case, Dataset

    from afterturn.integrations.pydantic_evals import rubric_evaluator

    case: Any = Case(name="refund", inputs="How long?", expected_output="5 days")
    evaluator = rubric_evaluator("correctness", judge=ScriptedJudge({"reasoning": "x", "score": 101}))
    data: Any = Dataset(name="shop", cases=[case], evaluators=[evaluator])
    report: Any = asyncio.run(data.evaluate(lambda asked: "Five days."))
    assert report.cases[0].scores == {}
    assert [failure.error_type for failure in report.cases[0].evaluator_failures] == [SchemaViolationError.__name__]


# Inspect uses a deprecated parameter of tenacity, and leaves streams open.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_inspect_gets_scores_and_leaves_what_has_no_target_unscored(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from afterturn.integrations.inspect import rubric_scorer

    samples: Any = [Sample(input="How long?", target="5 days"), Sample(input="Hi")]
    task: Any = Task(dataset=samples, scorer=rubric_scorer("correctness", judge=ScriptedJudge(GOOD)))
    output: Any = ModelOutput.from_content("mockllm/model", "Five days.")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else Inspect fetches a tokenizer
    model: Any = get_model("mockllm/model", custom_outputs=[output] * 2)
    (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success"
    scores = [sample.scores for sample in log.samples or ()]
    assert [{name: one.value for name, one in (given or {}).items()} for given in scores] == [
        {"afterturn_correctness": 80},
        {},
    ]
    assert log.results.scores[0].metrics["mean"].value == 80
