from __future__ import annotations

import asyncio

import pytest

from afterturn.calls import Answer, Call, Confidence, Judge
from afterturn.errors import ProviderError, RefusedError, UsageError
from afterturn.testing import CANARY, HANG, ScriptedJudge, Step, check_judge, sample_call


async def test_a_scripted_judge_follows_its_steps_repeats_the_last_and_keeps_the_calls() -> None:
    judge = ScriptedJudge([{"late": True}, RefusedError(), Answer(values={"late": False})])
    assert isinstance(judge, Judge)
    first = await judge.ask(sample_call())
    with pytest.raises(RefusedError):
        await judge.ask(sample_call())
    third, fourth = await judge.ask(sample_call()), await judge.ask(sample_call())
    assert [first.values, third.values, fourth.values] == [{"late": True}, {"late": False}, {"late": False}]
    assert judge.calls == [sample_call()] * 4


async def test_a_script_may_be_a_function_of_the_call() -> None:
    def step(call: Call) -> Step:
        return {"title": call.turn.id}

    assert (await ScriptedJudge(step).ask(sample_call())).values == {"title": "t-1"}


async def test_a_hang_ends_only_by_cancellation() -> None:
    task = asyncio.ensure_future(ScriptedJudge(HANG).ask(sample_call()))
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_it_raises_errors_of_any_kind_and_nothing_after_closing() -> None:
    class PanicError(BaseException):
        pass

    judge = ScriptedJudge(PanicError())
    with pytest.raises(PanicError):
        await judge.ask(sample_call())
    await judge.aclose()
    with pytest.raises(UsageError):
        await judge.ask(sample_call())


def test_an_empty_script_is_refused() -> None:
    with pytest.raises(UsageError):
        ScriptedJudge([])


@pytest.mark.parametrize("step", [{"late": True}, RefusedError(), HANG])
async def test_a_judge_that_keeps_the_contract_passes(step: Step) -> None:
    judge = ScriptedJudge([{"late": True}, step])
    await check_judge(judge)
    assert judge.closed


@pytest.mark.parametrize(
    ("judge", "fault"),
    [
        (ScriptedJudge({}, name=""), "name is a short name"),
        (ScriptedJudge({}, name="http://host/v1"), "name is a short name"),
        (ScriptedJudge({}, location="mars"), "location is local or remote"),  # pyright: ignore[reportArgumentType]
        (ScriptedJudge(ValueError("x")), "ask raises only JudgeError, not ValueError"),
        (ScriptedJudge(ProviderError(f"about {CANARY}")), "an error holds text"),
        (ScriptedJudge({"late": float("nan")}), "values are JSON without NaN"),
        (
            ScriptedJudge(Answer(values={}, confidence={"other": Confidence(percent=3, source="rule")})),
            "confidence is of fields that were asked",
        ),
        (
            ScriptedJudge(Answer(values={}, confidence={"late": Confidence(percent=101, source="rule")})),
            "confidence is an integer from 0 to 100",
        ),
        (ScriptedJudge(Answer(values={}, no_head=frozenset({"other"}))), "no_head names classifiers"),
    ],
)
async def test_a_broken_contract_is_said(judge: ScriptedJudge, fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        await check_judge(judge)
