"""`afterturn review`: people say of turns whether there was something to find, and how good the judge is follows."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterturn.cli._common import configured, json_line, note
from afterturn.cli._narrow import days_option, one_version
from afterturn.cli._outputs import refuse_overwriting
from afterturn.cli._reviewer import check_reviewer
from afterturn.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from afterturn.store import Filter, ReviewSample, SampledTurn, Store

INCONCLUSIVE = 3
SIZE = 200


def review_command(
    classifier: Annotated[str | None, typer.Option(help="Which question: the name of a classifier.")] = None,
    reviewer: Annotated[str | None, typer.Option(help="Who you are; it is stored with your answers.")] = None,
    db: Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")] = None,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    version: Annotated[str | None, typer.Option(help="Only this version of the classifier.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Only judged from then on: a date, or 7d; whole days in UTC.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Only judged before then; whole days in UTC.")] = None,
    size: Annotated[
        int | None,
        typer.Option(min=1, max=100_000, help=f"How many turns to draw; by default as many as last, at first {SIZE}."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed draws the same turns; by default the last, at first 0.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Draw again from what was judged since; answers are kept.")
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option(
            help='Import labels: JSONL of {"turn", "classifier", "label": true or false}, `tenant` and `reviewer` may '
            "be there too."
        ),
    ] = None,
    export: Annotated[Path | None, typer.Option(help="Write the stored labels to a file; - for stdout.")] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Show rates of the judge, and how far people and judge agree.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout; turns are then shown on stderr.")
    ] = False,
) -> None:
    """Shows judged turns to you, drawn by confidence, and stores what you say of them.

    This shows text of conversations: run it only where you may read them. Answers are stored one by one, so you can
    quit at any time; the next run goes on. The judge's answer is not shown. Exit code 3: there is nothing to review or
    report.
    """
    from afterturn.store import Filter, open_store

    if sum((labels is not None, export is not None, report)) > 1:
        raise UsageError("give one of --labels, --export and --report")
    who = None if reviewer is None else check_reviewer(reviewer)
    begin, end = days_option(since, until)
    config = configured(db=db)
    refuse_overwriting({"--export": export}, config=config)
    narrow = Filter(tenant=tenant, agent=agent, classifier=classifier, version=version)
    as_json = as_json or not sys.stdout.isatty()
    with open_store(config.db, create=False) as store:
        if labels is not None or export is not None:
            _exchange(store, narrow, labels, export, who, as_json=as_json)
            return
        narrow = replace(_exact(store, narrow), since=begin, until=end)
        if report:
            _report(store, narrow, as_json=as_json)
            return
        if who is None:
            raise UsageError("give --reviewer NAME: who you are is stored with your answers")
        told = _review(store, narrow, who, screen=_screen(as_json), size=size, seed=seed, again=again)
    if as_json:
        sys.stdout.write(json_line(told) + "\n")
    else:
        note(f"{told['answered']} answers stored; {told['left']} of {told['drawn']} turns left")
    if not told["drawn"]:
        note(f"nothing to review: {told['expired']} judged turns, the text of all of them is gone")
        raise typer.Exit(INCONCLUSIVE)


def _screen(as_json: bool) -> Console:
    """Gives what turns are shown on: where stdout is for JSON, stderr, so that whoever parses it reads nothing else."""
    from rich.console import Console

    return Console(stderr=as_json, markup=False, emoji=False, highlight=False)


def _exact(store: Store, narrow: Filter) -> Filter:
    """Fills in the version, where there is but one."""
    if narrow.classifier is None:
        raise UsageError("give --classifier: which question is to be reviewed")
    return replace(narrow, version=one_version(store.histograms(narrow), narrow.classifier))


def _exchange(
    store: Store, narrow: Filter, labels: Path | None, export: Path | None, who: str | None, *, as_json: bool
) -> None:
    from afterturn.cli._label_files import export_labels, import_labels

    if labels is not None:
        told = import_labels(store, labels, classifier=narrow.classifier, tenant=narrow.tenant, reviewer=who)
    elif export is not None:
        told = export_labels(store, export, classifier=narrow.classifier, tenant=narrow.tenant, agent=narrow.agent)
    else:
        return
    if as_json and str(export) != "-":
        sys.stdout.write(json_line(told) + "\n")
    else:
        note(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in told.items()))


def _report(store: Store, narrow: Filter, *, as_json: bool) -> None:
    from afterturn.cli._review_report import report, show

    told = report(store, narrow)
    if as_json:
        sys.stdout.write(json_line(told) + "\n")
    else:
        show(told)
    if not told["reviewers"]:
        note("no labels: run afterturn review, or import some with --labels")
        raise typer.Exit(INCONCLUSIVE)


def _review(
    store: Store, narrow: Filter, who: str, *, screen: Console, size: int | None, seed: int | None, again: bool
) -> dict[str, Any]:
    from afterturn.store import majority

    sample = None if again else _begun(store, narrow, size=size, seed=seed)
    if sample is None:
        sample = _drawn(store, narrow, who, size=size, seed=seed)
    turns = store.reviews.turns(sample)
    given = store.reviews.labels(sample.classifier)
    mine = {label.key for label in given if label.reviewer == who}
    _, tied = majority(given)
    waiting = [turn for turn in turns if turn.readable and turn.key not in mine]
    waiting.sort(key=lambda turn: turn.key not in tied)  # what others disagree on is decided first
    answered = _asked(store, sample, waiting, who, screen, drawn=len(turns))
    return {
        "classifier": sample.classifier,
        "version": sample.version,
        "reviewer": who,
        "sample": sample.number,
        "seed": sample.seed,
        "turns": sum(sample.frame.values()),
        "drawn": len(turns),
        "answered": answered,
        "left": len(waiting) - answered,
        "contradictory": sum(turn.key in tied for turn in waiting),
        "unreadable": sum(not turn.readable for turn in turns),
        "expired": sample.expired,
    }


def _begun(store: Store, narrow: Filter, *, size: int | None, seed: int | None) -> ReviewSample | None:
    """Gives the newest sample of this traffic that is of the period, seed and size asked for, where they are."""
    dated = narrow.since is not None or narrow.until is not None
    for sample in store.reviews.samples(narrow):
        if dated and (sample.since, sample.until) != (narrow.since, narrow.until):
            continue
        if seed in (None, sample.seed) and (size is None or sample.size >= size):
            return sample
    return None


def _drawn(store: Store, narrow: Filter, who: str, *, size: int | None, seed: int | None) -> ReviewSample:
    """Draws a sample, as large and with the seed of the last of this traffic where nothing else is asked for."""
    last = next(iter(store.reviews.samples(narrow)), None)
    size = size or (last.size if last else SIZE)
    if seed is None:
        seed = last.seed if last else 0
    return store.reviews.draw(narrow, size=size, seed=seed, reviewer=who)


def _asked(
    store: Store, sample: ReviewSample, waiting: list[SampledTurn], who: str, screen: Console, *, drawn: int
) -> int:
    """Asks about turns until all are answered or the person quits; each answer is stored at once."""
    from afterturn.cli._review_screen import ask, show

    answered = 0
    for place, one in enumerate(waiting, start=drawn - len(waiting) + 1):
        turn = store.turn(one.tenant, one.turn)
        if turn is None:  # its text went while we looked at others
            continue
        show(turn, sample.classifier, screen, place=f"turn {place} of {drawn}")
        try:
            said = ask(sample.classifier, screen)
        except KeyboardInterrupt:
            screen.print()
            break
        if said == "quit":
            break
        if said != "skip":
            store.reviews.label({one.key: said}, sample.classifier, reviewer=who)
            answered += 1
    return answered
