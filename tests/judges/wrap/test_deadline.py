from __future__ import annotations

import asyncio

import pytest

from afterturn.calls import Answer, Call
from afterturn.errors import JudgeTimeoutError, RefusedError
from afterturn.judges import Deadline
from afterturn.testing import HANG, ScriptedJudge, check_judge, sample_call


class Watched(ScriptedJudge):
    """Notes how its calls end."""

    def __init__(self, script: object) -> None:
        super().__init__(script)  # pyright: ignore[reportArgumentType]
        self.ended = list[str]()
        self.asked = asyncio.Event()

    async def ask(self, call: Call) -> Answer:
        self.asked.set()
        try:
            return await super().ask(call)
        except BaseException as error:
            self.ended.append(type(error).__name__)
            raise


async def test_a_hanging_judge_is_cancelled_and_its_call_is_a_timeout() -> None:
    inner = Watched(HANG)
    with pytest.raises(JudgeTimeoutError) as caught:
        await Deadline(inner, seconds=0.01).ask(sample_call())
    assert inner.ended == ["CancelledError"]
    assert caught.value.code == "timeout"
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


async def test_cancellation_from_outside_passes_through_as_cancellation() -> None:
    inner = Watched(HANG)
    task = asyncio.ensure_future(Deadline(inner, seconds=60).ask(sample_call()))
    await inner.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert inner.ended == ["CancelledError"]


async def test_an_answer_in_time_and_an_error_in_time_pass_through() -> None:
    answer = Answer(values={"late": True})
    assert await Deadline(ScriptedJudge(answer)).ask(sample_call()) is answer
    with pytest.raises(RefusedError):
        await Deadline(ScriptedJudge(RefusedError())).ask(sample_call())


async def test_an_answer_that_arrived_before_the_cancellation_is_kept() -> None:
    class Stubborn(ScriptedJudge):
        async def ask(self, call: Call) -> Answer:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return Answer(values={"late": True})
            raise AssertionError

    answer = await Deadline(Stubborn(HANG), seconds=0.01).ask(sample_call())
    assert answer.values == {"late": True}


async def test_the_wrapper_shows_the_judge_inside_and_closes_it() -> None:
    inner = ScriptedJudge({"late": True}, name="n:m", location="remote")
    judge = Deadline(inner)
    assert (judge.name, judge.location) == ("n:m", "remote")
    await check_judge(judge)
    assert inner.closed
