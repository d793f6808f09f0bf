"""`afterturn bench`: runs the benchmarks of a checkout."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Annotated

import typer

from afterturn.errors import UsageError


def bench_command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Which: the NAME of benchmarks/bench_NAME.py, or all.")
    ] = "all",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a benchmark.")] = False,
) -> None:
    """Measures speed and quality, every figure beside its counterpart in the same run."""
    folder = Path(__file__).resolve().parents[3] / "benchmarks"
    scripts = sorted(folder.glob("bench_*.py" if name == "all" else f"bench_{name}.py"))
    if not scripts:
        known = ", ".join(path.stem.removeprefix("bench_") for path in sorted(folder.glob("bench_*.py")))
        raise UsageError(f"no benchmark {name}; there is {known or 'none: run this from a checkout of the repository'}")
    for script in scripts:
        sys.argv = [str(script), *(["--json"] if as_json else [])]
        runpy.run_path(str(script), run_name="__main__")
