"""Holds the statements that write, built once: SQLAlchemy compiles a statement once and finds it again by identity.

`ON CONFLICT` is spelled the same for SQLite and PostgreSQL, but is no standard SQL, so it comes from the dialect.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, bindparam, insert, or_, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from afterturn.store._direct import Read, Write
from afterturn.store._schema import conclusions, events, judgements, outcomes, sessions, turns

VERDICT_COLUMNS = (
    "status",
    "label",
    "confidence",
    "confidence_source",
    "reason",
    "answered_by",
    "latency_ms",
    "attempt",
    "dropped",
    "temperature",
    "max_tokens",
    "response_format",
    "input_tokens",
    "output_tokens",
    "judged_at",
)


def _due(now: str) -> ColumnElement[bool]:
    """Says which rows may be claimed: those that are due, and those that nobody tried, whatever the clock says now.

    These were due when they came. Where the clock was set back since, they would wait until it has caught up.
    """
    untried = and_(judgements.c.state == "pending", judgements.c.attempts == 0)
    return and_(judgements.c.due_at.is_not(None), or_(judgements.c.due_at <= bindparam(now), untried))


INSERT_TURN = Write(upsert(turns).on_conflict_do_nothing(index_elements=["tenant", "id"]).returning(turns.c.n))
INSERT_SESSION = Write(upsert(sessions).on_conflict_do_nothing(index_elements=["tenant", "id"]))
INSERT_JUDGEMENT = Write(insert(judgements))
INSERT_EVENT = Write(insert(events))
INSERT_OUTCOME = Write(insert(outcomes))
INSERT_CONCLUSION = Write(upsert(conclusions).on_conflict_do_nothing(index_elements=["tenant", "session"]))

# What an update sets is what its parameters name besides the keys.
# What is due is open: a row that has its verdict is never due again, so no verdict is overwritten.
UPDATE_VERDICT = Write(update(judgements).where(judgements.c.n == bindparam("key"), judgements.c.due_at.is_not(None)))
UPDATE_SESSION = Write(
    update(sessions).where(sessions.c.tenant == bindparam("key_tenant"), sessions.c.id == bindparam("key_session"))
)
LEASE_TURN = Write(
    update(judgements)
    .where(judgements.c.turn_n == bindparam("key"), _due("key_now"))
    .values(attempts=judgements.c.attempts + 1)
)

SELECT_SESSION = Read(
    select(sessions)
    .where(sessions.c.tenant == bindparam("tenant"), sessions.c.id == bindparam("session"))
    .with_for_update()
)
SELECT_OPEN = Read(
    select(judgements.c.n, judgements.c.classifier, judgements.c.version, judgements.c.judge)
    .where(judgements.c.turn_n == bindparam("turn_n"), judgements.c.due_at.is_not(None))
    .with_for_update()
)  # in no order: sorting a few rows is cheaper where they are read
ANY_DUE = Read(select(judgements.c.n).where(_due("now")).order_by(judgements.c.due_at).limit(1))
# Walks the index of what is due only as far as needed: after a bulk import it is long.
DUE_TURNS = Read(
    select(judgements.c.turn_n)
    .where(_due("now"))
    .order_by(judgements.c.due_at, judgements.c.n)
    .limit(bindparam("rows"))
    .with_for_update(skip_locked=True)
)
DUE_OF_TURN = Read(
    select(judgements).where(judgements.c.turn_n == bindparam("turn_n"), _due("now")).order_by(judgements.c.n)
)
SELECT_TURN = Read(select(turns).where(turns.c.n == bindparam("n")))
