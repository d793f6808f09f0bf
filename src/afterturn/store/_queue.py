"""Hands out the open work by leases, and takes it back.

`due_at` says when a row may be claimed next: at once while it is pending, later while it waits for another attempt, at
the end of its lease while it runs. So a worker that died needs no recovery: its rows simply fall due again. Nothing
here asks who or where the dead worker was.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, select, update

from afterturn import failopen
from afterturn.calls import Planned
from afterturn.errors import ErrorCode
from afterturn.store import _histograms, _sessions
from afterturn.store._codec import turn_of, verdict_columns
from afterturn.store._direct import Row
from afterturn.store._records import Claim, TurnOrder
from afterturn.store._schema import judgements
from afterturn.store._sql import ANY_DUE, DUE_OF_TURN, DUE_TURNS, LEASE_TURN, SELECT_TURN, UPDATE_VERDICT
from afterturn.store._verdicts import failed
from afterturn.store.events import failure_event
from afterturn.turns import Agent, Turn
from afterturn.verdicts import Verdict

_ROWS_A_TURN = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Claims:
    """Is what a claim gives: work, and the verdicts of what was given up because its attempts are used up."""

    claims: tuple[Claim, ...] = ()
    dead: tuple[Verdict, ...] = ()


def anything_due(connection: Connection, now: datetime) -> bool:
    """Says whether there is work that may be claimed."""
    return ANY_DUE.first(connection, {"now": now}) is not None


def claim(
    connection: Connection, *, owner: str, lease_s: float, limit: int, max_attempts: int, now: datetime
) -> Claims:
    """Leases the open questions of up to `limit` turns, the longest due first."""
    due = DUE_TURNS.rows(connection, {"now": now, "rows": limit * _ROWS_A_TURN})
    numbers = list(dict.fromkeys(row["turn_n"] for row in due))[:limit]
    claims: list[Claim] = []
    dead: list[Verdict] = []
    for number in numbers:
        rows = DUE_OF_TURN.rows(connection, {"turn_n": number, "now": now})
        keys = {"key": number, "key_now": now}
        LEASE_TURN.run(
            connection, [keys | {"state": "running", "owner": owner, "due_at": now + timedelta(seconds=lease_s)}]
        )
        turn_row = SELECT_TURN.rows(connection, {"n": number})[0]
        spent = [row for row in rows if row["attempts"] >= max_attempts]
        fresh = [row for row in rows if row["attempts"] < max_attempts]
        dead += _bury(connection, spent, _husk(turn_row), "timeout", now)
        turn = _readable(turn_row) if fresh else None
        if turn is not None:
            claims.append(_claim_of(turn, turn_row, fresh, owner))
        else:
            dead += _bury(connection, fresh, _husk(turn_row), "invalid_json", now)
    return Claims(claims=tuple(claims), dead=tuple(dead))


def heartbeat(
    connection: Connection, *, owner: str, keys: Collection[int], lease_s: float, now: datetime
) -> frozenset[int]:
    """Prolongs the leases that the owner still holds, and gives their keys."""
    held = and_(judgements.c.turn_n.in_(keys), judgements.c.owner == owner, judgements.c.state == "running")
    connection.execute(update(judgements).where(held).values({"due_at": now + timedelta(seconds=lease_s)}))
    return frozenset(connection.execute(select(judgements.c.turn_n).where(held)).scalars())


def release(connection: Connection, claimed: Claim, *, now: datetime) -> None:
    """Gives a lease back unused: the work is due at once, and this was no attempt."""
    values: dict[str, object] = {
        "state": "pending",
        "owner": None,
        "due_at": now,
        "attempts": judgements.c.attempts - 1,
    }
    connection.execute(update(judgements).where(_held(claimed)).values(values))


def fail(
    connection: Connection, claimed: Claim, *, code: ErrorCode, delay_s: float, max_attempts: int, now: datetime
) -> tuple[Verdict, ...]:
    """Gives work back after a failed attempt: due again after a delay, or a dead letter after the last attempt.

    Returns:
        The `error` verdicts of the dead letters; empty where another attempt follows.
    """
    if claimed.attempt < max_attempts:
        later: dict[str, object] = {"state": "pending", "owner": None, "due_at": now + timedelta(seconds=delay_s)}
        connection.execute(update(judgements).where(_held(claimed)).values(later))
        return ()
    rows = connection.execute(select(judgements).where(_held(claimed)).order_by(judgements.c.n)).mappings().all()
    return tuple(_bury(connection, rows, claimed.turn, code, now))


def _held(claimed: Claim) -> ColumnElement[bool]:
    return and_(
        judgements.c.turn_n == claimed.key, judgements.c.owner == claimed.owner, judgements.c.state == "running"
    )


def _bury(connection: Connection, rows: Sequence[Row], turn: Turn, code: ErrorCode, now: datetime) -> list[Verdict]:
    """Makes dead letters: each question gets its `error` verdict, so that none is without one."""
    verdicts = [failed(turn, _planned(row), code, attempt=max(row["attempts"], 1), at=now) for row in rows]
    if verdicts:
        columns = [
            verdict_columns(verdict, key=row["n"]) | {"state": "dead"}
            for verdict, row in zip(verdicts, rows, strict=True)
        ]
        UPDATE_VERDICT.run(connection, columns)
        _histograms.count(connection, turn, verdicts)
        _sessions.add_events(connection, turn.tenant, turn.session, [failure_event(one) for one in verdicts])
    return verdicts


def _claim_of(turn: Turn, turn_row: Row, rows: Sequence[Row], owner: str) -> Claim:
    return Claim(
        turn=turn,
        planned=tuple(_planned(row) for row in rows),
        order=TurnOrder(turn_row["created_at"], turn_row["n"]),
        attempt=max(row["attempts"] for row in rows) + 1,
        owner=owner,
    )


def _planned(row: Row) -> Planned:
    return Planned(
        classifier=row["classifier"],
        version=row["version"],
        metric=row["metric"],
        judge=row["judge"],
        plan=row["plan"],
    )


def _readable(row: Row) -> Turn | None:
    """Reads the turn, or gives None: one damaged row must not keep the others from being judged."""
    return failopen.call("store.read_turn", lambda: turn_of(row), lambda _: None, tenant=row["tenant"], turn=row["id"])


def _husk(row: Row) -> Turn:
    """Gives a turn of ids alone, for a verdict about a turn that is not read."""
    return Turn(messages=(), agent=Agent(row["agent"]), tenant=row["tenant"], session=row["session"], id=row["id"])
