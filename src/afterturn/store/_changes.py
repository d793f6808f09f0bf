"""Reads what replays changed: each replayed answer beside the one that live traffic had, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, literal_column, select

from afterturn.store._engine import Database
from afterturn.store._queries import said
from afterturn.store._records import Filter
from afterturn.store._schema import judgements, turns

_PAGE = 1_000

_new, _old = judgements.alias("new"), judgements.alias("old")
_ANSWER = ("status", "label", "confidence", "reason")
_WHOSE = (turns.c.tenant, turns.c.id, turns.c.agent, turns.c.erased_at)


class Change(NamedTuple):
    """Is what a replay would change: the old question and its judge, and the new ones.

    `old_version` and `old_judge` are None where live traffic was not asked at all.
    """

    classifier: str
    old_version: str | None
    old_judge: str | None
    version: str
    judge: str


class GivenAnswer(NamedTuple):
    """Is an answer about a turn: status, label, confidence and reason of its verdict."""

    status: str
    label: str | None
    confidence: int | None
    reason: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed:
    """Is one turn with its old and its new answer.

    Attributes:
        tenant: Id of its tenant.
        turn: Its id.
        old: The old answer; None where live traffic has none (yet).
        new: The new answer.
        agent: Id of its agent.
        judged_at: When the old side answered.
        erased_at: When its text went; None where it is still there.
    """

    tenant: str
    turn: str
    old: GivenAnswer | None
    new: GivenAnswer
    agent: str = ""
    judged_at: datetime | None = None
    erased_at: datetime | None = None


def changes(database: Database, narrow: Filter) -> tuple[Change, ...]:
    """Names what was replayed about the turns that a filter lets through."""
    columns = (_new.c.classifier, _old.c.version, _old.c.judge, _new.c.version, _new.c.judge)
    named = [column.label(f"c{place}") for place, column in enumerate(columns)]
    query = _pairs(narrow, named).distinct().order_by(*named)
    with database.reading() as connection:
        return tuple(Change(*row) for row in connection.execute(query))


def changed(database: Database, change: Change, narrow: Filter) -> Iterator[Changed]:
    """Gives the turns of a change, page by page: each is a transaction of its own."""
    columns: list[ColumnElement[Any]] = [turns.c.n, *_WHOSE, _old.c.judged_at]
    columns += [side.c[name].label(f"{side.name}_{name}") for side in (_old, _new) for name in _ANSWER]
    query = _pairs(narrow, columns).where(
        _new.c.classifier == change.classifier,
        _new.c.version == change.version,
        _new.c.judge == change.judge,
        _same(_old.c.version, change.old_version),
        _same(_old.c.judge, change.old_judge),
    )
    last: int | None = None
    while True:
        page = query.order_by(turns.c.n).limit(_PAGE)
        if last is not None:
            page = page.where(turns.c.n > last)
        with database.reading() as connection:
            rows = connection.execute(page).all()
        for row in rows:
            yield _changed(row)
        if len(rows) < _PAGE:
            return
        last = rows[-1][0]


def _pairs(narrow: Filter, columns: list[Any]) -> Select[*tuple[Any, ...]]:
    """Reads replayed answers beside the live ones about the same turn: live traffic asks a classifier once."""
    live = and_(
        _old.c.turn_n == _new.c.turn_n,
        _old.c.classifier == _new.c.classifier,
        _old.c.replayed == literal_column("0"),
    )
    pairs = ((_new.c.classifier, narrow.classifier), (_new.c.version, narrow.version), (_new.c.judge, narrow.judge))
    return (
        select(*columns)
        .select_from(_new)
        .join(turns, turns.c.n == _new.c.turn_n)
        .join(_old, live, isouter=True)
        .where(_new.c.replayed == literal_column("1"), *said(narrow))
        .where(*[column == value for column, value in pairs if value is not None])
    )


def _same(column: ColumnElement[Any], value: str | None) -> ColumnElement[bool]:
    return column.is_(None) if value is None else column == value


def _changed(row: Any) -> Changed:
    _, tenant, turn, agent, erased_at, judged_at, *answers = row
    old, new = answers[: len(_ANSWER)], answers[len(_ANSWER) :]
    given = None if old[0] is None else GivenAnswer(*old)
    return Changed(
        tenant=tenant,
        turn=turn,
        old=given,
        new=GivenAnswer(*new),
        agent=agent,
        judged_at=judged_at,
        erased_at=erased_at,
    )
