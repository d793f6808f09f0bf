"""Stores a turn with its judgement rows: in one transaction, once, however often it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from afterturn.calls import Planned
from afterturn.errors import UsageError
from afterturn.outcomes import Judgement
from afterturn.store import _histograms, _sessions
from afterturn.store._codec import Columns, turn_json, verdict_columns
from afterturn.store._records import Fold, Lease, TurnOrder
from afterturn.store._sql import INSERT_JUDGEMENT, INSERT_TURN, VERDICT_COLUMNS
from afterturn.store._verdicts import skipped
from afterturn.store.events import TimelineEvent
from afterturn.turns import Turn
from afterturn.verdicts import Verdict

_NO_VERDICT: Columns = dict.fromkeys(VERDICT_COLUMNS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """Is a turn made ready to store, before any lock is taken.

    Attributes:
        turn: The turn.
        planned: Its questions.
        events: What its timeline shall show.
        row: Its columns.
        now: When it arrived.
    """

    turn: Turn
    planned: Sequence[Planned]
    events: Sequence[TimelineEvent]
    row: Columns
    now: datetime


def prepare(turn: Turn, planned: Sequence[Planned], events: Sequence[TimelineEvent], now: datetime) -> Prepared:
    """Checks a turn and writes its columns.

    Raises:
        UsageError: The turn lacks its ids, or two planned questions are the same.
        TurnFormatError: The turn could not be read back.
    """
    _check(turn, planned)
    created_at = turn.created_at or now
    row: Columns = {
        "tenant": turn.tenant,
        "id": turn.id,
        "session": turn.session,
        "agent": turn.agent.id,
        "created_at": created_at if created_at.tzinfo else created_at.replace(tzinfo=UTC),
        "received_at": now,
        "complete": turn.reply is None or turn.reply.complete,
        "body": turn_json(turn),
    }
    return Prepared(turn=turn, planned=planned, events=events, row=row, now=now)


def add(connection: Connection, ready: Prepared, fold: Fold | None, lease: Lease | None = None) -> TurnOrder | None:
    """Stores one turn inside a write transaction.

    Args:
        connection: A connection in that transaction.
        ready: The turn.
        fold: Applies what the turn itself says to its session.
        lease: Who holds its open questions from the start; None where nobody does.

    Returns:
        The turn's place, or None where the tenant already has a turn of this id; then nothing changes.
    """
    turn, planned, now = ready.turn, ready.planned, ready.now
    number = INSERT_TURN.returning(connection, ready.row)
    if number is None:
        return None
    created_at = ready.row["created_at"]
    order = TurnOrder(created_at, number)
    verdicts = [skipped(turn, one, now) if one.skip else None for one in planned]
    rows = [_judgement_row(*pair, number, now, lease) for pair in zip(planned, verdicts, strict=True)]
    INSERT_JUDGEMENT.run(connection, rows)
    skips = [verdict for verdict in verdicts if verdict is not None]
    _histograms.count(connection, turn, skips)
    _sessions.add_events(connection, turn.tenant, turn.session, ready.events)
    if fold is None:
        _sessions.begin(connection, turn, created_at)
    else:
        judgements = [Judgement(verdict=one) for one in skips]
        _sessions.fold_in(connection, fold, order, turn, judgements, now)
    return order


def _judgement_row(
    planned: Planned, verdict: Verdict | None, number: int, now: datetime, lease: Lease | None
) -> Columns:
    """Gives the row of a planned question; one that is skipped has its verdict at once."""
    row: Columns = {
        "turn_n": number,
        "classifier": planned.classifier,
        "version": planned.version,
        "judge": planned.judge,
        "plan": planned.plan,
        "metric": planned.metric,
        "state": "pending",
        "due_at": now,
        "owner": None,
        "attempts": 0,
    }
    if verdict is not None:
        return row | verdict_columns(verdict)
    if lease is not None:
        due_at = now + timedelta(seconds=lease.lease_s)
        row |= {"state": "running", "due_at": due_at, "owner": lease.owner, "attempts": 1}
    return row | _NO_VERDICT


def _check(turn: Turn, planned: Sequence[Planned]) -> None:
    if not turn.id or not turn.session or not turn.tenant:
        raise UsageError("a turn is stored under its ids: give it a tenant, a session and an id")
    keys = {(one.classifier, one.version, one.judge) for one in planned}
    if len(keys) < len(planned):
        raise UsageError("a turn's planned questions differ in classifier, version or judge; leave the double one out")
