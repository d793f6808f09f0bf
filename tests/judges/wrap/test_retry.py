from __future__ import annotations

import asyncio

import pytest

from afterturn.calls import Answer
from afterturn.errors import (
    InvalidJsonError,
    JudgeError,
    JudgeMissingError,
    JudgeTimeoutError,
    ProviderError,
    RateLimitedError,
    RefusedError,
    TruncatedError,
)
from afterturn.judges import Retry
from afterturn.testing import HANG, ScriptedJudge, Step, sample_call

GOOD = Answer(values={"late": True})


class Sleeper:
    def __init__(self) -> None:
        self.slept = list[float]()

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.mark.parametrize(
    ("error", "slept"),
    [
        (ProviderError(transient=True), [0.5]),
        (RateLimitedError(transient=True), [0.5]),
        (RateLimitedError(transient=True, retry_after_s=3.0), [3.0]),
        (RateLimitedError(transient=True, retry_after_s=5.0), [5.0]),
        (RateLimitedError(transient=True, retry_after_s=-1.0), [0.0]),
    ],
)
async def test_a_passing_error_is_retried_once_after_a_wait(error: JudgeError, slept: list[float]) -> None:
    sleep = Sleeper()
    inner = ScriptedJudge([error, GOOD])
    assert await Retry(inner, sleep=sleep).ask(sample_call()) is GOOD
    assert sleep.slept == slept
    assert len(inner.calls) == 2


@pytest.mark.parametrize(
    "error",
    [
        ProviderError(),
        RateLimitedError(),
        RateLimitedError(transient=True, retry_after_s=5.1),
        RefusedError(),
        TruncatedError(),
        InvalidJsonError(),
        JudgeTimeoutError(),
        JudgeMissingError(),
        ValueError("no judge error"),
    ],
)
async def test_an_error_that_a_short_wait_does_not_cure_is_final(error: Exception) -> None:
    sleep = Sleeper()
    inner = ScriptedJudge([error, GOOD])
    with pytest.raises(type(error)) as caught:
        await Retry(inner, sleep=sleep).ask(sample_call())
    assert caught.value is error
    assert sleep.slept == []
    assert len(inner.calls) == 1


async def test_the_second_error_is_final_and_does_not_hold_the_first() -> None:
    second = RefusedError()
    script: list[Step] = [ProviderError(transient=True), second, GOOD]
    inner = ScriptedJudge(script)
    with pytest.raises(RefusedError) as caught:
        await Retry(inner, sleep=Sleeper()).ask(sample_call())
    assert caught.value.__context__ is None
    assert len(inner.calls) == 2


async def test_two_passing_errors_are_not_retried_again() -> None:
    inner = ScriptedJudge(ProviderError(transient=True))
    with pytest.raises(ProviderError):
        await Retry(inner, sleep=Sleeper()).ask(sample_call())
    assert len(inner.calls) == 2


async def test_cancellation_during_the_wait_ends_it() -> None:
    waiting = asyncio.Event()

    async def sleep(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    inner = ScriptedJudge([ProviderError(transient=True), HANG])
    task = asyncio.ensure_future(Retry(inner, sleep=sleep).ask(sample_call()))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(inner.calls) == 1
