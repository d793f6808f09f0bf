"""`afterturn eval compare`: two runs row by row."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import json_line, note, printable
from afterturn.cli._exit import keeping_exit_code

if TYPE_CHECKING:
    from rich.console import Console

    from afterturn.evals.compare import Comparison, Figure, Flip

INCONCLUSIVE = 3


def compare_command(
    a: Annotated[Path, typer.Argument(metavar="A", help="The run before.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The run after.")],
    rubric: Annotated[
        str | None, typer.Option(help="Compare the scores of this rubric; by default each row's lowest.")
    ] = None,
    rows: Annotated[int, typer.Option(min=0, help="How many of the rows that flipped are listed on a terminal.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line, also on a terminal.")] = False,
) -> None:
    """Compares two runs over the rows that both have judged, and says whether the difference is more than chance.

    Exit code 3: too few rows are judged in both.
    """
    from afterturn.evals import RunFile
    from afterturn.evals.compare import compare_runs, comparison_to_json, told

    found = compare_runs(RunFile(a), RunFile(b), rubric=rubric, seed=seed)
    with keeping_exit_code():
        if as_json or not sys.stdout.isatty():
            typer.echo(json_line(comparison_to_json(found)))
        else:
            from rich.console import Console

            _show(Console(markup=False, emoji=False, highlight=False), found, rows)
    if found.differs:
        note(f"the runs also differ in {', '.join(found.differs)}: this compares more than the agents")
    for figure in found.figures:
        note(f"{figure.name}: {told(figure)}")
    if not found.enough:
        raise typer.Exit(INCONCLUSIVE)


def _show(console: Console, found: Comparison, most: int) -> None:
    from rich.table import Table

    runs = Table("", "agent", "pass rate", "score", "coverage", "states", "only here", "not judged")
    for name, side in (("A", found.a), ("B", found.b)):
        rate, score = side.summary.pass_rate, side.summary.score
        runs.add_row(
            name,
            printable(side.header.target),
            "–" if rate.mean is None else f"{rate.mean:.1%}",
            "–" if score.mean is None else f"{score.mean:.1f}",
            f"{rate.coverage:.1%}",
            "  ".join(f"{state} {count}" for state, count in side.summary.states.items() if count),
            str(side.unpaired),
            str(side.unjudged),
        )
    console.print(runs)
    figures = Table("", "rows", "A", "B", "difference [95 %]", "better", "worse", "p", "effect", "detectable")
    for figure in found.figures:
        figures.add_row(*_cells(figure))
    console.print(figures)
    _show_flips(console, "passed in A, fails in B", found.now_fails, most)
    _show_flips(console, "failed in A, passes in B", found.now_passes, most)


def _cells(figure: Figure) -> tuple[str, ...]:
    from afterturn.evals.compare._words import amount

    def cell(value: float | None, *, signed: bool = False) -> str:
        return "–" if value is None else amount(figure.name, value, signed=signed)

    difference = cell(figure.difference, signed=True)
    if figure.low is not None:
        difference += f" [{cell(figure.low, signed=True)}, {cell(figure.high, signed=True)}]"
    return (
        figure.name,
        str(figure.rows),
        cell(figure.before),
        cell(figure.after),
        difference,
        str(figure.better),
        str(figure.worse),
        "–" if figure.p_adjusted is None else f"{figure.p_adjusted:.2g}",
        "–" if figure.effect is None else f"{figure.effect:+.2f}",
        cell(figure.detectable),
    )


def _show_flips(console: Console, title: str, flips: Sequence[Flip], most: int) -> None:
    from rich.table import Table

    if not flips or not most:
        return
    table = Table("row", "repeat", "score", "reason", title=f"{title}: {len(flips)}", title_justify="left")
    for flip in flips[:most]:
        scores = f"{_score(flip.before_score)} → {_score(flip.after_score)}"
        table.add_row(printable(flip.row), str(flip.repeat), scores, flip.reason or "")
    console.print(table)


def _score(score: int | None) -> str:
    return "–" if score is None else str(score)
