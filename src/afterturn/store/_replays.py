"""Judges stored turns anew: verdicts beside those of live traffic, each question once, shared out by leases.

A question of a replay is a turn, a classifier, a version and a judge, as a live one is. It has no row until it has its
verdict: a lease in a table of its own says who is at it, so no worker of live traffic ever sees it. Where the question
has a row already, live or replayed, there is nothing to do. Nothing here touches a session, an event or an outcome.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, Select, and_, bindparam, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from afterturn import failopen
from afterturn.calls import Planned
from afterturn.errors import ErrorCode
from afterturn.store import _histograms
from afterturn.store._changes import Change, Changed, changed, changes
from afterturn.store._codec import turn_of, verdict_columns, verdict_of
from afterturn.store._direct import Write
from afterturn.store._engine import Database
from afterturn.store._queries import asked, said
from afterturn.store._records import Filter
from afterturn.store._schema import events, judgements, replay_leases, turns
from afterturn.store._verdicts import failed, skipped
from afterturn.store.events import TEXT_REMOVED
from afterturn.turns import Agent, Turn
from afterturn.verdicts import Verdict

_KEY = ("turn_n", "classifier", "version", "judge")
_LATER = update(replay_leases).where(replay_leases.c.owner == bindparam("whose"))
_INSERT = Write(upsert(judgements).on_conflict_do_nothing(index_elements=_KEY).returning(judgements.c.n))
_upsert = upsert(replay_leases)
_LEASE = Write(
    _upsert.on_conflict_do_update(
        index_elements=_KEY,
        set_={
            "owner": _upsert.excluded.owner,
            "due_at": _upsert.excluded.due_at,
            "attempts": replay_leases.c.attempts + 1,
        },
        where=replay_leases.c.due_at <= bindparam("now"),
    ).returning(replay_leases.c.attempts)
)


class ReplayKey(NamedTuple):
    """Is what a turn is judged by in a replay."""

    classifier: str
    version: str
    judge: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTurn:
    """Is a turn that a replay looks at.

    Attributes:
        number: Its number in the store.
        turn: The turn; ids alone where its text is gone or cannot be read.
        gone: Why there is no text: `forgotten` or `expired`; None where there is one.
        readable: Whether it could be read; True where its text is gone.
    """

    number: int
    turn: Turn
    gone: str | None = None
    readable: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayClaim:
    """Is leased work of a replay: one turn and some of its questions.

    Attributes:
        stored: The turn.
        planned: The questions.
        owner: Who holds the lease.
        attempt: How often these questions were leased, this time included: a turn may kill whoever judges it.
    """

    stored: StoredTurn
    planned: tuple[Planned, ...]
    owner: str
    attempt: int = 1


class Replays:
    """Is the part of a store where replays work; `Store.replays` gives it.

    Args:
        database: The database.
        clock: Gives the time.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self.clock = clock

    def count(self, narrow: Filter) -> int:
        """Counts the turns that a filter lets through, those without text included."""
        query = select(func.count()).select_from(turns).where(*said(narrow))
        with self._database.reading() as connection:
            return connection.execute(query).scalar_one()

    def page(self, narrow: Filter, *, before: int | None = None, size: int = 50) -> tuple[StoredTurn, ...]:
        """Gives the newest turns that were stored before the one of that number."""
        query = select(turns).where(*said(narrow))
        return self._read(query if before is None else query.where(turns.c.n < before), size)

    def some(self, numbers: Collection[int]) -> tuple[StoredTurn, ...]:
        """Gives turns by their numbers, the newest first."""
        return self._read(select(turns).where(turns.c.n.in_(numbers)), len(numbers))

    def _read(self, query: Select[Any], size: int) -> tuple[StoredTurn, ...]:
        query = query.order_by(turns.c.n.desc()).limit(size)
        with self._database.reading() as connection:
            rows = connection.execute(query).mappings().all()
            return tuple(_stored(connection, row) for row in rows)

    def answered(self, numbers: Collection[int]) -> frozenset[tuple[int, ReplayKey]]:
        """Gives the questions about turns that have a row already, live or replayed."""
        with self._database.reading() as connection:
            return _answered(connection, numbers)

    def claim(
        self, wanted: Iterable[tuple[StoredTurn, Sequence[Planned]]], *, owner: str, lease_s: float
    ) -> tuple[ReplayClaim, ...]:
        """Leases those of the questions that have no row and that nobody else is at.

        Args:
            wanted: Turns with their questions.
            owner: A name that no other replay has, ever; a random one.
            lease_s: How long the lease lasts without a heartbeat.
        """
        work = list(wanted)
        claims: list[ReplayClaim] = []
        with self._database.writing() as connection:
            now = self.clock()
            known = _answered(connection, [stored.number for stored, _ in work])
            lease = {"owner": owner, "due_at": now + timedelta(seconds=lease_s), "attempts": 1, "now": now}
            for stored, planned in work:
                mine: list[tuple[Planned, int]] = []
                for one in planned:
                    key = key_of(one)
                    if (stored.number, key) in known:
                        continue
                    attempts = _LEASE.returning(connection, {"turn_n": stored.number, **key._asdict(), **lease})
                    if attempts is not None:
                        mine.append((one, attempts))
                if mine:
                    attempt = max(attempts for _, attempts in mine)
                    own = tuple(one for one, _ in mine)
                    claims.append(ReplayClaim(stored=stored, planned=own, owner=owner, attempt=attempt))
        return tuple(claims)

    def heartbeat(self, owner: str, *, lease_s: float) -> None:
        """Prolongs the leases of an owner."""
        with self._database.writing() as connection:
            values: dict[str, object] = {"due_at": self.clock() + timedelta(seconds=lease_s)}
            connection.execute(_LATER.values(values), {"whose": owner})

    def release(self, owner: str) -> None:
        """Gives back unused what an owner still holds."""
        with self._database.writing() as connection:
            connection.execute(delete(replay_leases).where(replay_leases.c.owner == owner))

    def finish(self, claimed: ReplayClaim, verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
        """Stores verdicts with their counts, all or nothing, and each question once.

        A turn whose text was removed meanwhile is skipped: what was read of it is dropped.

        Returns:
            What was stored; what another replay stored first is not in it.
        """
        with self._database.writing() as connection:
            row = connection.execute(select(turns).where(turns.c.n == claimed.stored.number)).mappings().one()
            gone = _gone(connection, row)
            if gone is not None:
                verdicts = [skipped(claimed.stored.turn, one, self.clock(), reason=gone) for one in claimed.planned]
            new = [one for one in _matched(claimed, verdicts) if self._insert(connection, row, *one)]
            _drop(connection, claimed)
        return tuple(verdict for _, verdict in new)

    def failures(self, claimed: ReplayClaim, code: ErrorCode) -> tuple[Verdict, ...]:
        """Makes the `error` verdicts of a claim that nobody could judge."""
        turn, now = claimed.stored.turn, self.clock()
        return tuple(failed(turn, one, code, attempt=claimed.attempt, at=now) for one in claimed.planned)

    def reopen(self, narrow: Filter) -> int:
        """Removes `error` verdicts of replays, and their counts, so that they can be asked again; gives how many.

        Args:
            narrow: Which turns, and of which classifier, version and judge.
        """
        broke = replace(narrow, replayed=True)
        query = (
            select(judgements, turns.c.tenant, turns.c.agent, turns.c.session, turns.c.id, turns.c.created_at)
            .add_columns(turns.c.id.label("turn"))
            .join(turns, turns.c.n == judgements.c.turn_n)
            .where(judgements.c.status == "error", *asked(broke), *said(narrow))
        )
        with self._database.writing() as connection:
            rows = connection.execute(query).mappings().all()
            for row in rows:
                whose: dict[str, Any] = {"replayed_by": row["judge"], "at": row["created_at"]}
                _histograms.count(connection, _husk(row), [verdict_of(row)], by=-1, **whose)
                connection.execute(delete(judgements).where(judgements.c.n == row["n"]))
        return len(rows)

    def changes(self, narrow: Filter) -> tuple[Change, ...]:
        """Names what was replayed, with what it replaces: by classifier, old and new version and judge."""
        return changes(self._database, narrow)

    def changed(self, change: Change, narrow: Filter) -> Iterator[Changed]:
        """Gives the turns of a change one by one, with the old and the new answer."""
        return changed(self._database, change, narrow)

    def _insert(self, connection: Connection, row: Any, planned: Planned, verdict: Verdict) -> bool:
        values: Mapping[str, object] = {
            "turn_n": row["n"],
            **key_of(planned)._asdict(),
            "metric": planned.metric,
            "attempts": verdict.attempt,
            "replayed": 1,
            **verdict_columns(verdict),
        }
        if _INSERT.returning(connection, values) is None:
            return False
        turn = _husk(row)
        _histograms.count(connection, turn, [verdict], replayed_by=planned.judge, at=row["created_at"])
        return True


def key_of(planned: Planned) -> ReplayKey:
    """Gives what a planned question is judged by."""
    return ReplayKey(planned.classifier, planned.version, planned.judge)


def _stored(connection: Connection, row: Any) -> StoredTurn:
    gone = _gone(connection, row)
    if gone is not None:
        return StoredTurn(number=row["n"], turn=_husk(row), gone=gone)
    ids = {"tenant": row["tenant"], "turn": row["id"]}
    turn = failopen.call("store.read_turn", lambda: turn_of(row), lambda _: None, **ids)
    return StoredTurn(number=row["n"], turn=turn or _husk(row), readable=turn is not None)


def _husk(row: Any) -> Turn:
    return Turn(messages=(), agent=Agent(row["agent"]), tenant=row["tenant"], session=row["session"], id=row["id"])


def _gone(connection: Connection, row: Any) -> str | None:
    """Says why a turn has no text, as the timeline tells it; where that was removed as well: it expired."""
    if row["erased_at"] is None:
        return None
    told = and_(
        events.c.tenant == row["tenant"],
        events.c.session == row["session"],
        events.c.name == TEXT_REMOVED,
        events.c.at == row["erased_at"],
    )
    data = connection.execute(select(events.c.data).where(told).limit(1)).scalar_one_or_none()
    reason = cast("Mapping[str, object]", json.loads(data or "{}")).get("reason")
    return "forgotten" if reason == "forgotten" else "expired"


def _answered(connection: Connection, numbers: Collection[int]) -> frozenset[tuple[int, ReplayKey]]:
    columns = (judgements.c[name] for name in _KEY)
    rows = connection.execute(select(*columns).where(judgements.c.turn_n.in_(numbers)))
    return frozenset((number, ReplayKey(*key)) for number, *key in rows)


def _matched(claimed: ReplayClaim, verdicts: Sequence[Verdict]) -> Iterator[tuple[Planned, Verdict]]:
    by_question = {(one.classifier, one.version): one for one in verdicts}
    for planned in claimed.planned:
        verdict = by_question.get((planned.classifier, planned.version))
        if verdict is not None:
            yield planned, verdict


def _drop(connection: Connection, claimed: ReplayClaim) -> None:
    mine = and_(replay_leases.c.turn_n == claimed.stored.number, replay_leases.c.owner == claimed.owner)
    connection.execute(delete(replay_leases).where(mine))
