"""What a run has cost is told as known, as a least, or as unknown: never as 0 where nobody knows the price."""

from __future__ import annotations

import pytest
from eval_parts import row

from afterturn.evals import Reply, RowResult
from afterturn.evals._spend import Spend


@pytest.mark.parametrize(
    ("costs", "told"),
    [([], "$0.0000"), ([0.25], "$0.2500"), ([None], "cost unknown"), ([0.25, None], "at least $0.2500")],
)
def test_an_unknown_price_is_not_nought(costs: list[float | None], told: str) -> None:
    spend = Spend(None)
    for cost in costs:
        spend.add(RowResult(row=row(), state="pass", reply=Reply(text="x"), agent_cost_usd=cost))
    assert spend.told == told
