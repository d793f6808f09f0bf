"""Whatever an agent, a judge or an assertion does, a row has a result with the right state and reason."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest
from eval_parts import GOOD, NOW, FunctionTarget, grader, result_of, row, said

from afterturn.errors import (
    AgentError,
    InvalidJsonError,
    JudgeMissingError,
    JudgeTimeoutError,
    ProviderError,
    RateLimitedError,
    RefusedError,
    TruncatedError,
)
from afterturn.evals import Prices, Reply, Row, RowRunner, Setup
from afterturn.evals._pace import Pace
from afterturn.evals._row import MOST_ATTEMPTS
from afterturn.evals.assertions import open_assertion
from afterturn.judges import Price
from afterturn.testing import HANG
from afterturn.turns import ToolCall, Turn
from afterturn.verdicts import Usage


def raising(error: BaseException) -> Callable[[Row], Any]:
    def function(_: Row) -> Any:
        raise error

    return function


async def hanging(_: Row) -> str:
    await asyncio.Event().wait()
    return "never"


class Panic(BaseException):
    pass


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError


class StatusError(Exception):
    status_code = 429


AGENTS: list[tuple[str, Callable[[Row], Any], str]] = [
    ("raises", raising(ValueError("no")), "raised"),
    ("raises what derives from BaseException", raising(Panic("no")), "raised"),
    ("exits", raising(SystemExit(0)), "raised"),
    ("cancels itself", raising(asyncio.CancelledError()), "raised"),
    ("stops a generator", raising(GeneratorExit()), "raised"),
    ("raises what cannot be printed", raising(Unprintable()), "raised"),
    ("hangs", hanging, "timeout"),
    ("gives nothing", lambda _: None, "no_reply"),
    ("says nothing", lambda _: "  \n", "no_reply"),
    ("gives an empty list", lambda _: [], "no_reply"),
    ("gives a number", lambda _: 42, "bad_reply"),
    ("gives bytes", lambda _: b"x", "bad_reply"),
    ("gives an object without a text", lambda _: {"x": 1}, "bad_reply"),
    ("gives messages of an unknown role", lambda _: [{"role": "wizard", "content": "x"}], "bad_reply"),
    ("gives a conversation that ends before the reply", lambda _: [{"role": "user", "content": "x"}], "no_reply"),
    ("gives a Turn without messages", lambda _: Turn(messages=()), "no_reply"),
    ("tells a NaN latency", lambda _: said("x", latency_ms=math.nan), "bad_reply"),
    ("tells a NaN cost", lambda _: {"text": "x", "cost_usd": math.nan}, "bad_reply"),
    ("says its own code", raising(AgentError("too_many_steps", "ten steps")), "too_many_steps"),
    ("says a code that is none", raising(AgentError("Too many steps!", "x")), "raised"),
]


@pytest.mark.parametrize(("function", "reason"), [case[1:] for case in AGENTS], ids=[case[0] for case in AGENTS])
def test_an_agent_that_fails_is_an_agent_error(function: Callable[[Row], Any], reason: str) -> None:
    result = result_of(function, GOOD, deadline_s=0.05)
    assert (result.state, result.reason, result.score, result.reply) == ("agent_error", reason, None, None)


JUDGES: list[tuple[str, Any, str]] = [
    ("answers in prose", InvalidJsonError("x"), "invalid_json"),
    ("answers 101", {**GOOD, "score": 101}, "schema_violation"),
    ("answers -1", {**GOOD, "score": -1}, "schema_violation"),
    ("answers NaN", {**GOOD, "score": math.nan}, "schema_violation"),
    ("answers a text", {**GOOD, "score": "eighty"}, "schema_violation"),
    ("answers nothing", {}, "schema_violation"),
    ("refuses", RefusedError("x"), "refusal"),
    ("is cut off", TruncatedError("x"), "truncated"),
    ("is late", JudgeTimeoutError("x"), "timeout"),
    ("hangs", HANG, "timeout"),
    ("is not there", JudgeMissingError("x"), "judge_missing"),
    ("breaks down", ProviderError("x"), "provider_error"),
    ("has no quota", RateLimitedError("x"), "rate_limited"),
    ("breaks its contract", KeyError("score"), "judge_broke"),
    ("exits", SystemExit(1), "judge_broke"),
]


@pytest.mark.parametrize(("step", "reason"), [case[1:] for case in JUDGES], ids=[case[0] for case in JUDGES])
def test_a_judge_that_fails_is_a_judge_error_and_never_a_score(step: Any, reason: str) -> None:
    result = result_of(script=step, deadline_s=0.05)
    assert (result.state, result.reason, result.score, result.scores) == ("judge_error", reason, None, ())
    assert result.reply is not None


@pytest.mark.parametrize(
    ("score", "state", "reason"), [(70, "pass", None), (69, "fail", "score"), (0, "fail", "score")]
)
def test_a_row_passes_at_70(score: int, state: str, reason: str | None) -> None:
    result = result_of(script={**GOOD, "score": score})
    assert (result.state, result.reason, result.score) == (state, reason, score)


def test_the_lowest_score_of_several_rubrics_decides() -> None:
    graders = (grader({**GOOD, "score": 95}), grader({**GOOD, "score": 60}, rubric="safety"))
    result = result_of(graders=graders)
    assert (result.state, result.score) == ("fail", 60)
    assert [(score.rubric, score.score) for score in result.scores] == [("correctness", 95), ("safety", 60)]


def test_a_rubric_that_has_nothing_to_go_by_skips_and_the_agent_is_not_asked() -> None:
    target = FunctionTarget(lambda _: "2")
    result = result_of(script=GOOD, target=target, of=row(expected=None))
    assert (result.state, result.reason, target.asked) == ("skipped", "no_expected", [])
    assert (result.agent_cost_usd, result.judge_cost_usd) == (0.0, 0.0)


def test_a_rubric_that_skips_leaves_the_verdict_to_the_others() -> None:
    result = result_of(graders=(grader(GOOD), grader(GOOD, rubric="custom")))
    assert (result.state, [score.rubric for score in result.scores]) == ("pass", ["correctness"])
    assert result_of(graders=(grader(GOOD, rubric="groundedness"),)).reason == "no_context"


def test_an_assertion_needs_no_judge() -> None:
    contains = (open_assertion("contains:two"),)
    assert result_of(lambda _: "It is two.", assertions=contains).state == "pass"
    failed = result_of(lambda _: "It is 2.", assertions=contains)
    assert (failed.state, failed.reason, failed.score) == ("fail", "assertion", None)


def test_a_failed_assertion_is_known_whatever_the_judge_does() -> None:
    contains = (open_assertion("contains:two"),)
    assert result_of(script={**GOOD, "score": 100}, assertions=contains).reason == "assertion"
    result = result_of(script=RefusedError("x"), assertions=contains)
    assert (result.state, result.reason) == ("fail", "assertion")


def test_the_rows_own_assertions_count_too() -> None:
    assert result_of(of=row(**{"assert": ["contains:7"]})).reason == "assertion"
    assert result_of(of=row(**{"assert": [{"name": "contains", "value": "2"}]})).state == "pass"


class Broken:
    name = "broken"

    def check(self, row: Row, reply: Reply) -> Any:
        raise ZeroDivisionError


def test_an_assertion_that_breaks_is_neither_a_pass_nor_a_fail() -> None:
    assert result_of(assertions=(Broken(),)).reason == "assertion_broke"
    assert result_of(of=row(**{"assert": ["no_such_assertion"]})).state == "judge_error"


def test_a_row_of_which_nothing_is_asserted_is_skipped() -> None:
    assert (result_of().state, result_of().reason) == ("skipped", "nothing_asserted")


@pytest.mark.parametrize("error", [AgentError("rate_limited", "x", retry_after_s=7.0), StatusError("x")])
def test_a_rate_limit_of_the_agent_is_waited_for(error: Exception) -> None:
    steps: list[Any] = [error, error, "2"]
    sleeps: list[float] = []

    def function(_: Row) -> Any:
        step = steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    result = result_of(function, GOOD, sleeps=sleeps)
    assert result.state == "pass"
    assert sleeps == ([7.0, 7.0] if isinstance(error, AgentError) else [1.0, 2.0])


def test_a_rate_limit_of_the_judge_is_waited_for_and_the_agent_not_asked_again() -> None:
    target = FunctionTarget(lambda _: "2")
    limited = RateLimitedError("x", transient=True)
    result = result_of(script=[limited, GOOD], target=target)
    assert (result.state, target.asked) == ("pass", ["r1"])


def test_a_rate_limit_that_never_ends_is_an_error_after_six_attempts() -> None:
    sleeps: list[float] = []
    target = FunctionTarget(raising(AgentError("rate_limited", "x")))
    result = result_of(target=target, sleeps=sleeps)
    assert (result.state, result.reason, len(target.asked)) == ("agent_error", "rate_limited", MOST_ATTEMPTS)
    assert sleeps == [1.0, 2.0, 4.0, 8.0, 16.0]


def test_the_message_of_an_error_is_kept_clipped_and_without_secrets() -> None:
    message = result_of(raising(ValueError("key sk-abcdefghijklmnopqrst failed " + "x" * 600))).message
    assert message.startswith("ValueError: key [secret] failed xxx")
    assert message.endswith("[clipped: 500 of 632 characters shown]")
    assert result_of(raising(Unprintable())).message == "Unprintable"


def test_costs_come_from_the_reply_the_price_table_or_are_unknown() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=0)
    prices = Prices({"test:agent": Price(input_usd_per_million=3.0, output_usd_per_million=0.0)})

    def cost(reply: Reply, *, free: bool = False, prices: Prices | None = None) -> float | None:
        target = FunctionTarget(lambda _: reply, free=free)
        return result_of(target=target, prices=prices or Prices({})).agent_cost_usd

    assert cost(said("x", cost_usd=0.25), prices=prices) == 0.25
    assert cost(said("x", usage=usage), prices=prices) == 3.0
    assert cost(said("x", usage=usage)) is None
    assert cost(said("x"), free=True) == 0.0
    assert (
        result_of(raising(ValueError()), target=FunctionTarget(raising(ValueError()), free=False)).agent_cost_usd
        is None
    )


def test_the_latency_is_the_agents_own_and_without_the_waits() -> None:
    ticks = iter([0.0, 1.0, 3.5, 9.0])
    target = FunctionTarget(lambda _: "2")
    runner = RowRunner(Setup(target=target), Pace(1), clock=lambda: next(ticks), now=lambda: NOW)
    result = asyncio.run(runner.run(row(), 1))
    assert result.reply is not None
    assert (result.reply.latency_ms, result.latency_ms, result.created_at) == (2_500.0, 9_000.0, NOW)


def test_calls_without_a_word_are_a_reply() -> None:
    reply = Reply(text="", tool_calls=(ToolCall(name="find"),))
    assert result_of(lambda _: reply, assertions=(open_assertion("not_contains:x"),)).state == "pass"


def test_the_interruption_of_the_process_passes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        result_of(raising(KeyboardInterrupt()))


async def test_cancellation_passes_through_and_reaches_the_agent() -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def agent(_: Row) -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    runner = RowRunner(Setup(target=FunctionTarget(agent)), Pace(1))
    task = asyncio.ensure_future(runner.run(row(), 1))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
