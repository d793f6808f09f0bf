"""A run is started, stopped and gone on with, by the content of its rows."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eval_parts import GOOD, FunctionTarget, said

from afterturn.errors import OutputError, UsageError
from afterturn.evals import (
    Parts,
    PerCall,
    Prices,
    Row,
    RunFile,
    RunSummary,
    load_rubric,
    new_header,
    open_dataset,
    resume_run,
    start_run,
)
from afterturn.testing import ScriptedJudge


def data(folder: Path, count: int = 6, **changed: Any) -> Path:
    path = folder / "rows.jsonl"
    lines = [{"id": f"r{number}", "input": f"{number}?", "expected": "2"} | changed for number in range(count)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def parts_of(target: Any, **fields: Any) -> Parts:
    rubrics = (load_rubric("correctness"),)
    given: dict[str, Any] = {"target": target, "rubrics": rubrics, "judge": ScriptedJudge(GOOD), "prices": Prices({})}
    given |= fields
    return Parts(**given)


async def started(folder: Path, target: Any, *, parts: Parts | None = None, **settings: Any) -> RunSummary:
    parts = parts or parts_of(target)
    dataset = open_dataset(folder / "rows.jsonl")
    return await start_run(new_header(parts, dataset, **settings), parts, dataset, folder / "run.jsonl")


async def resumed(folder: Path, target: Any, *, parts: Parts | None = None, **options: Any) -> RunSummary:
    dataset = open_dataset(folder / "rows.jsonl")
    return await resume_run(RunFile(folder / "run.jsonl"), parts or parts_of(target), dataset, **options)


async def test_the_figures_of_the_run_and_of_its_file_are_the_same(tmp_path: Path) -> None:
    data(tmp_path)
    summary = await started(tmp_path, FunctionTarget(lambda _: "2"), repeat=2)
    run = RunFile(tmp_path / "run.jsonl")
    assert run.summary() == summary
    assert (summary.done, summary.planned, summary.stop) == (12, 12, None)
    assert (run.header.rows, run.header.repeat, run.header.judge, run.header.target) == (6, 2, "scripted", "test:agent")


async def test_a_killed_run_is_finished_without_doing_anything_twice(tmp_path: Path) -> None:
    data(tmp_path)
    await started(tmp_path, FunctionTarget(lambda _: "2"), concurrency=1)
    path = tmp_path / "run.jsonl"
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:4]) + whole[4][:50])  # header, three results, half a fourth
    target = FunctionTarget(lambda _: "2")
    summary = await resumed(tmp_path, target)
    assert target.asked == ["r3", "r4", "r5"]
    assert (summary.done, summary.stop) == (6, None)
    assert sorted(result.row.id for result in RunFile(path).results()) == [f"r{number}" for number in range(6)]


async def test_rows_are_found_by_their_content_and_not_by_their_place(tmp_path: Path) -> None:
    path = data(tmp_path, 3)
    await started(tmp_path, FunctionTarget(lambda _: "2"))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(json.dumps({"id": "new", "input": "new?", "expected": "2"}) + "\n" + "".join(reversed(lines)))
    target = FunctionTarget(lambda _: "2")
    summary = await resumed(tmp_path, target)
    assert target.asked == ["new"]
    assert (summary.planned, summary.score.coverage) == (4, 1.0)
    assert RunFile(tmp_path / "run.jsonl").summary() == summary


async def test_a_run_whose_rows_are_gone_or_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    data(tmp_path, 3)
    await started(tmp_path, FunctionTarget(lambda _: "2"))
    data(tmp_path, 3, expected="3")
    with pytest.raises(UsageError, match=r"row r\d of the run is not in"):
        await resumed(tmp_path, FunctionTarget(lambda _: "2"))


@pytest.mark.parametrize(
    "changed",
    [
        {"rubrics": (replace(load_rubric("correctness"), digest="other"),)},
        {"judge": ScriptedJudge(GOOD, name="another")},
        {"target": FunctionTarget(name="another")},
        {"target": FunctionTarget(options={"model": "another"})},
        {"assertions": ("contains:2",)},
    ],
)
async def test_a_run_is_not_gone_on_with_under_another_setup(tmp_path: Path, changed: dict[str, Any]) -> None:
    data(tmp_path, 3)
    target = FunctionTarget(lambda _: "2")
    await started(tmp_path, target)
    with pytest.raises(UsageError, match="have changed since the run began"):
        await resumed(tmp_path, target, parts=parts_of(**{"target": target, **changed}))


async def test_a_capped_run_goes_on_under_a_higher_cap_that_counts_what_was_spent(tmp_path: Path) -> None:
    data(tmp_path)
    target = FunctionTarget(lambda _: said("2", cost_usd=0.25), free=False)
    summary = await started(tmp_path, target, max_cost_usd=0.5)
    assert (summary.done, summary.stop, summary.cost_usd) == (2, "cost_cap", 0.5)
    summary = await resumed(tmp_path, target, max_cost_usd=1.0)
    assert (summary.done, summary.stop, summary.cost_usd) == (4, "cost_cap", 1.0)
    summary = await resumed(tmp_path, target, max_cost_usd=10.0)
    assert (summary.done, summary.stop) == (6, None)
    assert target.asked == [f"r{number}" for number in range(6)]


async def test_an_interrupted_run_says_so_and_keeps_what_is_done(tmp_path: Path) -> None:
    data(tmp_path)
    stuck = asyncio.Event()

    async def agent(row: Row) -> str:
        if row.id == "r2":
            stuck.set()
            await asyncio.Event().wait()
        return "2"

    task = asyncio.ensure_future(started(tmp_path, FunctionTarget(agent), concurrency=1))
    await stuck.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    summary = RunFile(tmp_path / "run.jsonl").summary()
    assert (summary.done, summary.stop) == (2, "interrupted")
    assert (await resumed(tmp_path, FunctionTarget(lambda _: "2"))).done == 6


async def test_a_cap_without_the_judges_price_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    data(tmp_path)
    judge = ScriptedJudge(GOOD, name="openai:m", location="remote")
    target = FunctionTarget(lambda _: "2")
    with pytest.raises(UsageError, match="needs the price of openai:m; give a price table: --prices FILE"):
        await started(tmp_path, target, parts=parts_of(target, judge=judge), max_cost_usd=1.0)
    assert target.asked == []
    assert not (tmp_path / "run.jsonl").exists()
    priced = parts_of(target, judge=judge, prices=Prices({"openai:m": PerCall(usd=0.1)}))
    assert (await started(tmp_path, target, parts=priced, max_cost_usd=1.0)).cost_usd == pytest.approx(0.6)


async def test_a_rubric_without_a_judge_is_refused(tmp_path: Path) -> None:
    data(tmp_path)
    with pytest.raises(UsageError, match="a rubric needs a judge"):
        await started(tmp_path, None, parts=parts_of(FunctionTarget(), judge=None))


async def test_a_run_never_writes_over_another(tmp_path: Path) -> None:
    data(tmp_path)
    await started(tmp_path, FunctionTarget(lambda _: "2"))
    with pytest.raises(OutputError, match="is there already"):
        await started(tmp_path, FunctionTarget(lambda _: "2"))


async def test_closing_the_parts_closes_agent_and_judge() -> None:
    judge, target = ScriptedJudge(GOOD), FunctionTarget()
    await parts_of(target, judge=judge).close()
    assert (judge.closed, target.closed) == (True, True)
