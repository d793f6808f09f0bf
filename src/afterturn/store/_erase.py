"""Removes the text of turns, on request or when it has expired; ids and verdicts stay.

What goes: the body of a turn, what its judgements found in words, the data of its events; and with the last text of a
session its title, categories and handoff. Questions that were still open are closed as skipped: nobody can answer them
any more, and no worker that is at it brings a text back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, select, update

from afterturn.calls import Planned
from afterturn.store import _histograms, _sessions
from afterturn.store._codec import verdict_columns
from afterturn.store._schema import conclusions, events, judgements, outcomes, sessions, turns
from afterturn.store._sql import UPDATE_VERDICT
from afterturn.store._verdicts import skipped
from afterturn.store.events import TEXT_REMOVED, TimelineEvent
from afterturn.turns import Agent, Turn
from afterturn.verdicts import Verdict, is_code

Why = Literal["forgotten", "expired"]
DaysFor = Callable[[str], int | None]
"""Says how many days a tenant's text is kept; None: for good."""

_CONFIGURATION = frozenset(
    {
        *("tenant", "agent", "session", "turn", "created_at", "model", "instructions", "categories"),
        *("category_descriptions", "parent_agent", "conclusion_tool", "tools", "passages", "known_aliases"),
        *("role", "type", "id", "tool_call_id", "alias"),
    }
)
"""Keys of what is no text of the conversation: ids, and what the agent is made of."""

_OF_THE_AGENT = ("system", "developer")


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgotten:
    """Is what was removed.

    Attributes:
        turns: How many turns lost their text now.
        verdicts: The `skipped` verdicts of their open questions, to publish.
        texts: The removed texts, for a search whether they are gone; drop them after it.
    """

    turns: int = 0
    verdicts: tuple[Verdict, ...] = ()
    texts: frozenset[str] = field(default=frozenset(), repr=False)


def forget_session(connection: Connection, tenant: str, session: str, now: datetime) -> Forgotten | None:
    """Removes all text of a session; None where the tenant has no such session."""
    if _sessions.load(connection, tenant, session) is None:
        return None
    mine = and_(turns.c.tenant == tenant, turns.c.session == session, turns.c.erased_at.is_(None))
    forgotten = _remove(connection, connection.execute(select(turns).where(mine)).mappings().all(), "forgotten", now)
    rest = _clear_session(connection, tenant, session)
    _tell(connection, tenant, session, forgotten.turns, "forgotten", now)
    return Forgotten(turns=forgotten.turns, verdicts=forgotten.verdicts, texts=forgotten.texts | rest)


def expired(connection: Connection, days_for: DaysFor, limit: int, now: datetime) -> list[int]:
    """Gives the numbers of turns whose text has expired, up to a limit; days count from when they were stored."""
    found: list[int] = []
    for tenant in _tenants(connection):
        days = days_for(tenant)
        if days is not None and len(found) < limit:
            old = and_(
                turns.c.tenant == tenant,
                turns.c.erased_at.is_(None),
                turns.c.received_at <= now - timedelta(days=days),
            )
            query = select(turns.c.n).where(old).order_by(turns.c.received_at).limit(limit - len(found))
            found += connection.execute(query).scalars()
    return found


def forget_turns(connection: Connection, numbers: Sequence[int], now: datetime) -> Forgotten:
    """Removes the text of turns that have expired, and that of a session with its last turn."""
    query = select(turns).where(turns.c.n.in_(numbers), turns.c.erased_at.is_(None))
    rows = connection.execute(query).mappings().all()
    forgotten = _remove(connection, rows, "expired", now)
    for tenant, session in dict.fromkeys((row["tenant"], row["session"]) for row in rows):
        own = [row["id"] for row in rows if (row["tenant"], row["session"]) == (tenant, session)]
        told = and_(events.c.tenant == tenant, events.c.session == session, events.c.turn.in_(own))
        connection.execute(update(events).where(told).values(data="{}"))
        kept = select(exists().where(turns.c.tenant == tenant, turns.c.session == session, turns.c.erased_at.is_(None)))
        if not connection.execute(kept).scalar_one():
            _clear_session(connection, tenant, session)
        _tell(connection, tenant, session, len(own), "expired", now)
    return forgotten


def _tenants(connection: Connection) -> Iterator[str]:
    """Gives the tenants that have text, one step in the index each: counting all turns would read them all."""
    query = select(func.min(turns.c.tenant)).where(turns.c.erased_at.is_(None))
    tenant = connection.execute(query).scalar_one()
    while tenant is not None:
        yield tenant
        tenant = connection.execute(query.where(turns.c.tenant > tenant)).scalar_one()


def _remove(connection: Connection, rows: Sequence[Any], why: Why, now: datetime) -> Forgotten:
    """Removes bodies and outcomes of turns, and closes their open questions."""
    texts: set[str] = set()
    verdicts: list[Verdict] = []
    for row in rows:
        texts |= {*texts_of(row["body"])}
        of_turn = select(judgements.c.n).where(judgements.c.turn_n == row["n"])
        words = outcomes.c.judgement_n.in_(of_turn)
        for body in connection.execute(select(outcomes.c.body).where(words)).scalars():
            texts |= {*_worded(body)}
        connection.execute(delete(outcomes).where(words))
        verdicts += _close(connection, row, why, now)
        connection.execute(update(turns).where(turns.c.n == row["n"]).values(body="", erased_at=now))
    return Forgotten(turns=len(rows), verdicts=tuple(verdicts), texts=frozenset(texts))


def _close(connection: Connection, row: Any, why: Why, now: datetime) -> list[Verdict]:
    """Gives the open questions of a turn their `skipped` verdict."""
    query = select(judgements).where(judgements.c.turn_n == row["n"], judgements.c.due_at.is_not(None))
    turn = Turn(messages=(), agent=Agent(row["agent"]), tenant=row["tenant"], session=row["session"], id=row["id"])
    waiting = connection.execute(query.order_by(judgements.c.n)).mappings().all()
    verdicts = [skipped(turn, _planned(one, why), now) for one in waiting]
    columns = [verdict_columns(verdict, key=one["n"]) for verdict, one in zip(verdicts, waiting, strict=True)]
    UPDATE_VERDICT.run(connection, columns)
    _histograms.count(connection, turn, verdicts)
    return verdicts


def _planned(row: Any, why: Why) -> Planned:
    return Planned(
        classifier=row["classifier"],
        version=row["version"],
        metric=row["metric"],
        judge=row["judge"],
        plan=row["plan"],
        skip=why,
    )


def _clear_session(connection: Connection, tenant: str, session: str) -> frozenset[str]:
    """Removes what stands in words beside the turns, and gives it."""
    state: ColumnElement[bool] = and_(sessions.c.tenant == tenant, sessions.c.id == session)
    ended: ColumnElement[bool] = and_(conclusions.c.tenant == tenant, conclusions.c.session == session)
    told: ColumnElement[bool] = and_(events.c.tenant == tenant, events.c.session == session)
    texts: set[str] = set()
    for query in (
        select(sessions.c.title, sessions.c.handoff_summary).where(state),
        select(conclusions.c.handoff_summary).where(ended),
    ):
        texts |= {text for row in connection.execute(query) for text in row if text}
    for data in connection.execute(select(events.c.data).where(told)).scalars():
        texts |= {*_worded(data)}
    nothing = {"title": None, "title_pinned": False, "categories": "[]", "sources": "[]", "handoff_summary": None}
    connection.execute(update(sessions).where(state).values(nothing))
    connection.execute(update(conclusions).where(ended).values(handoff_summary=None))
    connection.execute(update(events).where(told).values(data="{}"))
    return frozenset(texts)


def _tell(connection: Connection, tenant: str, session: str, count: int, why: Why, now: datetime) -> None:
    if count:
        event = TimelineEvent(name=TEXT_REMOVED, at=now, data={"turns": count, "reason": why})
        _sessions.add_events(connection, tenant, session, [event])


def _worded(data: str) -> Iterator[str]:
    """Gives the texts of an outcome or an event, which hold codes beside: `by: classifier`, a label of safety."""
    return (text for text in texts_of(data) if not is_code(text))


def texts_of(body: str) -> Iterator[str]:
    """Gives the texts of a stored JSON that are the conversation's own: not ids, and not the agent's configuration."""
    try:
        loaded: object = json.loads(body)
    except ValueError:  # damaged; it is removed all the same
        return
    yield from _leaves(loaded)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from _all(value)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, dict):
        record: dict[str, object] = value  # pyright: ignore[reportUnknownVariableType]
        if record.get("role") in _OF_THE_AGENT:
            return
        named = "arguments" in record  # a call of a tool: its name is the agent's
        yield from _all(
            one for key, one in record.items() if key not in _CONFIGURATION and not (named and key == "name")
        )


def _all(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        yield from _leaves(value)
