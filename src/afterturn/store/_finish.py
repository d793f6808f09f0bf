"""Stores what came of judging a turn: verdicts, outcomes, session, timeline, conclusion; in one transaction, once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import itemgetter

from sqlalchemy import Connection

from afterturn.outcomes import Judgement
from afterturn.store import _histograms, _sessions
from afterturn.store._codec import outcome_json, verdict_columns
from afterturn.store._direct import Row
from afterturn.store._records import Claim, Finished, Fold
from afterturn.store._sql import INSERT_OUTCOME, SELECT_OPEN, UPDATE_VERDICT


def finish(
    connection: Connection, claimed: Claim, answered: Sequence[Judgement], fold: Fold, now: datetime
) -> Finished:
    """Stores the judgements of those questions that are still open; the first to finish wins, whoever holds the lease.

    Returns:
        What was stored. Judgements that nobody waits for any more are not in it and change nothing.
    """
    pairs = _matched(answered, sorted(SELECT_OPEN.rows(connection, {"turn_n": claimed.key}), key=itemgetter("n")))
    if not pairs:
        return Finished()
    columns = [verdict_columns(judgement.verdict, key=number) for judgement, number in pairs]
    UPDATE_VERDICT.run(connection, columns)
    _histograms.count(connection, claimed.turn, [judgement.verdict for judgement, _ in pairs])
    words = [
        {"judgement_n": number, "body": outcome_json(judgement.outcome)}
        for judgement, number in pairs
        if judgement.outcome is not None
    ]
    INSERT_OUTCOME.run(connection, words)
    new = tuple(judgement for judgement, _ in pairs)
    applied = _sessions.fold_in(connection, fold, claimed.order, claimed.turn, new, now)
    return Finished(judgements=new, events=applied.events, conclusion=applied.conclusion)


def _matched(answered: Sequence[Judgement], rows: Iterable[Row]) -> list[tuple[Judgement, int]]:
    """Pairs each judgement with the row of its question.

    A row is planned for one judge; where another answered in its place (a cascade, say), the row is still the one.
    """
    open_rows: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        open_rows.setdefault((row["classifier"], row["version"]), []).append(row)
    pairs: list[tuple[Judgement, int]] = []
    for judgement in answered:
        verdict = judgement.verdict
        same = open_rows.get((verdict.classifier, verdict.version))
        if not same:
            continue
        place = next((n for n, row in enumerate(same) if row["judge"] == verdict.judge), 0) if len(same) > 1 else 0
        row = same.pop(place)
        pairs.append((judgement, row["n"]))
    return pairs
