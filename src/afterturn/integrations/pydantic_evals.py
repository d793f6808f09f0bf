"""Lets a rubric of Afterturn score in pydantic-evals: `Dataset(…, evaluators=[rubric_evaluator("correctness", …)])`.

A case's `expected_output` is what is expected, its metadata may hold `criteria` and `context`. An answer of the judge
that is no score raises, so that pydantic-evals reports a failure and no number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from afterturn.calls import Judge
from afterturn.evals import PASS_SCORE, Prices, load_rubric, open_grader
from afterturn.evals.targets import reply_from
from afterturn.integrations._rows import graded, opened_judge, row_of


def rubric_evaluator(rubric: str, *, judge: Judge | str, threshold: int = PASS_SCORE) -> Any:
    """Gives an evaluator for pydantic-evals: the score, 0 to 100, and whether it passes.

    A case that lacks what the rubric needs gets neither.

    Args:
        rubric: The rubric's name, or a file.
        judge: Who applies it: a judge, or its name.
        threshold: The score from which it passes.

    Raises:
        UsageError: There is no such rubric or judge.
    """
    library: Any = import_module("pydantic_evals.evaluators")
    loaded = load_rubric(rubric)
    name, least = rubric, threshold
    grader = open_grader(loaded, opened_judge(judge), prices=Prices({}))

    @dataclass
    class RubricEvaluator(library.Evaluator):  # pyright: ignore[reportUntypedBaseClass]
        rubric: str = field(default=name)
        threshold: int = field(default=least)

        async def evaluate(self, ctx: Any) -> dict[str, Any]:
            row = row_of(ctx.inputs, ctx.expected_output, ctx.metadata)
            known = isinstance(ctx.output, str | dict | list)
            reply = reply_from(ctx.output if known else str(ctx.output), row)
            if grader.skips(row, reply):
                return {}
            score = await graded(grader, row, reply)
            passed = library.EvaluationReason(value=score.score >= self.threshold, reason=score.reasoning)
            return {loaded.name: score.score, f"{loaded.name}_passed": passed}

    return RubricEvaluator()
