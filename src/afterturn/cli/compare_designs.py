"""`afterturn compare-designs`: the older design, a reporting tool in the loop, measured against answer-first."""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from afterturn._unreadable import why_unreadable
from afterturn.cli._common import configured, json_line, note, output
from afterturn.cli._exit import keeping_exit_code
from afterturn.cli._outputs import refuse_overwriting
from afterturn.errors import UnreadableInputError

if TYPE_CHECKING:
    from afterturn.designs import Comparison, DesignName

LEAST_COVERAGE = 0.9


def compare_designs_command(
    model: Annotated[str, typer.Option(help="The model at OPENAI_BASE_URL (any OpenAI-compatible server).")],
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="How often each conversation is had.")] = 1,
    prompt: Annotated[
        Path | None, typer.Option(help="The agent's prompt; by default one of about 15,000 tokens.")
    ] = None,
    designs: Annotated[
        str | None,
        typer.Option(help="Only these, with commas between: optional, obligation, protocol, forced, answer_first."),
    ] = None,
    conversations: Annotated[str | None, typer.Option(help="Only these, with commas between: portal, form.")] = None,
    temperature: Annotated[float, typer.Option(min=0, max=2, help="The temperature of the answers.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=16, help="Most tokens of one answer.")] = 400,
    deadline: Annotated[float, typer.Option(min=0.001, help="Seconds for one model call.")] = 900,
    judge: Annotated[
        str | None, typer.Option(help="Who classifies in answer-first; the model itself by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line in place of the table.")] = False,
    markdown: Annotated[Path | None, typer.Option(help="Write the table here as Markdown.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write everything here as JSON, turn by turn as they end.")
    ] = None,
) -> None:
    """Measures the designs on the same conversations: call rate, leaked calls, lost answers, tokens, seconds.

    Exit codes: 0 measured; 3 fewer than nine in ten turns of some design could be measured.
    """
    from afterturn.designs import DESIGNS, Plan, compare_designs, figures, write_markdown

    refuse_overwriting({"-o": out, "--markdown": markdown}, [prompt], configured())
    plan = Plan(
        model=model,
        prompt=_read(prompt),
        designs=cast("tuple[DesignName, ...]", _names(designs)) or DESIGNS,
        conversations=_names(conversations),
        repeats=repeats,
        temperature=temperature,
        max_tokens=max_tokens,
        deadline_s=deadline,
        judge=judge,
    )
    if judge is not None:
        configured(judge=judge)

    done = 0

    def show(so_far: Comparison) -> None:
        nonlocal done
        last, planned = so_far.turns[-1], sum(so_far.planned.values())
        ended = last.error or f"{last.seconds:.1f} s"
        note(f"{len(so_far.turns)} of {planned}: {last.design}, {last.conversation} {last.turn}: {ended}")
        _write(so_far, out, None)
        done = len(so_far.turns)

    try:
        comparison = asyncio.run(compare_designs(plan, show))
    except BaseException:
        if done and out is not None and str(out) != "-":
            note(f"stopped early; the {done} turns that ended are in {out}")
        raise
    written_at = datetime.now(UTC)
    _write(comparison, out, written_at)
    if markdown is not None:
        with output(markdown) as stream:
            write_markdown(comparison, stream)
    with keeping_exit_code():
        if as_json:
            from afterturn.designs import comparison_to_json

            typer.echo(json_line(comparison_to_json(comparison, written_at)))
        else:
            _table(comparison)
    raise typer.Exit(3 if any(one.coverage < LEAST_COVERAGE for one in figures(comparison).values()) else 0)


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def _read(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableInputError(f"{path} cannot be read: {why_unreadable(error)}") from None


def _write(comparison: Comparison, out: Path | None, written_at: datetime | None) -> None:
    if out is None:
        return
    from afterturn.designs import comparison_to_json

    with output(out) as stream:
        stream.write(json.dumps(comparison_to_json(comparison, written_at), ensure_ascii=False, indent=1) + "\n")


def _table(comparison: Comparison) -> None:
    from rich.console import Console
    from rich.table import Table

    from afterturn.designs import rows

    head, *body = rows(comparison)
    table = Table(*head, title="Designs", title_justify="left")
    for row in body:
        table.add_row(*row)
    console = Console(width=None if sys.stdout.isatty() else 60 + 30 * len(head))
    console.print(table)
    way = comparison.catch_up
    if way == "schema":
        console.print("The forced catch-up went by JSON schema: this server does not enforce tool calls.")
    for name in comparison.left_out:
        console.print(f"{name} is left out: this server does not enforce tool calls.")
