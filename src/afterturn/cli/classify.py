"""`afterturn classify`: judges finished turns from a file."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import PlacedTurn, configured, json_line, note, output, printable, progress, readable_turns
from afterturn.errors import StoreError

if TYPE_CHECKING:
    from afterturn.classification import Classification
    from afterturn.embedded import Afterturn
    from afterturn.formats import BadLine


@dataclass(kw_only=True, slots=True)
class _Counts:
    """Counts what became of the lines of the file.

    Attributes:
        judged: Turns that were judged now.
        known: Turns that the store had already.
        id_taken: Turns that were judged and not stored, since another turn has their id.
        failed: Questions that ended in an error, by its code.
    """

    judged: int = 0
    known: int = 0
    id_taken: int = 0
    failed: Counter[str] = field(default_factory=Counter[str])

    def add(self, line: Classification) -> None:
        """Counts one turn."""
        self.known += line.known
        self.id_taken += line.id_taken
        self.judged += not line.known
        self.failed.update(str(verdict.reason) for verdict in line.verdicts if verdict.status == "error")


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
    counts = _Counts()
    async with Afterturn(config=config) as at:
        with output(out) as stream, progress("judging turns") as advance:
            turns = readable_turns([path], skipped)
            async with aclosing(_lines(at, turns, config.concurrency, store=db is not None)) as lines:
                async for line in _until_refused(lines, counts, out):
                    stream.write((json_line(line.to_json()) if as_json else _summary(line)) + "\n")
                    counts.add(line)
                    advance()
    _tell(path, counts, len(skipped))


async def _until_refused(
    lines: AsyncIterator[Classification], counts: _Counts, out: Path | None
) -> AsyncIterator[Classification]:
    """Gives all lines; where the database ends them, says first what had come until then and what to do."""
    try:
        async for line in lines:
            yield line
    except StoreError:  # what stopped it is told last
        unwritten = "" if out is None else f"; {out} was not written"
        note(f"stopped early; until then {counts.judged} turns judged and stored{unwritten}; mend it and run it again")
        raise


def _tell(path: Path, counts: _Counts, bad_lines: int) -> None:
    """Says to the person at the terminal what came of it, and what may not be what was wanted."""
    if counts.known:
        note(f"{counts.known} turns were stored already: their stored verdicts are shown")
    if bad_lines and not counts.known + counts.judged:
        note(f"{path}: no line holds a turn, so nothing was judged; see the lines above")
    parts = [f"{counts.judged} turns judged"]
    if counts.id_taken:
        parts.append(f"{counts.id_taken} of them not stored: they have the id of another turn")
    if counts.failed:
        codes = ", ".join(f"{code} {count}" for code, count in counts.failed.most_common())
        parts.append(f"{counts.failed.total()} questions failed ({codes})")
    if bad_lines:
        parts.append(f"{bad_lines} bad lines skipped")
    note(", ".join(parts))


async def _lines(
    at: Afterturn, turns: Iterable[PlacedTurn], at_once: int, *, store: bool
) -> AsyncGenerator[Classification]:
    """Judges a few turns at a time and gives them in the order of the file."""

    async def judged(placed: PlacedTurn) -> Classification:
        line = await at.classify_async(placed.turn, store=store)
        if line.id_taken:
            placed.tell_taken()
        return line

    rest = iter(turns)
    running = [asyncio.ensure_future(judged(turn)) for turn in islice(rest, at_once)]
    try:
        while running:
            yield await running[0]
            del running[0]
            running.extend(asyncio.ensure_future(judged(turn)) for turn in islice(rest, 1))
    finally:  # where one ended it all, the others end before the database is closed, and their errors are seen
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _summary(line: Classification) -> str:
    sources = ", ".join(f"{source.alias} ({source.how})" for source in line.sources)
    states = " ".join(f"{verdict.classifier}={verdict.reason or verdict.status}" for verdict in line.verdicts)
    parts = (line.turn, line.title or "no title", ", ".join(line.categories or ()), sources, states)
    return printable(" · ".join(part for part in parts if part))
