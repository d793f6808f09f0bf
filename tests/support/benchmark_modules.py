"""Imports modules that stand beside the benchmarks, for tests of what the benchmarks measure."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


def benchmark_module(name: str, *, data: str) -> Any:
    """Imports a module of the benchmarks; skips the test where it, or the shared data that it reads, is not there.

    Args:
        name: Name of the module.
        data: The folder of the shared data that it reads.
    """
    if not (FOLDER / f"{name}.py").is_file():
        pytest.skip("the benchmarks are not part of this distribution")
    sys.path.insert(0, str(FOLDER))
    try:
        module = import_module(name)
        root: Path = import_module("tool_rows").DATA
    finally:
        sys.path.remove(str(FOLDER))
    if not (root / data).is_dir():
        pytest.skip(f"no data at {root / data}; set AFTERTURN_SHARED")
    return module
