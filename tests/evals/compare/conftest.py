"""Writes runs of given outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from afterturn.evals import RowResult, RubricRef, RunFile, RunHeader, RunWriter, Score, read_row

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
MakeRun = Callable[..., RunFile]


def result_of(number: int, outcome: int | str, repeat: int = 1) -> RowResult:
    """A row of a score, or of a state without one."""
    row = read_row({"id": f"r{number}", "input": f"What is {number}+1?"})
    if isinstance(outcome, int):
        passed = outcome >= 70
        return RowResult(
            row=row,
            repeat=repeat,
            state="pass" if passed else "fail",
            reason=None if passed else "score",
            score=outcome,
            scores=(Score(rubric="correctness", score=outcome),),
        )
    if outcome == "pass":
        return RowResult(row=row, repeat=repeat, state="pass")
    reason = {"fail": "assertion", "agent_error": "timeout", "judge_error": "invalid_json", "skipped": "no_expected"}
    return RowResult(row=row, repeat=repeat, state=outcome, reason=reason[outcome])  # pyright: ignore[reportArgumentType]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Makes a run of outcomes by row; a list of them is a row's repeats."""

    def make(name: str, outcomes: Sequence[int | str | list[int | str]], **header: Any) -> RunFile:
        path = tmp_path / f"{name}.jsonl"
        fields: dict[str, Any] = {
            "run": name,
            "started_at": NOW,
            "version": "0",
            "target": f"shop:{name}",
            "dataset": "rows.jsonl",
            "rows": len(outcomes),
            "rubrics": (RubricRef(name="correctness", digest="1"),),
            "judge": "test:judge",
        }
        with RunWriter.create(path, RunHeader(**{**fields, **header})) as writer:
            for number, outcome in enumerate(outcomes):
                for repeat, one in enumerate(outcome if isinstance(outcome, list) else [outcome], start=1):
                    writer.add(result_of(number, one, repeat))
            writer.finish({})
        return RunFile(path)

    return make
