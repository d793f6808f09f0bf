"""`afterturn regress`: the live regression suites on any list of models, in one table."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import configured, json_line, note, printable
from afterturn.cli._exit import keeping_exit_code
from afterturn.cli._outputs import refuse_overwriting

if TYPE_CHECKING:
    from afterturn.regress import Check, ModelReport, RegressReport


def regress_command(
    models: Annotated[str, typer.Option(help="The models, provider:model, with commas between.")],
    suite: Annotated[
        str | None, typer.Option(help="Only these suites, with commas between: rag, large_prompt.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Who classifies: encoder, or provider:model. Each model itself by default.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=16, help="Most tokens of one answer.")] = 1_000,
    deadline: Annotated[float, typer.Option(min=0.001, help="Seconds for one answer, and for one judgement.")] = 300,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line in place of the table.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="Write everything here as JSON, answers included; until all is there, in FILE.part."
        ),
    ] = None,
) -> None:
    """Runs the live suites on models: a turn with passages, and a large prompt over four turns. One row a check.

    Exit codes: 0 every check passed; 1 some failed; 3 none failed, but some could not be made. An error is no pass.
    """
    from afterturn.regress import Settings, load_suites, regress

    refuse_overwriting({"-o": out}, config=configured())
    suites = load_suites(_names(suite or ""))
    settings = Settings(judge=judge, max_tokens=max_tokens, deadline_s=deadline, told=_told)
    if judge is not None:
        configured(judge=judge)
    with _kept(out) as (keep, end):
        report = asyncio.run(regress(_names(models), suites, replace(settings, kept=keep)))
        wire = report.to_json(datetime.now(UTC))
        end(wire)
    with keeping_exit_code():
        if as_json:
            typer.echo(json_line(wire))
        else:
            _table(report)
    raise typer.Exit(report.exit_code)


@contextmanager
def _kept(out: Path | None) -> Generator[tuple[Callable[[ModelReport], object], Callable[[object], object]]]:
    """Keeps what each model came to, a line each, until the report takes their place; says where, if it never does."""
    from afterturn.formats import line_by_line

    if out is None:
        yield (lambda _: None), (lambda _: None)
        return
    with line_by_line(out) as lines:

        def end(report: object) -> None:
            lines.begin_again()
            lines.write(json.dumps(report, ensure_ascii=False, indent=1))

        try:
            yield (lambda model: lines.write(json_line(model.to_json()))), end
        except BaseException:
            if lines.count and lines.path is not None:
                note(f"stopped early; what {lines.count} models came to is in {lines.path}, a line each")
            raise


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _told(model: str, suite: str, turn: int, of: int) -> None:
    note(f"{printable(model)}: {suite}, turn {turn} of {of}")


def _table(report: RegressReport) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("suite", "turn", "check", title="Regression", title_justify="left")
    for model in report.models:
        table.add_column(printable(model.model))
    checks = [{check.key: check for check in model.checks} for model in report.models]
    for suite, turn, name in checks[0]:
        table.add_row(suite, str(turn), name, *(_cell(found[suite, turn, name]) for found in checks))
    table.add_section()
    table.add_row("", "", "passed", *map(_passed, report.models))
    Console(width=None if sys.stdout.isatty() else 60 + 45 * len(report.models)).print(table)


def _cell(check: Check) -> str:
    if check.state == "pass":
        return "pass"
    return f"{check.state}: {check.reason} ({check.told})"


def _passed(model: ModelReport) -> str:
    counts = model.count()
    errors = f", {counts['errors']} errors" if counts["errors"] else ""
    return f"{counts['passed']} of {counts['planned']}{errors}"
