"""A line of a dataset that is no row is a row of the run, skipped with its place: it is never a missing row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from eval_parts import FunctionTarget, said

from afterturn.errors import InputError
from afterturn.evals import (
    Parts,
    PerCall,
    Prices,
    RunFile,
    RunSummary,
    new_header,
    open_dataset,
    outcome,
    resume_run,
    start_run,
)
from afterturn.evals.simulate import open_cast

GOOD = '{"id": "a", "input": "1?", "expected": "2"}'
ALSO = '{"id": "b", "input": "2?", "expected": "2"}'
BROKEN = ("{no json", "[1]", '{"id": "x"}', '{"id": "y", "input": 3}')


def written(folder: Path, *lines: str) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def parts(target: Any, prices: Prices | None = None) -> Parts:
    return Parts(target=target, assertions=("contains",), prices=prices or Prices({}))


async def started(folder: Path, target: Any, **settings: Any) -> RunSummary:
    dataset = open_dataset(folder / "rows.jsonl")
    header = new_header(parts(target), dataset, **settings)
    return await start_run(header, parts(target), dataset, folder / "run.jsonl")


async def resumed(folder: Path, target: Any) -> RunSummary:
    return await resume_run(RunFile(folder / "run.jsonl"), parts(target), open_dataset(folder / "rows.jsonl"))


def told(folder: Path) -> list[tuple[str, str, str | None]]:
    results = RunFile(folder / "run.jsonl").results()
    return sorted((result.row.id, result.state, result.reason) for result in results)


@pytest.mark.parametrize("kept_bytes", [0, 2**20])
async def test_each_broken_line_is_skipped_and_lowers_the_coverage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept_bytes: int
) -> None:
    monkeypatch.setattr("afterturn.evals._dataset.KEPT_BYTES", kept_bytes)
    path = written(tmp_path, GOOD, *BROKEN, ALSO)
    target = FunctionTarget(lambda _: "2")
    summary = await started(tmp_path, target)
    assert target.asked == ["a", "b"]
    assert (summary.planned, summary.done, summary.pass_rate.mean, summary.pass_rate.coverage) == (6, 6, 1.0, 2 / 6)
    assert summary.reasons == {"skipped:bad_line": 4}
    assert outcome(summary, threshold=70).reason == "low_coverage"
    run = RunFile(tmp_path / "run.jsonl")
    assert (run.summary(), run.header.rows, run.header.bad_lines) == (summary, 6, 4)
    first = next(result for result in run.results() if result.row.problem)
    assert (first.row.id, first.row.source) == ("rows.jsonl:2", f"{path}:2")
    assert first.message.startswith(f"{path}:2: not valid JSON")


async def test_a_file_of_broken_lines_alone_is_inconclusive_and_never_empty(tmp_path: Path) -> None:
    written(tmp_path, *BROKEN)
    summary = await started(tmp_path, FunctionTarget(lambda _: "2"))
    assert (summary.planned, outcome(summary, threshold=70).reason) == (4, "nothing_judged")


async def test_resuming_does_a_broken_line_once_and_a_mended_one_again(tmp_path: Path) -> None:
    written(tmp_path, GOOD, *BROKEN[:2])
    await started(tmp_path, FunctionTarget(lambda _: "2"), repeat=2)
    before = told(tmp_path)
    assert [state for _, state, _ in before] == ["pass"] * 2 + ["skipped"] * 4
    again = FunctionTarget(lambda _: "2")
    await resumed(tmp_path, again)
    assert (told(tmp_path), again.asked) == (before, [])
    written(tmp_path, GOOD, ALSO, BROKEN[1])
    summary = await resumed(tmp_path, again)
    assert again.asked == ["b", "b"]
    assert (summary.planned, summary.done, summary.stop) == (6, 6, None)
    assert [state for _, state, _ in told(tmp_path)] == ["pass"] * 4 + ["skipped"] * 2
    run = RunFile(tmp_path / "run.jsonl")
    assert (run.header.rows, run.header.bad_lines, run.summary()) == (3, 1, summary)


async def test_a_broken_first_line_does_not_tell_a_capped_run_what_a_row_costs(tmp_path: Path) -> None:
    written(tmp_path, *BROKEN, *(json.dumps({"id": f"r{n}", "input": "q", "expected": "2"}) for n in range(9)))
    target = FunctionTarget(lambda _: said("2"), free=False)
    dataset = open_dataset(tmp_path / "rows.jsonl")
    priced = parts(target, Prices({"test:agent": PerCall(usd=0.25)}))
    header = new_header(priced, dataset, max_cost_usd=0.5)
    summary = await start_run(header, priced, dataset, tmp_path / "run.jsonl")
    assert (len(target.asked), summary.stop, summary.cost_usd) == (2, "cost_cap", 0.5)


def test_scenarios_that_are_none_are_rows_of_a_simulation_too(tmp_path: Path) -> None:
    path = written(tmp_path, '{"id": "hello", "input": "Hello"}', "{no json")
    cast = open_cast(path)
    assert (cast.count, cast.bad_lines, cast.planned) == (1, 1, 2)
    assert [(row.id, bool(row.problem)) for row in cast.all_rows()] == [("hello", False), ("rows.jsonl:2", True)]


def test_a_golden_that_is_no_object_is_a_broken_line(tmp_path: Path) -> None:
    path = tmp_path / "goldens.json"
    path.write_text('{"goldens": [{"input": "Q", "expected_output": "4"},\n 7]}')
    dataset = open_dataset(path)
    assert (dataset.format, dataset.count, dataset.bad_lines) == ("deepeval", 1, 1)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("expectd_tool_calls", "'expected_tool_calls'"),
        ("expectedToolCalls", "'expected_tool_calls'"),
        ("expected_tools", "'expected_tool_calls'"),
        ("expcted", "'expected'"),
        ("Criteria", "'criteria'"),
        ("assertions", "'assert'"),
        ("tool-results", "'tool_results'"),
        ("contxt", "'context'"),
        ("rubic", "--rubric"),
        ("threshold", "--threshold"),
    ],
)
@pytest.mark.parametrize("format", ["afterturn", "scenarios"])
def test_a_key_that_looks_misspelt_is_refused_with_its_place_and_what_is_meant(
    tmp_path: Path, format: str, key: str, meant: str
) -> None:
    path = written(tmp_path, GOOD, json.dumps({"id": "b", "input": "2?", key: "x"}))
    with pytest.raises(InputError) as caught:
        open_dataset(path, format=format)
    assert str(caught.value).startswith(f"{path}:2: a row has no key {key!r}; ")
    assert meant in str(caught.value)


def test_other_keys_and_whatever_stands_under_metadata_are_kept_as_metadata(tmp_path: Path) -> None:
    row = {"input": "2?", "topic": "x", "tags": [1], "tool_calls": [], "expected_output": "y", "metadata": {"rubic": 1}}
    (read,) = open_dataset(written(tmp_path, json.dumps(row)), format="afterturn").rows()
    assert set(read.metadata) == {"topic", "tags", "tool_calls", "expected_output", "rubic"}


def test_keys_of_another_tool_are_its_own(tmp_path: Path) -> None:
    dataset = open_dataset(written(tmp_path, '{"input": "Pick", "target": "B", "rubric": "x"}'))
    assert (dataset.format, [row.metadata for row in dataset.rows()]) == ("inspect", [{"rubric": "x"}])


@pytest.mark.parametrize("calls", [{"mod": "strict", "calls": []}, {"mode": "strict"}, {"mode": 3, "calls": []}])
def test_expected_calls_that_would_assert_nothing_are_no_row(tmp_path: Path, calls: Any) -> None:
    dataset = open_dataset(written(tmp_path, json.dumps({"input": "1?", "expected_tool_calls": calls})))
    assert (dataset.count, dataset.bad_lines) == (0, 1)
