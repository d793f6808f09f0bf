"""What the guard's tests share: their case tables, a few rules of their own, and texts from every corner."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from afterturn.guard import Rule, load_rules

_CASES = Path(__file__).parent / "cases"


@pytest.fixture(scope="session")
def table() -> Callable[[str], list[dict[str, Any]]]:
    """Reads a table of cases, `cases/NAME.jsonl`."""

    def read(name: str) -> list[dict[str, Any]]:
        lines = (_CASES / f"{name}.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines if line]

    return read


@pytest.fixture(scope="session")
def rules() -> tuple[Rule, ...]:
    """Five rules that stay as they are, whatever is shipped."""
    return load_rules(_CASES / "rules")
