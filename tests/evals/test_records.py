"""The records of evals refuse what would bend a figure."""

from __future__ import annotations

import math
from typing import Any

import pytest
from eval_parts import row

from afterturn.evals import AssertionResult, Reply, RowResult, Score


@pytest.mark.parametrize("score", [-1, 101, 80.0, math.nan, True, "80", None])
def test_a_score_is_an_integer_from_0_to_100(score: Any) -> None:
    with pytest.raises(ValueError, match="integer from 0 to 100"):
        Score(rubric="correctness", score=score)


@pytest.mark.parametrize("cost", [math.nan, math.inf, -0.01])
def test_a_cost_is_a_number_from_0_up_or_unknown(cost: float) -> None:
    for record in (
        lambda: Reply(text="x", cost_usd=cost),
        lambda: Score(rubric="a", score=1, cost_usd=cost),
        lambda: RowResult(row=row(), state="pass", judge_cost_usd=cost),
    ):
        with pytest.raises(ValueError, match="US dollars"):
            record()


def test_every_state_but_pass_has_a_reason_that_is_a_code() -> None:
    with pytest.raises(ValueError, match="has a reason"):
        RowResult(row=row(), state="fail")
    with pytest.raises(ValueError, match="has a reason"):
        RowResult(row=row(), state="pass", reason="score")
    with pytest.raises(ValueError, match="never text"):
        RowResult(row=row(), state="fail", reason="The agent said no.")
    with pytest.raises(ValueError, match="never text"):
        AssertionResult(name="a", passed=False, reason="not good")
    with pytest.raises(ValueError, match="one of pass, fail"):
        RowResult(row=row(), state="error", reason="x")  # pyright: ignore[reportArgumentType]
