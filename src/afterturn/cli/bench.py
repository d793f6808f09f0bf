"""`afterturn bench`: runs the benchmarks of a checkout."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from afterturn.errors import UsageError


def bench_command(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Which: the NAME of benchmarks/bench_NAME.py, or all.")
    ] = "all",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a benchmark.")] = False,
) -> None:
    """Measures speed and quality, every figure beside its counterpart in the same run.

    Further options are the benchmark's own: `afterturn bench guard --quick`, `afterturn bench guard -- --help`.
    """
    if name.startswith("-") or (name == "all" and context.args):
        option = name if name.startswith("-") else context.args[0]
        raise UsageError(f"{option}: for which benchmark? Name one: afterturn bench NAME {option}")
    folder = Path(__file__).resolve().parents[3] / "benchmarks"
    scripts = sorted(folder.glob("bench_*.py" if name == "all" else f"bench_{name}.py"))
    if not scripts:
        known = ", ".join(path.stem.removeprefix("bench_") for path in sorted(folder.glob("bench_*.py")))
        raise UsageError(f"no benchmark {name}; there is {known or 'none: run this from a checkout of the repository'}")
    for script in scripts:
        with _as_started(script, [*(["--json"] if as_json else []), *context.args]):
            runpy.run_path(str(script), run_name="__main__")


@contextmanager
def _as_started(script: Path, arguments: Sequence[str]) -> Generator[None]:
    """Has a script find its arguments, and the modules beside it, as if Python had started it."""
    before, path = sys.argv, sys.path.copy()
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before, path
