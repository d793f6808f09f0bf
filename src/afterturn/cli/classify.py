"""`afterturn classify`: judges finished turns from a file."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import configured, json_line, note, output, printable, progress, readable_turns

if TYPE_CHECKING:
    from afterturn.classification import Classification
    from afterturn.embedded import Afterturn
    from afterturn.formats import BadLine
    from afterturn.turns import Turn


def classify_command(
    turns: Annotated[Path, typer.Argument(metavar="TURNS", help="Turns: JSONL or Parquet, or - for JSONL on stdin.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the lines to this file.")] = None,
    judge: Annotated[
        str | None, typer.Option(help="Who answers: encoder, llama:PATH or provider:model (openai:gpt-…).")
    ] = None,
    db: Annotated[
        str | None, typer.Option(help="Store turns and verdicts there; without it, nothing is stored.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, also on a terminal.")] = False,
) -> None:
    """Judges turns: title, categories, sources, conclusion, safety and one verdict a question, a line each."""
    asyncio.run(_classify(turns, out, judge, db, as_json=as_json or out is not None or not sys.stdout.isatty()))


async def _classify(path: Path, out: Path | None, judge: str | None, db: str | None, *, as_json: bool) -> None:
    from afterturn.embedded import Afterturn

    config = configured(judge=judge, db=db)
    skipped: list[BadLine] = []
    judged = 0
    async with Afterturn(config=config) as at:
        with output(out) as stream, progress("judging turns") as advance:
            async for line in _lines(at, readable_turns([path], skipped), config.concurrency, store=db is not None):
                stream.write((json_line(line.to_json()) if as_json else _summary(line)) + "\n")
                judged += 1
                advance()
    note(f"{judged} turns judged" + (f", {len(skipped)} bad lines skipped" if skipped else ""))


async def _lines(at: Afterturn, turns: Iterable[Turn], at_once: int, *, store: bool) -> AsyncIterator[Classification]:
    """Judges a few turns at a time and gives them in the order of the file."""
    rest = iter(turns)
    running = [asyncio.ensure_future(at.classify_async(turn, store=store)) for turn in islice(rest, at_once)]
    while running:
        yield await running.pop(0)
        running.extend(asyncio.ensure_future(at.classify_async(turn, store=store)) for turn in islice(rest, 1))


def _summary(line: Classification) -> str:
    sources = ", ".join(f"{source.alias} ({source.how})" for source in line.sources)
    states = " ".join(f"{verdict.classifier}={verdict.reason or verdict.status}" for verdict in line.verdicts)
    parts = (line.turn, line.title or "no title", ", ".join(line.categories or ()), sources, states)
    return printable(" · ".join(part for part in parts if part))
