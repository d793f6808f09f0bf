"""`afterturn import` and `afterturn export`: turns into the store and out of it, JSONL or Parquet."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import PlacedTurn, configured, json_line, note, progress, readable_turns
from afterturn.cli._outputs import refuse_overwriting
from afterturn.cli._when import since_option
from afterturn.errors import AfterturnError

if TYPE_CHECKING:
    from afterturn.calls import Planned
    from afterturn.config import Config
    from afterturn.formats import BadLine
    from afterturn.ledger import Sink
    from afterturn.store import Store
    from afterturn.turns import Turn

BATCH_TURNS = 200
_Ready = tuple[PlacedTurn, "Turn", "Sequence[Planned]"]


@dataclass(kw_only=True, slots=True)
class Imported:
    """Counts what became of the lines of the files.

    Attributes:
        stored: Turns that are new in the store.
        known: Turns that the store had already; they are left as they were.
        id_taken: Turns that were not stored since another turn has their id; each was reported.
        bad_lines: Lines that hold no turn; each was reported.
    """

    stored: int = 0
    known: int = 0
    id_taken: int = 0
    bad_lines: int = 0


def import_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILES", help="Turns: JSONL or Parquet, or - for JSONL on stdin.")
    ],
    db: Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as one line of JSON.")] = False,
) -> None:
    """Stores turns with their questions, to be judged by a worker. A turn that is stored already stays as it is."""
    from afterturn.judging import Judging
    from afterturn.ledger import close, open_sinks
    from afterturn.store import open_store

    config = configured(db=db)
    judging = Judging(config)

    def planned(placed: PlacedTurn) -> _Ready:
        plan, judge = judging.plan(placed.turn)
        return placed, plan.turn, plan.rows(judge)

    counts = Imported()
    skipped: list[BadLine] = []
    with open_store(config.db) as store:
        sinks = open_sinks(config.sinks, config.event_names)
        try:
            with progress("storing turns") as advance:
                for batch in _batches(map(planned, readable_turns(files, skipped)), BATCH_TURNS):
                    _store(store, batch, sinks, counts, advance)
        except (AfterturnError, KeyboardInterrupt):
            counts.bad_lines = len(skipped)
            _log(config, counts, whole=False)
            note(f"stopped early; until then {_told(counts, len(skipped))}")  # what stopped it is told last
            raise
        finally:
            close(sinks)
    counts.bad_lines = len(skipped)
    _log(config, counts, whole=True)
    if as_json:
        sys.stdout.write(json_line(asdict(counts)) + "\n")
    note(_told(counts, len(skipped)))


def export_command(
    out: Annotated[Path, typer.Option("--out", "-o", help="JSONL, or Parquet by its ending; - is stdout.")] = Path("-"),
    db: Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Only turns of this tenant.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only turns of this agent.")] = None,
    session: Annotated[str | None, typer.Option(help="Only turns of this session.")] = None,
    since: Annotated[str | None, typer.Option(help="Only turns from then on: a date, a time, or 30m, 24h, 7d.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, as they are in any case.")] = False,
) -> None:
    """Writes stored turns to a file, in the order in which they were stored."""
    from afterturn.formats import write_any
    from afterturn.store import Filter, open_to_read

    del as_json  # export has one form; the option is there since every command takes it
    config = configured(db=db)
    refuse_overwriting({"-o": out}, config=config)
    narrow = Filter(tenant=tenant, agent=agent, session=session, since=since_option(since))
    with open_to_read(config.db) as store, progress("exporting turns") as advance:
        count = write_any(_counted(store.turns(narrow), advance), out)
    note(f"{count} turns exported")


def _log(config: Config, counts: Imported, *, whole: bool) -> None:
    from afterturn.ledger import log_import

    if "log" in config.sinks:
        log_import(asdict(counts), whole=whole, event_names=config.event_names)


def _told(counts: Imported, bad_lines: int) -> str:
    taken = f"{counts.id_taken} turns have the id of another turn, " if counts.id_taken else ""
    return f"{counts.stored} turns stored, {counts.known} known already, {taken}{bad_lines} bad lines skipped"


def _store(
    store: Store,
    batch: Sequence[_Ready],
    sinks: Iterable[Sink],
    counts: Imported,
    advance: Callable[[], None],
) -> None:
    from afterturn.worker import ingest_many, same_as_stored

    new = ingest_many(store, [(turn, planned) for _, turn, planned in batch], sinks=sinks)
    for is_new, (placed, turn, _) in zip(new, batch, strict=True):
        if is_new:
            counts.stored += 1
        elif same_as_stored(store, turn):
            counts.known += 1
        else:
            counts.id_taken += 1
            placed.tell_taken()
        advance()


def _batches(pairs: Iterable[_Ready], size: int) -> Iterator[list[_Ready]]:
    """Gathers turns for one transaction each. What was read before a file broke is stored before the error shows."""
    batch: list[_Ready] = []
    rest = iter(pairs)
    while True:
        try:
            batch.append(next(rest))
        except StopIteration:
            break
        except BaseException:
            if batch:
                yield batch
            raise
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _counted(turns: Iterable[Turn], advance: Callable[[], None]) -> Iterator[Turn]:
    for turn in turns:
        advance()
        yield turn
