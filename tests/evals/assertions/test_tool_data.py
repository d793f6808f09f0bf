"""Tests the matcher on the labelled tool data that lies beside the repository, where it does."""

from __future__ import annotations

from typing import Any

import pytest
from benchmark_modules import benchmark_module

from afterturn.evals.assertions import open_assertion


@pytest.fixture
def rows() -> Any:
    """The module that reads the data and makes wrong calls out of right ones."""
    return benchmark_module("tool_rows", data="tools")


@pytest.mark.parametrize("name", ["bfcl-v4-nonlive", "tooltalk"])
def test_right_and_wrong_calls_get_the_right_answer_on_every_row_in_every_mode(rows: Any, name: str) -> None:
    assertions = {mode: open_assertion(f"expected_tool_calls:{mode}") for mode in rows.MODES}
    kinds: set[str] = set()
    wrong: list[tuple[str, str]] = []
    for item in rows.read(name):
        for case in rows.cases(item):
            reply = rows.as_reply(item, case.calls)
            kinds.add(case.kind)
            passing = {mode for mode, one in assertions.items() if _passes(one.check(case.row, reply))}
            if passing != case.passes:
                wrong.append((item["id"], case.kind))
    assert wrong == []
    made = {"call dropped", "call doubled", "wrong tool", "changed argument", "extra call", "order swapped"}
    assert kinds - {"right", "right, other accepted arguments"} == made


def test_the_matcher_agrees_with_workbench_on_95_of_100_rows(rows: Any) -> None:
    assertion = open_assertion({"name": "expected_tool_calls", "free": list(rows.READS), "repeats": True})
    found = rows.read(rows.WORKBENCH)
    agrees = [
        _passes(assertion.check(rows.as_row(item), rows.as_reply(item, item["calls"]))) == item["appropriate"]
        for item in found
    ]
    assert len(agrees) == 348
    assert sum(agrees) >= 0.95 * len(agrees)


def _passes(result: Any) -> bool:
    return bool(result.passed)
