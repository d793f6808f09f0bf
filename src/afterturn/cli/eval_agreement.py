"""`afterturn eval agreement`: the judge of a run against people."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterturn.cli._common import json_line, note
from afterturn.cli._exit import keeping_exit_code

if TYPE_CHECKING:
    from afterturn.calibration import Interval
    from afterturn.evals.compare import JudgeAgreement

INCONCLUSIVE = 3


def agreement_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The file of a run.")],
    labels: Annotated[
        Path, typer.Option(metavar="FILE", help='What people say: JSONL of {"row", "score" or "pass", "rater"}.')
    ],
    rubric: Annotated[
        str | None, typer.Option(help="The rubric whose scores are compared; by default each row's lowest.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line, also on a terminal.")] = False,
) -> None:
    """Compares the judge's scores with what people say: agreement, kappa, by score band, and bias.

    Exit code 3: too few replies are judged by both.
    """
    from afterturn.evals import RunFile
    from afterturn.evals.compare import FEWEST_ROWS, judge_agreement, read_human_labels

    found = judge_agreement(RunFile(run), read_human_labels(labels, note), rubric=rubric)
    with keeping_exit_code():
        if as_json or not sys.stdout.isatty():
            typer.echo(json_line(_json(found)))
        else:
            _show(found)
    note(
        f"{found.replies} replies judged by both; {found.unknown} labelled ones are not in the run, "
        f"{found.unscored} have no score, on {found.tied} people are split"
    )
    if not found.enough:
        note(f"not enough: {FEWEST_ROWS} are the least")
        raise typer.Exit(INCONCLUSIVE)


def _json(found: JudgeAgreement) -> dict[str, Any]:
    wire = asdict(found)
    for part in ("judge", "people"):
        for name in ("agreement", "kappa"):
            wire[part][name] = getattr(getattr(found, part), name)._asdict()
    wire["bands"] = [
        {**band._asdict(), "people_pass": band.people_pass._asdict(), "agree": band.agree._asdict()}
        for band in found.bands
    ]
    return wire


def _show(found: JudgeAgreement) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(markup=False, emoji=False, highlight=False)
    table = Table("", "replies", "agree", "kappa", "only the first passes it", "only the second")
    for name, one in (("judge and people", found.judge), ("people and people", found.people)):
        cells = (_interval(one.agreement), _interval(one.kappa), str(one.first_only), str(one.second_only))
        table.add_row(name, str(one.turns), *cells)
    console.print(table)
    bands = Table("judge's score", "replies", "people pass", "agree")
    for band in found.bands:
        bands.add_row(f"{band.low}-{band.high}", str(band.replies), _interval(band.people_pass), _interval(band.agree))
    console.print(bands)
    if found.score_bias is not None:
        console.print(
            f"score: the judge gives {found.score_bias:+.1f} points against people; the mean distance is "
            f"{found.score_error:.1f}, over {found.scored} replies"
        )
    p = found.bias_p_value
    console.print(f"bias of pass and fail: p = {p:.2g}" if p is not None else "pass and fail: they never differ")


def _interval(one: Interval) -> str:
    return "–" if one.rate is None else f"{one.rate:.2f} [{one.low:.2f}, {one.high:.2f}]"
