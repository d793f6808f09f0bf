"""Reads and writes the state of sessions, their timelines, and the conclusions that a hook must hear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import Connection, RowMapping, and_, func, select, update

from afterturn.outcomes import Judgement
from afterturn.store._codec import data_of, session_columns, session_of, to_json
from afterturn.store._records import Applied, Conclusion, Fold, SessionState, TurnOrder
from afterturn.store._schema import conclusions, events
from afterturn.store._sql import INSERT_CONCLUSION, INSERT_EVENT, INSERT_SESSION, SELECT_SESSION, UPDATE_SESSION
from afterturn.store.events import TimelineEvent, renamed
from afterturn.turns import Turn


def load(connection: Connection, tenant: str, session: str) -> SessionState | None:
    """Reads the state of a session, or None where no turn of it is stored."""
    row = SELECT_SESSION.first(connection, {"tenant": tenant, "session": session})
    return None if row is None else session_of(row)


def begin(connection: Connection, turn: Turn, at: datetime, state: SessionState | None = None) -> None:
    """Stores the session of a turn, where it is not stored yet."""
    row = {"tenant": turn.tenant, "id": turn.session, "agent": turn.agent.id, "created_at": at}
    INSERT_SESSION.run(connection, [row | session_columns(state or _new(turn))])


def save(connection: Connection, state: SessionState) -> None:
    """Writes the state of a stored session."""
    keys = {"key_tenant": state.tenant, "key_session": state.session}
    UPDATE_SESSION.run(connection, [keys | session_columns(state)])


def pin_title(connection: Connection, tenant: str, session: str, title: str | None) -> bool:
    """Sets the title for good, or with None lets judgements set it again; False where there is no such session."""
    state = load(connection, tenant, session)
    if state is None:
        return False
    save(connection, replace(state, title=title or state.title, title_pinned=title is not None))
    return True


def fold_in(
    connection: Connection, fold: Fold, order: TurnOrder, turn: Turn, judgements: Sequence[Judgement], now: datetime
) -> Applied:
    """Folds judgements into the session of their turn and stores what came of it."""
    state = load(connection, turn.tenant, turn.session)
    applied = fold(state or _new(turn), order, turn, judgements)
    if state is None:
        begin(connection, turn, order.created_at, applied.state)
    elif applied.state != state:
        save(connection, applied.state)
    add_events(connection, turn.tenant, turn.session, applied.events)
    if applied.conclusion is not None:
        _add_conclusion(connection, applied.conclusion, now)
    return applied


def add_events(connection: Connection, tenant: str, session: str, happened: Sequence[TimelineEvent]) -> None:
    """Stores events of a session's timeline."""
    if not happened:
        return
    rows = [
        {
            "tenant": tenant,
            "session": session,
            "turn": event.turn,
            "name": event.name,
            "at": event.at,
            "data": to_json(event.data),
        }
        for event in happened
    ]
    INSERT_EVENT.run(connection, rows)


def timeline(connection: Connection, tenant: str, session: str, names: Mapping[str, str]) -> Iterator[TimelineEvent]:
    """Gives the events of a session in the order of their time, then of their arrival."""
    query = (
        select(events).where(events.c.tenant == tenant, events.c.session == session).order_by(events.c.at, events.c.n)
    )
    for row in connection.execute(query).mappings():
        event = TimelineEvent(name=row["name"], at=row["at"], turn=row["turn"], data=data_of(row["data"]))
        yield renamed(event, names)


def claim_conclusion(connection: Connection, *, lease_s: float, now: datetime) -> tuple[Conclusion, int] | None:
    """Leases the next conclusion that the hook has not heard; gives it with the number of this attempt."""
    due = (
        select(conclusions)
        .where(conclusions.c.due_at <= now)
        .order_by(conclusions.c.due_at)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    row = connection.execute(due).mappings().one_or_none()
    if row is None:
        return None
    attempt = row["attempts"] + 1
    _set_conclusion(connection, row, attempts=attempt, due_at=now + timedelta(seconds=lease_s))
    return _conclusion_of(row), attempt


def conclusion_due(connection: Connection, now: datetime) -> bool:
    """Says whether a hook has something to hear now."""
    query = select(conclusions.c.turn).where(conclusions.c.due_at <= now).limit(1)
    return connection.execute(query).first() is not None


def unheard(connection: Connection) -> int:
    """Counts the conclusions that the hook shall still hear."""
    query = select(func.count()).select_from(conclusions).where(conclusions.c.due_at.is_not(None))
    return connection.execute(query).scalar_one()


def conclusion_heard(connection: Connection, conclusion: Conclusion) -> None:
    """Records that the hook heard a conclusion."""
    _set_conclusion(connection, _key(conclusion), state="delivered", due_at=None)


def conclusion_unheard(connection: Connection, conclusion: Conclusion, *, delay_s: float | None, now: datetime) -> None:
    """Records that the hook failed: due again after the delay, or given up."""
    if delay_s is None:
        _set_conclusion(connection, _key(conclusion), state="failed", due_at=None)
    else:
        _set_conclusion(connection, _key(conclusion), due_at=now + timedelta(seconds=delay_s))


def _key(conclusion: Conclusion) -> dict[str, str]:
    return {"tenant": conclusion.tenant, "session": conclusion.session}


def _new(turn: Turn) -> SessionState:
    return SessionState(tenant=turn.tenant, session=turn.session, agent=turn.agent.id)


def _add_conclusion(connection: Connection, conclusion: Conclusion, now: datetime) -> None:
    row = {
        "tenant": conclusion.tenant,
        "session": conclusion.session,
        "agent": conclusion.agent,
        "parent": conclusion.parent,
        "turn": conclusion.turn,
        "handoff_summary": conclusion.handoff_summary,
        "state": "due",
        "due_at": now,
        "attempts": 0,
        "created_at": now,
    }
    INSERT_CONCLUSION.run(connection, [row])


def _set_conclusion(connection: Connection, row: RowMapping | Mapping[str, str], **values: object) -> None:
    key = and_(conclusions.c.tenant == row["tenant"], conclusions.c.session == row["session"])
    connection.execute(update(conclusions).where(key).values(values))


def _conclusion_of(row: RowMapping) -> Conclusion:
    return Conclusion(
        tenant=row["tenant"],
        session=row["session"],
        agent=row["agent"],
        parent=row["parent"],
        turn=row["turn"],
        handoff_summary=row["handoff_summary"],
    )
