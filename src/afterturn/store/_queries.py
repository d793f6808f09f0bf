"""Reads the store: verdicts and turns. Long answers come page by page, so memory stays small.

Each page is a transaction of its own: a long export must not hold up the write-ahead log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, literal_column, select

from afterturn.outcomes import Judgement
from afterturn.store._codec import outcome_of, turn_of, verdict_of
from afterturn.store._direct import Read
from afterturn.store._engine import Database
from afterturn.store._records import Filter
from afterturn.store._schema import judgements, outcomes, turns
from afterturn.turns import Turn
from afterturn.verdicts import Verdict

PAGE_ROWS = 500
PAGE_TURNS = 50

OF_REPLAYS = judgements.c.replayed == literal_column("1")
"""Is written out, not bound: else SQLite would not see that its index of replayed rows serves."""

OF_LIVE = judgements.c.replayed == literal_column("0")

_VERDICTS = select(judgements, turns.c.tenant, turns.c.agent, turns.c.session, turns.c.id.label("turn")).join(
    turns, turns.c.n == judgements.c.turn_n
)

# What every turn asks is compiled once.
_TURN = Read(
    select(turns).where(
        turns.c.tenant == bindparam("of_tenant"), turns.c.id == bindparam("of_id"), turns.c.erased_at.is_(None)
    )
)
_LAST_TURN = Read(
    select(turns)
    .where(
        turns.c.tenant == bindparam("of_tenant"),
        turns.c.session == bindparam("of_session"),
        turns.c.erased_at.is_(None),
    )
    .order_by(turns.c.created_at.desc(), turns.c.n.desc())
    .limit(1)
)
_NUMBER = Read(select(turns.c.n).where(turns.c.tenant == bindparam("of_tenant"), turns.c.id == bindparam("of_id")))
_JUDGED = Read(
    _VERDICTS.add_columns(outcomes.c.body.label("words"))
    .join(outcomes, outcomes.c.judgement_n == judgements.c.n, isouter=True)
    .where(judgements.c.turn_n == bindparam("of_turn"), OF_LIVE)
    .order_by(judgements.c.n)
)
_OPEN = Read(select(func.count().label("open")).select_from(judgements).where(judgements.c.due_at.is_not(None)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """Is what is known of a stored turn so far: its judgements, and how many of its questions are still open."""

    judgements: tuple[Judgement, ...]
    open: int


def verdicts(database: Database, narrow: Filter, *, newest_first: bool, dead: bool) -> Iterator[Verdict]:
    """Gives the verdicts, in the order in which their questions were stored."""
    query = _VERDICTS.where(judgements.c.status.is_not(None), *verdict_conditions(narrow))
    if dead:
        query = query.where(judgements.c.state == "dead")
    for row in _paged(database, query, judgements.c.n, PAGE_ROWS, newest_first=newest_first):
        yield verdict_of(row)


def verdicts_of(database: Database, turn_ids: Collection[str], narrow: Filter) -> Iterator[Verdict]:
    """Gives the verdicts about turns with certain ids, some hundred ids at a time."""
    wanted = list(dict.fromkeys(turn_ids))
    for start in range(0, len(wanted), PAGE_ROWS):
        some = turns.c.id.in_(wanted[start : start + PAGE_ROWS])
        query = _VERDICTS.where(some, judgements.c.status.is_not(None), *verdict_conditions(narrow))
        with database.reading() as connection:
            rows = connection.execute(query.order_by(judgements.c.n)).mappings().all()
        yield from map(verdict_of, rows)


def stored_turns(database: Database, narrow: Filter) -> Iterator[Turn]:
    """Gives the turns, in the order in which they were stored."""
    query = select(turns).where(turns.c.erased_at.is_(None), *said(narrow))
    for row in _paged(database, query, turns.c.n, PAGE_TURNS, newest_first=False):
        yield turn_of(row)


def turn(connection: Connection, tenant: str, turn_id: str) -> Turn | None:
    """Gives one turn, or None where the tenant has none of this id."""
    row = _TURN.first(connection, {"of_tenant": tenant, "of_id": turn_id})
    return None if row is None else turn_of(row)


def last_turn(connection: Connection, tenant: str, session: str) -> Turn | None:
    """Gives the newest turn of a session, or None where the tenant has none of this id."""
    row = _LAST_TURN.first(connection, {"of_tenant": tenant, "of_session": session})
    return None if row is None else turn_of(row)


def judged(connection: Connection, tenant: str, turn_id: str) -> Judged | None:
    """Gives the judgements of one turn, or None where the tenant has none of this id."""
    known = _NUMBER.first(connection, {"of_tenant": tenant, "of_id": turn_id})
    if known is None:
        return None
    rows = _JUDGED.rows(connection, {"of_turn": known["n"]})
    done = [row for row in rows if row["status"] is not None]
    return Judged(
        judgements=tuple(Judgement(verdict=verdict_of(row), outcome=outcome_of(row["words"])) for row in done),
        open=len(rows) - len(done),
    )


def open_questions(connection: Connection) -> int:
    """Counts the questions that nobody has answered yet, those that somebody is working on included."""
    return _OPEN.rows(connection, {})[0]["open"]


def _paged(
    database: Database, query: Select[Any], key: ColumnElement[int], size: int, *, newest_first: bool
) -> Iterator[Any]:
    last: int | None = None
    while True:
        page = query.order_by(key.desc() if newest_first else key).limit(size)
        if last is not None:
            page = page.where(key < last if newest_first else key > last)
        with database.reading() as connection:
            rows = connection.execute(page).mappings().all()
        yield from rows
        if len(rows) < size:
            return
        last = rows[-1]["n"]


def _turn_conditions(narrow: Filter) -> list[ColumnElement[bool]]:
    """Gives the conditions on whose turn it is and which."""
    pairs = (
        (turns.c.tenant, narrow.tenant),
        (turns.c.agent, narrow.agent),
        (turns.c.session, narrow.session),
        (turns.c.id, narrow.turn),
    )
    return [column == value for column, value in pairs if value is not None]


def said(narrow: Filter) -> list[ColumnElement[bool]]:
    """Gives the conditions on a turn, when it was said included."""
    conditions = _turn_conditions(narrow)
    if narrow.since is not None:
        conditions.append(turns.c.created_at >= narrow.since)
    if narrow.until is not None:
        conditions.append(turns.c.created_at < narrow.until)
    return conditions


def verdict_conditions(narrow: Filter) -> list[ColumnElement[bool]]:
    """Gives the conditions on a verdict: of which turn and question, and when it was made."""
    conditions = [*_turn_conditions(narrow), *asked(narrow)]
    if narrow.status is not None:
        conditions.append(judgements.c.status == narrow.status)
    at = turns.c.created_at if narrow.replayed else judgements.c.judged_at
    if narrow.since is not None:
        conditions.append(at >= narrow.since)
    if narrow.until is not None:
        conditions.append(at < narrow.until)
    return conditions


def asked(narrow: Filter) -> list[ColumnElement[bool]]:
    """Gives the conditions on a question: live or replayed, which one, of whom."""
    pairs = (
        (judgements.c.classifier, narrow.classifier),
        (judgements.c.version, narrow.version),
        (judgements.c.judge, narrow.judge),
    )
    found = [column == value for column, value in pairs if value is not None]
    return [OF_REPLAYS if narrow.replayed else OF_LIVE, *found]
