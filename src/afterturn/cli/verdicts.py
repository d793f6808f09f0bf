"""`afterturn verdicts`: what was decided about turns, and what became of all that were stored."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import configured, json_line, note, printable
from afterturn.cli._counts import show_funnel, show_histograms
from afterturn.cli._csv import write_funnel, write_histograms, write_verdicts
from afterturn.cli._when import period_option
from afterturn.verdicts import Status

if TYPE_CHECKING:
    from afterturn.store import Filter, Store
    from afterturn.verdicts import Verdict

TABLE_ROWS = 50


def verdicts_command(
    db: Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    classifier: Annotated[str | None, typer.Option(help="Only this classifier.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only verdicts of this status.")] = None,
    since: Annotated[str | None, typer.Option(help="Only from then on: a date, a time, or 30m, 24h, 7d.")] = None,
    until: Annotated[str | None, typer.Option(help="Only before then: a date, a time, or 30m, 24h, 7d.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help=f"Only the newest; {TABLE_ROWS} on a terminal, all in JSON by default.")
    ] = None,
    funnel: Annotated[bool, typer.Option("--funnel", help="Count what became of the stored turns instead.")] = False,
    histogram: Annotated[
        bool, typer.Option("--histogram", help="Count them by confidence instead; whole days in UTC.")
    ] = False,
    dead: Annotated[bool, typer.Option("--dead", help="Only questions given up after the last attempt.")] = False,
    replayed: Annotated[
        bool, typer.Option("--replayed", help="What replays made, in place of live traffic; times are the turns'.")
    ] = False,
    judge: Annotated[str | None, typer.Option(help="Only questions for this judge.")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV with a line of names first.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, also on a terminal.")] = False,
) -> None:
    """Shows verdicts, oldest first: ids, enums and numbers, never text of a conversation."""
    from afterturn.store import Filter, open_to_read

    if funnel and status is not None:
        raise typer.BadParameter("a funnel counts every status; leave this out", param_hint="--status")
    if histogram and (funnel or dead or session is not None):
        raise typer.BadParameter("it counts by tenant and agent; leave --funnel, --dead and --session out")
    if as_csv and as_json:
        raise typer.BadParameter("give one of --csv and --json", param_hint="--csv")
    begin, end = period_option(since, until)
    config = configured(db=db)
    narrow = Filter(
        tenant=tenant,
        agent=agent,
        classifier=classifier,
        session=session,
        status=status,
        since=begin,
        until=end,
        replayed=replayed,
        judge=judge,
    )
    as_json = as_json or not sys.stdout.isatty()
    with open_to_read(config.db) as store:
        if funnel:
            counts = store.funnel(narrow)
            write_funnel(counts) if as_csv else show_funnel(counts, as_json=as_json)
            _none_of(bool(counts.stored), "turn")
            if counts.stored and not counts.planned:
                note("no question was planned about these turns: is the classifier called so?")
            return
        if histogram:
            days = store.histograms(narrow)
            write_histograms(days) if as_csv else show_histograms(days, as_json=as_json)
            _none_of(bool(days), "verdict")
            return
        found = iter(_chosen(store, narrow, limit if as_json or as_csv else limit or TABLE_ROWS, dead=dead))
        first = tuple(islice(found, 1))
        _none_of(bool(first), "verdict")
        verdicts = chain(first, found)
        if as_csv:
            write_verdicts(verdicts)
        elif as_json:
            _print_lines(verdicts)
        else:
            _print_table(verdicts)


def _chosen(store: Store, narrow: Filter, limit: int | None, *, dead: bool) -> Iterable[Verdict]:
    """Gives the newest verdicts, the oldest of them first; all of them one by one where there is no limit."""
    if limit is None:
        return store.dead_letters(narrow) if dead else store.verdicts(narrow)
    newest = store.dead_letters(narrow, newest_first=True) if dead else store.verdicts(narrow, newest_first=True)
    return reversed(tuple(islice(newest, limit)))


def _none_of(any_found: bool, what: str) -> None:
    """Says that filters let nothing through: an empty table may be a slip in a name."""
    if not any_found:
        note(f"no {what} under these filters")


def _print_lines(verdicts: Iterable[Verdict]) -> None:
    from afterturn.classification import verdict_to_json

    for verdict in verdicts:
        sys.stdout.write(json_line(verdict_to_json(verdict)) + "\n")


def _print_table(verdicts: Iterable[Verdict]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table()
    for name in ("judged at", "tenant / agent", "session / turn", "classifier", "verdict", "judge"):
        longest = max(map(len, name.split()))  # a cell may be folded anywhere, a heading between its words
        table.add_column(name, overflow="fold", min_width=longest)
    table.add_column("conf.", justify="right", min_width=5)
    table.add_column("ms", justify="right", min_width=2)
    for verdict in verdicts:
        detail = verdict.reason or verdict.label
        table.add_row(
            verdict.created_at.strftime("%Y-%m-%d %H:%M:%S"),
            printable(f"{verdict.tenant} / {verdict.agent}"),
            printable(f"{verdict.session} / {verdict.turn}"),
            verdict.classifier,
            f"{verdict.status} ({detail})" if detail else verdict.status,
            printable(verdict.judge),
            "" if verdict.confidence is None else str(verdict.confidence),
            f"{verdict.latency_ms:.0f}",
        )
    Console(markup=False, emoji=False, highlight=False).print(table)
