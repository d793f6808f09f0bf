"""What `afterturn simulate` needs beside its options: opening the parts, the dry run, the table of personas."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from afterturn.cli._common import json_line, note, printable
from afterturn.cli._exit import keeping_exit_code
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from afterturn.evals import Dataset, RowResult, RunFile, RunHeader
    from afterturn.evals.simulate import Cast, Classified, ConversationFigures, SimulationParts
    from afterturn.evals.targets import TargetOptions
    from afterturn.turns import JsonValue, Message

_SPEAKERS = {"user": "customer", "assistant": "agent"}


def opened(
    scenarios: Path,
    target: str,
    options: TargetOptions,
    *,
    personas: str | None,
    simulator: str | None,
    judge: str | None,
    rubrics: Sequence[str],
    asked: Sequence[str],
    prices: Path | None,
    max_turns: int,
    deadline_s: float,
    format: str | None,
    dry_run: bool,
) -> tuple[Cast, SimulationParts]:
    """Opens the scenarios with their personas, and all that takes part; what does not fit is told before any cost.

    Raises:
        UsageError: One of them is not there, or nothing would be checked.
        InputError: A scenario or a persona cannot be played.
    """
    from afterturn.cli._evals import assertion_specs, checked
    from afterturn.evals import load_prices, load_rubric
    from afterturn.evals.simulate import load_personas, open_cast, open_parts
    from afterturn.evals.targets import open_target
    from afterturn.judges import open_judge

    if simulator == "encoder":
        raise UsageError("the encoder cannot play a customer; name a model: --simulator provider:model")
    if rubrics and judge is None:
        raise UsageError("a rubric needs a judge; name one: --judge provider:model, or AFTERTURN_JUDGE")
    cast = open_cast(
        scenarios,
        load_personas(personas) if personas else (),
        simulated=simulator is not None,
        format=format,
        tell=lambda line: note(str(line)),
    )
    # Runner and conversations have their own way with rate limits, and must see every one of them.
    parts = open_parts(
        open_target(target, options),
        simulator=None if simulator is None else open_judge(simulator, deadline_s=deadline_s, retries=False),
        judge=None if judge is None or dry_run else open_judge(judge, deadline_s=deadline_s, retries=False),
        rubrics=() if dry_run else [load_rubric(name) for name in rubrics],
        assertions=assertion_specs(asked),
        prices=load_prices(prices),
        max_turns=max_turns,
        deadline_s=deadline_s,
    )
    if not dry_run:
        checked(parts, cast, asked)
    return cast, parts


def single(cast: Dataset, name: str | None, *, first: bool) -> Dataset:
    """Keeps the conversations of one id, a scenario's or a conversation's; without an id, or for a dry run, the first.

    Raises:
        UsageError: There is none.
    """
    from afterturn.evals import Dataset

    wanted = [row for row in cast.rows() if name is None or name in (row.id, row.id.split("~")[0])]
    if not wanted:
        raise UsageError(f"{cast.path} has no scenario{f' {name!r}' if name else ''}; see the ids in it")
    if first and len(wanted) > 1:
        note(f"the first of {len(wanted)} conversations is played; choose by --id: {wanted[1].id}, …")
    kept = tuple(wanted[:1] if first else wanted)
    return Dataset(path=cast.path, format=cast.format, count=len(kept), bad_lines=0, _kept=kept)


async def dry(parts: SimulationParts, header: RunHeader, cast: Dataset, *, as_json: bool) -> int:
    """Plays one conversation and prints it; gives the exit code."""
    from afterturn.evals import run_rows

    results: list[RowResult] = []
    try:
        await run_rows(parts.setup(replace(header, max_cost_usd=None)), cast.rows(), take=results.append)
    finally:
        await parts.close()
    result = results[0]
    lines = [json_line(_to_json(result))] if as_json else [printable(line) for line in _told(result)]
    with keeping_exit_code():
        typer.echo("\n".join(lines))
    if result.state == "pass" or result.reason == "nothing_asserted":
        return 0
    return 1 if result.state == "fail" else 3


def _told(result: RowResult) -> Iterator[str]:
    """Writes a conversation for a reader, and what it came to."""
    from afterturn.evals.simulate import played

    for message in result.reply.messages if result.reply else ():
        yield from _lines(message)
    found = played(result.reply)
    yield ""
    if found is not None:
        yield f"ended: {found.stop} after {found.turns} turns, customer played by {found.player}"
        if found.leaks:
            yield f"simulator_leak: in {found.leaks} messages the customer quoted what is hidden"
    for one in result.assertions:
        yield f"{'holds' if one.passed else 'FAILS'}: {one.name}{f' ({one.reason})' if one.reason else ''}"
    yield f"{result.state}{f': {result.reason}' if result.reason else ''} {result.message}".rstrip()


def _lines(message: Message) -> Iterator[str]:
    speaker = _SPEAKERS.get(message.role, message.role)
    for number, line in enumerate(message.text.splitlines()):
        yield f"{'' if number else speaker:>9}{' ' if number else ':'} {line}"
    for call in message.tool_calls:
        yield f"{speaker:>9}: [calls {call.name} {call.raw_arguments}]"


def _to_json(result: RowResult) -> dict[str, JsonValue]:
    from afterturn.evals.simulate import played
    from afterturn.formats import message_to_json

    found = played(result.reply)
    return {
        "id": result.row.id,
        "state": result.state,
        "reason": result.reason,
        "message": result.message,
        "conversation": [message_to_json(message) for message in result.reply.messages] if result.reply else [],
        "simulation": found.to_json() if found else None,
        "assertions": [{"name": a.name, "passed": a.passed, "reason": a.reason} for a in result.assertions],
    }


async def classified(run: RunFile) -> Classified:
    """Has the local encoder judge the turns of a run."""
    from afterturn.config import load_config
    from afterturn.embedded import Afterturn
    from afterturn.evals.simulate import classify_transcripts, transcripts

    async with Afterturn(config=load_config(flags={"judge": "encoder"})) as at:
        found = await classify_transcripts(at, transcripts(run.results()))
    errors = sum(count for name, count in found.statuses.items() if name.endswith(":error"))
    if errors:
        note(f"--classify: {errors} questions ended in an error; is the local encoder installed?")
    return found


def show_personas(figures: Mapping[str, ConversationFigures], further: Mapping[str, JsonValue]) -> None:
    """Prints what the conversations came to, by persona."""
    from rich.console import Console
    from rich.table import Table

    table = Table("persona", title="Conversations", title_justify="left")
    for name in ("conversations", "passed", "coverage", "turns", "leaks"):
        table.add_column(name, justify="right")
    table.add_column("ended")
    for name, one in figures.items():
        turns = f"{one.turns / one.talked:.1f}" if one.talked else "–"
        passed = f"{one.states['pass']} of {one.judged}"
        coverage = f"{one.judged / one.conversations:.0%}" if one.conversations else "–"
        stops = ", ".join(f"{stop} {count}" for stop, count in one.stops.most_common())
        cells = (name, str(one.conversations), passed, coverage, turns, str(one.simulator_leaks), stops)
        table.add_row(*map(printable, cells))
    console = Console(file=sys.stdout)
    console.print(table)
    for name, value in further.items():
        console.print(printable(f"{name}: {json_line(value)}"), markup=False, highlight=False)
