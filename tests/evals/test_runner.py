"""All rows are run, a few at once, under the cap, and what is done is handed on at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest
from eval_parts import GOOD, FunctionTarget, grader, rows, said

from afterturn.errors import JudgeMissingError, OutputError
from afterturn.evals import Prices, Row, RowResult, Setup, outcome, run_rows, summarize
from afterturn.evals._keys import Hashes
from afterturn.evals._storage import done_key
from afterturn.judges import Price
from afterturn.verdicts import Usage


async def run(count: int, target: Any = None, **kwargs: Any) -> tuple[list[RowResult], str | None]:
    setup = kwargs.pop("setup", None) or Setup(target=target or FunctionTarget(lambda _: "2"), graders=(grader(GOOD),))
    results: list[RowResult] = []
    stop = await run_rows(setup, rows(count), take=results.append, **kwargs)
    return results, stop


async def test_every_row_has_a_result_and_one_bad_row_ends_nothing() -> None:
    def agent(row: Row) -> str:
        if row.id == "r3":
            raise SystemExit(1)
        return "2"

    results, stop = await run(20, FunctionTarget(agent))
    assert stop is None
    assert sorted(result.row.id for result in results) == sorted(f"r{number}" for number in range(20))
    assert [result.row.id for result in results if result.state == "agent_error"] == ["r3"]


async def test_a_judge_that_cannot_be_asked_at_all_stops_the_run_before_the_agent_has_cost_more() -> None:
    target = FunctionTarget(lambda _: "2")
    setup = Setup(target=target, graders=(grader(JudgeMissingError("no key; set OPENAI_API_KEY")),))
    results, stop = await run(20, setup=setup)
    assert (stop, len(results), len(target.asked)) == ("judge_missing", 1, 1)
    found = outcome(summarize(results, planned=20, stop=stop), threshold=70)
    assert (found.exit_code, found.reason) == (3, "judge_missing")
    assert "mend it, resume with --retry-errors" in found.told


async def test_what_kept_rows_from_being_judged_is_named() -> None:
    results, _ = await run(4, FunctionTarget(lambda row: "2" if row.id == "r0" else ""))
    assert outcome(summarize(results, planned=4), threshold=70).told.endswith("90% must be: agent_error:no_reply 3")


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (5, 5), (50, 8)])
async def test_as_many_rows_run_at_once_as_asked_for(concurrency: int, most: int) -> None:
    running = seen = 0

    async def agent(_: Row) -> str:
        nonlocal running, seen
        running += 1
        seen = max(seen, running)
        for _step in range(5):
            await asyncio.sleep(0)
        running -= 1
        return "2"

    results, _ = await run(8, FunctionTarget(agent), concurrency=concurrency)
    assert (len(results), seen) == (8, most)


async def test_each_row_is_run_as_often_as_asked_for() -> None:
    results, _ = await run(3, repeat=4, concurrency=2)
    assert sorted((result.row.id, result.repeat) for result in results) == [
        (f"r{number}", repeat) for number in range(3) for repeat in range(1, 5)
    ]


async def test_what_is_done_is_not_done_again() -> None:
    target = FunctionTarget(lambda _: "2")
    done = Hashes([done_key(rows(3)[1].content, 1), done_key(rows(3)[2].content, 2)])
    results, _ = await run(3, target, repeat=2, done=done, concurrency=1)
    assert [(result.row.id, result.repeat) for result in results] == [("r0", 1), ("r0", 2), ("r1", 2), ("r2", 1)]
    assert target.asked == ["r0", "r0", "r1", "r2"]


def costing(cost: float | None) -> Callable[[Row], Any]:
    return lambda _: said("2", cost_usd=cost)


@pytest.mark.parametrize(("cap", "done"), [(1.0, 4), (0.99, 3), (0.25, 1), (0.0, 1), (100.0, 20)])
@pytest.mark.parametrize("concurrency", [1, 5])
async def test_no_row_is_begun_that_would_go_over_the_cap(cap: float, done: int, concurrency: int) -> None:
    results, stop = await run(20, FunctionTarget(costing(0.25), free=False), max_cost_usd=cap, concurrency=concurrency)
    assert (len(results), stop) == (done, None if done == 20 else "cost_cap")


async def test_the_cap_counts_the_judge_too() -> None:
    from afterturn.calls import Answer
    from afterturn.evals import JudgeGrader, load_rubric
    from afterturn.testing import ScriptedJudge

    prices = Prices({"openai:m": Price(input_usd_per_million=1.0, output_usd_per_million=0.0)})
    answer = Answer(values=GOOD, usage=Usage(input_tokens=250_000, output_tokens=0))
    judge = ScriptedJudge(answer, name="openai:m", location="remote")
    setup = Setup(
        target=FunctionTarget(lambda _: "2"), graders=(JudgeGrader(load_rubric("correctness"), judge, prices=prices),)
    )
    results, stop = await run(20, setup=setup, max_cost_usd=1.0)
    assert (len(results), stop) == (4, "cost_cap")
    assert {result.judge_cost_usd for result in results} == {0.25}


async def test_a_cap_over_an_unknown_price_stops_after_the_first_row_and_keeps_it() -> None:
    results, stop = await run(20, FunctionTarget(costing(None), free=False), max_cost_usd=5.0)
    assert ([result.state for result in results], stop) == (["pass"], "unknown_price")


async def test_an_error_of_unknown_cost_does_not_stop_a_capped_run() -> None:
    def agent(row: Row) -> Any:
        if row.id == "r1":
            raise ValueError
        return said("2", cost_usd=0.01)

    results, stop = await run(10, FunctionTarget(agent, free=False), max_cost_usd=5.0)
    assert (len(results), stop) == (10, None)


async def test_without_a_cap_unknown_prices_stop_nothing() -> None:
    results, stop = await run(10, FunctionTarget(costing(None), free=False))
    assert (len(results), stop) == (10, None)


async def test_a_result_that_cannot_be_kept_ends_the_run() -> None:
    target = FunctionTarget(lambda _: "2")

    def full(_: RowResult) -> None:
        raise OutputError("the disk is full")

    setup = Setup(target=target, graders=(grader(GOOD),))
    with pytest.raises(OutputError):
        await run_rows(setup, rows(100), take=full)
    assert len(target.asked) <= 5


async def test_an_interrupted_run_has_handed_on_what_was_done() -> None:
    results: list[RowResult] = []
    stuck = asyncio.Event()

    async def agent(row: Row) -> str:
        if row.id == "r5":
            stuck.set()
            await asyncio.Event().wait()
        return "2"

    setup = Setup(target=FunctionTarget(agent), graders=(grader(GOOD),))
    task = asyncio.ensure_future(run_rows(setup, rows(6), take=results.append, concurrency=1))
    await stuck.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [result.row.id for result in results] == ["r0", "r1", "r2", "r3", "r4"]


async def test_no_rows_are_no_results() -> None:
    assert await run(0) == ([], None)
    assert await run(0, max_cost_usd=1.0) == ([], None)


@pytest.mark.parametrize("cap", [None, 5.0])
@pytest.mark.parametrize("concurrency", [1, 3])
def test_agents_that_swallow_their_cancellation_are_left_behind(
    cap: float | None, concurrency: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("afterturn.evals._safely.GRACE_S", 0.01)

    async def agent(row: Row) -> str:
        while row.id in ("r0", "r3", "r4"):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue
        return "2"

    setup = Setup(target=FunctionTarget(agent), graders=(grader(GOOD),), deadline_s=0.02)
    results, stop = asyncio.run(run(6, setup=setup, concurrency=concurrency, max_cost_usd=cap))  # ends, too
    assert stop is None
    assert {result.row.id: result.reason for result in results if result.state != "pass"} == dict.fromkeys(
        ("r0", "r3", "r4"), "timeout"
    )
    assert len(results) == 6


async def test_a_context_variable_of_one_row_is_not_seen_by_another() -> None:
    variable: ContextVar[str] = ContextVar("variable", default="none")
    seen: list[str] = []

    async def agent(row: Row) -> str:
        seen.append(variable.get())
        variable.set(row.id)
        return "2"

    results, _ = await run(5, FunctionTarget(agent), concurrency=2)
    assert (len(results), seen) == (5, ["none"] * 5)
