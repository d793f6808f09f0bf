"""Holds the statements that write, built once: SQLAlchemy compiles a statement once and finds it again by identity.

`ON CONFLICT` is spelled the same for SQLite and PostgreSQL, but is no standard SQL, so it comes from the dialect.
"""

from __future__ import annotations

from sqlalchemy import bindparam, insert, update
from sqlalchemy.dialects.sqlite import insert as upsert

from afterturn.store._insert import Insert
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

INSERT_TURN = Insert(upsert(turns).on_conflict_do_nothing(index_elements=["tenant", "id"]).returning(turns.c.n), turns)
INSERT_SESSION = Insert(upsert(sessions).on_conflict_do_nothing(index_elements=["tenant", "id"]), sessions)
INSERT_JUDGEMENT = Insert(insert(judgements), judgements)
INSERT_EVENT = Insert(insert(events), events)
INSERT_OUTCOME = Insert(insert(outcomes), outcomes)
INSERT_CONCLUSION = Insert(
    upsert(conclusions).on_conflict_do_nothing(index_elements=["tenant", "session"]), conclusions
)

# What an update sets is what its parameters name besides the keys.
# What is due is open: a row that has its verdict is never due again, so no verdict is overwritten.
UPDATE_VERDICT = update(judgements).where(judgements.c.n == bindparam("key"), judgements.c.due_at.is_not(None))
UPDATE_SESSION = update(sessions).where(
    sessions.c.tenant == bindparam("key_tenant"), sessions.c.id == bindparam("key_session")
)
