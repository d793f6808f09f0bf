"""`afterturn classify`: judges finished turns from a file."""

from __future__ import annotations

import asyncio
import sys
from asyncio import CancelledError
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import PlacedTurn, configured, json_line, note, printable, progress, readable_turns
from afterturn.cli._outputs import refuse_overwriting
from afterturn.errors import OutputError, StoreError

if TYPE_CHECKING:
    from afterturn.classification import Classification
    from afterturn.embedded import Afterturn
    from afterturn.formats import BadLine, Lines


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
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the lines to this file; until all are there, they are in FILE.part."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Who answers: encoder, llama:PATH or provider:model (openai:gpt-…).")
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(
            help="Store turns and verdicts there; without it, nothing is stored, and no run goes on where one stopped."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, also on a terminal.")] = False,
) -> None:
    """Judges turns: title, categories, sources, conclusion, safety and one verdict a question, a line each."""
    asyncio.run(_classify(turns, out, judge, db, as_json=as_json or out is not None or not sys.stdout.isatty()))


async def _classify(path: Path, out: Path | None, judge: str | None, db: str | None, *, as_json: bool) -> None:
    from afterturn.embedded import Afterturn
    from afterturn.formats import line_by_line

    config = configured(judge=judge, db=db, told=("afterturn.turn_known",))  # _tell and _lines say it to the person
    refuse_overwriting({"-o": out}, [path], config)
    skipped: list[BadLine] = []
    counts = _Counts()
    async with Afterturn(config=config) as at:
        with _told_if_stopped(counts, db) as keep, line_by_line(out or "-") as written:
            keep(written)
            with progress("judging turns") as advance:
                turns = readable_turns([path], skipped)
                async with aclosing(_lines(at, turns, config.concurrency, store=db is not None)) as lines:
                    async for line in lines:
                        written.write(json_line(line.to_json()) if as_json else _summary(line))
                        counts.add(line)
                        advance()
    _tell(path, counts, len(skipped))


@contextmanager
def _told_if_stopped(counts: _Counts, db: str | None) -> Generator[Callable[[Lines], None]]:
    """Says, whatever ends the work early (Ctrl-C, a full disk), what is kept of it and how to go on."""
    lines: list[Lines] = []
    try:
        yield lines.append
    except BaseException as error:  # what stopped it is told last
        count, kept = (lines[0].count, lines[0].path) if lines else (0, None)
        unread = isinstance(error, BrokenPipeError) or isinstance(error.__cause__, BrokenPipeError)
        if not unread and (count or isinstance(error, StoreError | CancelledError | KeyboardInterrupt)):
            note(_stopped(counts, db, count, kept, mend=isinstance(error, StoreError | OutputError)))
        raise


def _stopped(counts: _Counts, db: str | None, count: int, kept: Path | None, *, mend: bool) -> str:
    stored = counts.judged - counts.id_taken
    parts = [f"stopped early; until then {counts.judged} turns judged"]
    if db is not None:
        parts.append(f"{stored} of them stored in {db}")
    if count and kept is not None:
        parts.append(f"{count} results are in {kept}")
    if db is None:
        parts.append("a run with --db goes on where it stopped")
    else:
        parts.append(f"{'mend it and run it again' if mend else 'run the same again'}: it goes on from there")
    return "; ".join(parts)


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
