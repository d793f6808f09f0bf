"""Whatever breaks in a conversation is laid at the right door: the agent, the simulated customer, or the judge."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from eval_parts import GOOD, FunctionTarget
from simulation_parts import ANN, cast_of, goes_on, how, said, simulated

from afterturn.calls import Answer
from afterturn.errors import (
    AgentError,
    InvalidJsonError,
    JudgeTimeoutError,
    RateLimitedError,
    RefusedError,
    UsageError,
)
from afterturn.evals import PerCall, Prices, Row, new_header
from afterturn.evals.simulate import Cast, open_parts
from afterturn.testing import ScriptedJudge
from afterturn.verdicts import Usage

LEAVES = {"status": "gave_up", "message": ""}


@pytest.fixture
def cast(tmp_path: Path) -> Cast:
    return cast_of(tmp_path, {"id": "s", "assert": ["contains:never said"]}, personas=[ANN], simulated=True)


@pytest.fixture
def open_cast_(tmp_path: Path) -> Cast:
    return cast_of(tmp_path, {"id": "s"}, personas=[ANN], simulated=True)


def reply(row: Row) -> str:
    return f"Reply {len(row.input)}"


@pytest.mark.parametrize(
    ("breaks", "reason"),
    [
        (InvalidJsonError("prose"), "simulator_invalid_json"),
        (RefusedError("declined"), "simulator_refusal"),
        (JudgeTimeoutError("late"), "simulator_timeout"),
        (RuntimeError("broken"), "simulator_judge_broke"),
        ({"status": "goes_on"}, "simulator_schema_violation"),
        ({"status": "goes_on", "message": "  "}, "simulator_schema_violation"),
        ({"status": "goes_on", "message": 7}, "simulator_schema_violation"),
        ({"status": "happy", "message": "Yes"}, "simulator_schema_violation"),
        ({"status": "goes_on", "message": "x" * 5_000}, "simulator_schema_violation"),
        (Answer(values={}, no_head=frozenset({"simulated_customer"})), "simulator_judge_missing"),
    ],
)
def test_a_customer_that_breaks_is_no_failure_of_the_agent(cast: Cast, breaks: Any, reason: str) -> None:
    (result,) = simulated(cast, reply, simulator=[goes_on("Hello?"), breaks], judge=GOOD)
    assert (result.state, result.reason) == ("judge_error", reason)
    assert (result.assertions, result.scores) == ((), ())  # an assertion would fail
    assert said(result) == ["Hello?", "Reply 1"]
    assert (how(result).stop, how(result).fault) == ("customer_failed", reason)


def test_a_customer_that_breaks_at_once_leaves_an_empty_conversation(cast: Cast) -> None:
    (result,) = simulated(cast, reply, simulator=InvalidJsonError("prose"))
    assert (result.state, result.reason, said(result)) == ("judge_error", "simulator_invalid_json", [])


def test_a_rate_limit_of_the_customer_is_waited_for_within_the_conversation(open_cast_: Cast) -> None:
    sleeps: list[float] = []
    script = [goes_on("Hello?"), RateLimitedError(retry_after_s=7, transient=True), LEAVES]
    (result,) = simulated(open_cast_, reply, simulator=script, sleeps=sleeps)
    assert (how(result).stop, sleeps) == ("gave_up", [7])


def test_a_rate_limit_of_the_agent_is_waited_for_within_the_conversation(open_cast_: Cast) -> None:
    sleeps: list[float] = []
    steps = iter([AgentError("rate_limited", retry_after_s=3), AgentError("rate_limited"), None])

    def agent(row: Row) -> str:
        step = next(steps)
        if step is not None:
            raise step
        return "Yes."

    (result,) = simulated(open_cast_, agent, simulator=[goes_on("Hello?"), LEAVES], sleeps=sleeps)
    assert (how(result).stop, sleeps) == ("gave_up", [3, 2.0])


def _raises(row: Row) -> str:
    if len(row.input) > 1:
        raise AgentError("server_error", "HTTP 500")
    return "Yes."


def _silent(row: Row) -> str:
    return "  "


def _counts(row: Row) -> int:
    return 7


def _fails(row: Row) -> str:
    raise KeyError("no")


async def _hangs(row: Row) -> str:
    await asyncio.Event().wait()
    return "never"


@pytest.mark.parametrize(
    ("agent", "reason", "message"),
    [
        (_raises, "server_error", "turn 2: HTTP 500"),
        (_hangs, "timeout", "turn 1: no answer within 0.05 s"),
        (_silent, "no_reply", "turn 1: the agent said nothing and called no tool"),
        (_counts, "bad_reply", None),
        (_fails, "raised", "KeyError: 'no'"),
    ],
)
def test_an_agent_that_breaks_is_an_agent_error(open_cast_: Cast, agent: Any, reason: str, message: str | None) -> None:
    script = [goes_on("Hello?"), goes_on("And?"), LEAVES]
    (result,) = simulated(open_cast_, agent, simulator=script, judge=GOOD, deadline_s=0.05)
    assert (result.state, result.reason) == ("agent_error", reason)
    assert message is None or result.message == message


@pytest.mark.parametrize(
    ("judge", "state", "reason"),
    [
        (GOOD, "pass", None),
        ({"reasoning": "No.", "score": 69}, "fail", "score"),
        ({"reasoning": "No.", "score": 101}, "judge_error", "schema_violation"),
        ({"reasoning": "No.", "score": -1}, "judge_error", "schema_violation"),
        (InvalidJsonError("prose"), "judge_error", "invalid_json"),
    ],
)
def test_a_judge_grades_or_breaks_as_for_any_row(open_cast_: Cast, judge: Any, state: str, reason: str | None) -> None:
    (result,) = simulated(open_cast_, reply, simulator=[goes_on("Hello?"), LEAVES], judge=judge)
    assert (result.state, result.reason) == (state, reason)


def test_an_assertion_that_fails_fails_the_conversation_whatever_the_judge_does(cast: Cast) -> None:
    script = [goes_on("Hello?"), LEAVES]
    (result,) = simulated(cast, reply, simulator=script, judge=InvalidJsonError("prose"))
    assert (result.state, result.reason) == ("fail", "assertion")


def test_a_conversation_that_nobody_checks_is_skipped(open_cast_: Cast) -> None:
    (result,) = simulated(open_cast_, reply, simulator=[goes_on("Hello?"), LEAVES])
    assert (result.state, result.reason) == ("skipped", "nothing_asserted")


def test_what_the_customers_model_costs_counts_with_the_judges(open_cast_: Cast) -> None:
    prices = Prices({"scripted": PerCall(usd=0.1)})
    (result,) = simulated(open_cast_, reply, simulator=[goes_on("Hello?"), LEAVES], judge=GOOD, prices=prices)
    assert result.judge_cost_usd == pytest.approx(0.3)
    assert how(result).cost_usd == pytest.approx(0.2)


def test_tokens_of_the_customer_are_added_up(open_cast_: Cast) -> None:
    usage = Usage(input_tokens=10, output_tokens=2)
    script = [Answer(values=goes_on("Hello?"), usage=usage), Answer(values=LEAVES, usage=usage)]
    (result,) = simulated(open_cast_, reply, simulator=script)
    assert (how(result).input_tokens, how(result).output_tokens) == (20, 4)


def test_a_cap_without_the_price_of_the_customers_model_is_refused(open_cast_: Cast) -> None:
    simulator = ScriptedJudge(LEAVES, name="openai:m", location="remote")
    parts = open_parts(FunctionTarget(reply), simulator=simulator)
    with pytest.raises(UsageError, match="needs the price of openai:m"):
        parts.setup(new_header(parts, open_cast_, max_cost_usd=1.0))
