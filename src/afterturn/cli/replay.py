"""`afterturn replay`: judges stored turns anew beside the old verdicts, and shows what would change."""

from __future__ import annotations

import asyncio
import importlib
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterturn.cli._common import configured, json_line, note, progress
from afterturn.cli._when import period_option
from afterturn.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterturn.classifiers import Classifier
    from afterturn.config import Config
    from afterturn.replay import Diff, Labels, Replay, ReplayCounts
    from afterturn.store import Filter, Store

STOPPED, INCONCLUSIVE = 1, 3


def replay_command(
    classifier: Annotated[
        list[str], typer.Option(help="What is asked anew: a name, or MODULE:NAME for one of your own; more than once.")
    ],
    db: Annotated[str | None, typer.Option(help="The database: a file; by default AFTERTURN_DB.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Turns from then on: a date, a time, or 30m, 24h, 7d; needed to judge.")
    ] = None,
    until: Annotated[str | None, typer.Option(help="Only turns before then.")] = None,
    version: Annotated[
        str | None, typer.Option(help="The version that you expect to judge; with --diff, the one to compare.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Who answers, in place of the configuration's: encoder, llama:PATH, …")
    ] = None,
    tenant: Annotated[str | None, typer.Option(help="Only this tenant.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many turns, the newest.")] = None,
    rate: Annotated[float | None, typer.Option(help="At most so many turns a second.")] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again what ended in an error in an earlier replay.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Judge nothing: only compare what was replayed.")] = False,
    labels: Annotated[
        Path | None,
        typer.Option(help='Labels of turns drawn at random: JSONL of {"turn", "classifier", "label"}; else reviews.'),
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Compare alerts from this score on, in place of findings."),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of all intervals, 0 to 1.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, also on a terminal.")] = False,
) -> None:
    """Judges stored turns anew under this version or another judge, beside the old verdicts; nothing is switched.

    Run it again to resume: what has its verdict is not judged twice. At the end it shows what would change. Exit code
    1: the judge failed again and again, and the rest was left for another run; 3: --diff found nothing to compare.
    """
    from afterturn.replay import differences
    from afterturn.store import Filter, open_store

    if rate is not None and not rate > 0:
        raise UsageError("--rate is a number of turns a second: give more than 0, such as 5")
    if not 0 < confidence < 1:
        raise UsageError("--confidence is a probability: give a number between 0 and 1, such as 0.95")
    if since is None and not diff:
        raise UsageError("say from when on turns are judged anew, --since 30d for one; --diff judges nothing")
    config = configured(db=db)
    found = [_classifier(name) for name in dict.fromkeys(classifier)]
    begin, end = period_option(since, until)
    narrow = Filter(tenant=tenant, agent=agent, since=begin, until=end)
    known = {one.name: _labels(labels, one.name) for one in found} if labels else None
    counts: ReplayCounts | None = None
    with open_store(config.db, create=False) as store:
        if not diff:
            _check_version(found, version)
            counts = asyncio.run(
                _judged(store, config, found, narrow, judge=judge, limit=limit, rate=rate, retry=retry_errors)
            )
        diffs = [
            one
            for asked in found
            for one in differences(
                store,
                replace(
                    narrow,
                    classifier=asked.name,
                    version=version if diff else asked.version,
                    judge=None if judge is None else _stored_name(judge),
                ),
                labels=known,
                threshold=threshold,
                confidence=confidence,
            )
        ]
    _show(counts, diffs, as_json=as_json or not sys.stdout.isatty())
    if diff and not diffs:
        raise typer.Exit(INCONCLUSIVE)
    if counts is not None and counts.stopped:
        note("the judge failed turn after turn, so the rest was left; run the same again later")
        raise typer.Exit(STOPPED)


async def _judged(
    store: Store,
    config: Config,
    classifiers: Sequence[Classifier],
    narrow: Filter,
    *,
    judge: str | None,
    limit: int | None,
    rate: float | None,
    retry: bool,
) -> ReplayCounts:
    from afterturn.judges import open_judge
    from afterturn.replay import Replay

    if judge is not None:
        open_judge(judge)  # a name that no judge has is an error of the command
    replay = Replay(store, config, classifiers, judge=judge, narrow=narrow, limit=limit, rate=rate)
    if retry:
        note(f"{await asyncio.to_thread(replay.reopen)} failed questions are asked again")
    return await _running(replay)


async def _running(replay: Replay) -> ReplayCounts:
    with progress("judging anew", await asyncio.to_thread(replay.turns)) as advance:
        try:
            return await replay.run(advance, _waiting)
        except asyncio.CancelledError:  # Ctrl-C
            note("stopped early; what was judged until then is stored: run the same again, and it goes on from there")
            raise


def _waiting(turns: int, lease_s: float) -> None:
    note(
        f"{turns} turns are with another replay, which may have died: they are taken over if it gives no sign of life "
        f"for {lease_s:.0f} s"
    )


def _stored_name(judge: str) -> str:
    """Gives the name under which verdicts record a judge: without the path of a model's file, for one."""
    from afterturn.judges import open_judge

    try:
        return open_judge(judge).name
    except ConfigError:
        return judge  # one that is not here may have judged elsewhere


def _show(counts: ReplayCounts | None, diffs: Sequence[Diff], *, as_json: bool) -> None:
    from afterturn.cli._diff import diff_json, show_diffs

    if as_json:
        told = None if counts is None else asdict(counts)
        sys.stdout.write(json_line({"replay": told, "diffs": [diff_json(one) for one in diffs]}) + "\n")
    else:
        show_diffs(diffs)
    if counts is not None:
        skipped, failed = (sum(each.values()) for each in (counts.skips, counts.failures))
        note(
            f"{counts.turns} turns: {counts.judged} judged, {skipped} skipped, {failed} failed; "
            f"{counts.known} questions had their verdict before"
        )
        if counts.known and not diffs:
            note(
                "live traffic was judged by this version and judge, so there is nothing to compare: give another "
                "--judge, or another version as MODULE:NAME"
            )
        if not counts.turns:
            note("no stored turn matches: check --since, --until, --tenant and --agent")


def _labels(file: Path, classifier: str) -> Labels:
    from afterturn.cli._labels import read_labels

    return read_labels(file, classifier).values


def _check_version(classifiers: Sequence[Classifier], version: str | None) -> None:
    other = [one for one in classifiers if version is not None and one.version != version]
    if other:
        told = ", ".join(f"{one.name} has version {one.version}" for one in other)
        raise UsageError(f"{told} here; install the Afterturn that has version {version}, or bring it as MODULE:NAME")


def _classifier(name: str) -> Classifier:
    """Finds a classifier: built in, or of a module that the user names."""
    from afterturn.classifiers import BUILT_IN, Classifier

    module, colon, attribute = name.partition(":")
    if not colon:
        found = next((one for one in BUILT_IN if one.name == name), None)
        if found is None:
            names = ", ".join(one.name for one in BUILT_IN)
            raise UsageError(f"classifier {name} unknown; there are {names}, and MODULE:NAME for your own")
        return found
    sys.path.insert(0, str(Path.cwd()))
    try:
        own = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{name}: cannot be imported ({type(error).__name__}); give MODULE:NAME") from None
    finally:
        sys.path.pop(0)
    if not isinstance(own, Classifier):
        raise UsageError(f"{name}: is no Classifier; give the module's name of one")
    return own
