"""What the tests of the gate share: rows, a run of them with any agent and judge, and a gate over it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from gate_bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    made.write_rows({"id": f"r{n}", "input": f"Question {n}?", "assert": ["contains:fine"]} for n in range(4))
    return made


@pytest.fixture
def good(bench: Bench) -> Bench:
    """A bench with a whole run of four rows that all pass, and a gate that it passes."""
    asyncio.run(bench.go(lambda row: "All is fine."))
    bench.write_gate()
    return bench
