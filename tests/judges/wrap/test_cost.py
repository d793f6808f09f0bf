from __future__ import annotations

import pytest

from afterturn.calls import Answer
from afterturn.errors import RefusedError
from afterturn.judges import Cost, Price, Spend
from afterturn.testing import ScriptedJudge, sample_call
from afterturn.verdicts import Usage

COUNTED = Answer(values={}, usage=Usage(input_tokens=1_000_000, output_tokens=500_000))
PRICES = {"openai:m": Price(input_usd_per_million=0.5, output_usd_per_million=2.0)}


async def test_tokens_are_counted_and_priced() -> None:
    judge = Cost(ScriptedJudge(COUNTED, name="openai:m"), prices=PRICES)
    assert judge.spend == Spend(cost_usd=0.0)
    await judge.ask(sample_call())
    await judge.ask(sample_call())
    assert judge.spend == Spend(calls=2, input_tokens=2_000_000, output_tokens=1_000_000, cost_usd=3.0)


async def test_an_unknown_price_is_unknown_and_not_nothing() -> None:
    judge = Cost(ScriptedJudge(COUNTED, name="openai:other"), prices=PRICES)
    await judge.ask(sample_call())
    assert judge.spend == Spend(calls=1, input_tokens=1_000_000, output_tokens=500_000, cost_usd=None)


async def test_calls_whose_tokens_nobody_told_are_counted_apart() -> None:
    judge = Cost(ScriptedJudge([RefusedError(), Answer(values={}), COUNTED], name="openai:m"), prices=PRICES)
    with pytest.raises(RefusedError):
        await judge.ask(sample_call())
    await judge.ask(sample_call())
    await judge.ask(sample_call())
    assert judge.spend == Spend(calls=3, uncounted=2, input_tokens=1_000_000, output_tokens=500_000, cost_usd=1.5)
