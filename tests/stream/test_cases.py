"""Every row of the case tables comes out exactly, as given and under every split."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent / "cases"


def rows(table: str) -> list[Any]:
    lines = (CASES / table).read_text(encoding="utf-8").splitlines()
    return [pytest.param(row := json.loads(line), id=row["id"]) for line in lines]


@pytest.mark.parametrize("row", rows("citations.jsonl"))
@pytest.mark.parametrize("tools", [[], ["search", "log_case", "get_weather"]], ids=["citations alone", "whole chain"])
def test_a_citation_row_comes_out_exactly(row: dict[str, Any], tools: list[str], filtered: Callable[..., Any]) -> None:
    outcome = filtered(row["deltas"], aliases=row.get("aliases"), tools=tools)
    assert (outcome.text, outcome.cited, outcome.unknown) == (row["text"], row["cited"], row["unknown"])
    assert [list(mark) for mark in outcome.marks] == row.get("marks", [list(mark) for mark in outcome.marks])


@pytest.mark.parametrize("row", rows("fresh.jsonl"))
def test_a_fresh_row_comes_out_exactly(row: dict[str, Any], filtered: Callable[..., Any]) -> None:
    outcome = filtered(row["deltas"], aliases=row.get("aliases"), tools=row.get("tools", []))
    assert (outcome.text, outcome.cited, outcome.unknown) == (row["text"], row["cited"], row["unknown"])
    assert ([list(mark) for mark in outcome.marks], outcome.leaks) == (row["marks"], row["leaks"])
    assert outcome.reasoning == row.get("reasoning", "")


@pytest.mark.parametrize("row", rows("leaks.jsonl"))
def test_a_leak_row_comes_out_exactly(row: dict[str, Any], filtered: Callable[..., Any]) -> None:
    outcome = filtered(row["deltas"], aliases=row.get("aliases"), tools=row["tools"])
    assert (outcome.text, outcome.leaks) == (row["text"], row["leaks"])
