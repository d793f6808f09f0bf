"""Draws samples of judged turns for people to look at, and keeps what each was drawn from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, exists, func, insert, select

from afterturn.calibration import Candidate, Drawn, Stratum, draw, score, stratum_of
from afterturn.store._engine import Database
from afterturn.store._queries import verdict_conditions
from afterturn.store._records import Filter
from afterturn.store._schema import judgements, review_frames, review_samples, review_turns, turns

_ANSWERED = ("finding", "no_finding")
_PAGE = 2_000

Frame = dict[tuple[str, int], int]
"""Is how many turns could be drawn, by status and score."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewSample:
    """Is a sample of the judged turns of one version of a classifier.

    Attributes:
        number: Its number in the store.
        classifier: Name of the classifier.
        version: Its version.
        tenant: The tenant that it was drawn from; None: all.
        agent: The agent that it was drawn from; None: all.
        since: Judged from then on; None: from the first.
        until: Judged before then; None: up to the draw.
        size: How many turns were asked for.
        seed: The seed of the draw.
        reviewer: Who had it drawn.
        drawn_at: When.
        expired: How many judged turns could not be drawn, since their text was gone.
        frame: What it was drawn from.
    """

    number: int
    classifier: str
    version: str
    tenant: str | None
    agent: str | None
    since: datetime | None
    until: datetime | None
    size: int
    seed: int
    reviewer: str
    drawn_at: datetime
    expired: int
    frame: Frame


@dataclass(frozen=True, kw_only=True, slots=True)
class SampledTurn:
    """Is a turn of a sample.

    Attributes:
        key: Its number in the store.
        tenant: Id of its tenant.
        agent: Id of its agent.
        turn: Its id.
        status: Status of its verdict when it was drawn.
        score: Score of that verdict.
        probability: The chance with which it came into the sample.
        readable: Whether its text is still there.
    """

    key: int
    tenant: str
    agent: str
    turn: str
    status: str
    score: int
    probability: float
    readable: bool


def draw_sample(
    database: Database, narrow: Filter, *, size: int, seed: int, reviewer: str, now: datetime
) -> ReviewSample:
    """Draws a sample and stores it; the filter names classifier and version."""
    with database.reading() as connection:  # counts and turns of one moment
        frame, expired = _frame(connection, narrow)
        drawn = draw(_candidates(connection, narrow), _sizes(frame), size=size, seed=seed)
    row = {name: getattr(narrow, name) for name in ("classifier", "version", "tenant", "agent", "since", "until")}
    row |= {"size": size, "seed": seed, "reviewer": reviewer, "drawn_at": now, "expired": expired}
    with database.writing() as connection:
        number = connection.execute(insert(review_samples).values(row).returning(review_samples.c.n)).scalar_one()
        if drawn:
            connection.execute(insert(review_frames), [_frame_row(number, key, count) for key, count in frame.items()])
            connection.execute(insert(review_turns), [_turn_row(number, *one) for one in enumerate(drawn)])
    return ReviewSample(number=number, frame=frame, **row)


def samples(connection: Connection, classifier: str | None, version: str | None) -> Iterator[ReviewSample]:
    """Gives the samples of a version of a classifier, whatever traffic they are of, the newest first."""
    conditions = (review_samples.c.classifier == classifier, review_samples.c.version == version)
    query = select(review_samples).where(*conditions).order_by(review_samples.c.n.desc())
    for row in connection.execute(query).mappings().all():
        values: dict[str, Any] = {name: value for name, value in row.items() if name != "n"}
        yield ReviewSample(number=row["n"], frame=_stored_frame(connection, row["n"]), **values)


def turns_of(connection: Connection, sample: ReviewSample) -> tuple[SampledTurn, ...]:
    """Gives the turns of a sample, in the order in which they are shown."""
    query = (
        select(review_turns, turns.c.tenant, turns.c.agent, turns.c.id, turns.c.erased_at)
        .join(turns, turns.c.n == review_turns.c.turn_n)
        .where(review_turns.c.sample_n == sample.number)
        .order_by(review_turns.c.place)
    )
    return tuple(
        SampledTurn(
            key=row["turn_n"],
            tenant=row["tenant"],
            agent=row["agent"],
            turn=row["id"],
            status=row["status"],
            score=row["score"],
            probability=row["probability"],
            readable=row["erased_at"] is None,
        )
        for row in connection.execute(query).mappings()
    )


def sampled(connection: Connection, classifier: str) -> frozenset[int]:
    """Gives the numbers of the turns that are in any sample of a classifier."""
    query = (
        select(review_turns.c.turn_n)
        .join(review_samples, review_samples.c.n == review_turns.c.sample_n)
        .where(review_samples.c.classifier == classifier)
    )
    return frozenset(connection.execute(query).scalars())


def newest_answers(narrow: Filter, *columns: Any) -> Select[*tuple[Any, ...]]:
    """Selects of the answers about each turn the newest: several judges may have been asked."""
    later = judgements.alias()
    newer = and_(
        later.c.turn_n == judgements.c.turn_n,
        later.c.classifier == judgements.c.classifier,
        later.c.version == judgements.c.version,
        later.c.status.in_(_ANSWERED),
        later.c.replayed == judgements.c.replayed,
        later.c.n > judgements.c.n,
    )
    return (
        select(*columns)
        .select_from(judgements.join(turns, turns.c.n == judgements.c.turn_n))
        .where(*verdict_conditions(narrow), judgements.c.status.in_(_ANSWERED), ~exists().where(newer))
    )


def _frame(connection: Connection, narrow: Filter) -> tuple[Frame, int]:
    """Counts the turns that may be drawn, by status and score, and those whose text is gone."""
    kind = (judgements.c.status, judgements.c.confidence)
    query = newest_answers(narrow, *kind, func.count(turns.c.erased_at), func.count()).group_by(*kind)
    frame: Frame = {}
    expired = 0
    for status, confidence, gone, number in connection.execute(query):
        expired += gone
        if number > gone:
            key = (status, score(status, confidence) or 0)
            frame[key] = frame.get(key, 0) + number - gone
    return dict(sorted(frame.items())), expired


def _candidates(connection: Connection, narrow: Filter) -> Iterator[Candidate]:
    columns = (turns.c.n, turns.c.tenant, turns.c.id, judgements.c.status, judgements.c.confidence)
    query = newest_answers(narrow, *columns).where(turns.c.erased_at.is_(None))
    with connection.execution_options(stream_results=True).execute(query) as result:
        while page := result.fetchmany(_PAGE):
            for key, tenant, turn, status, confidence in page:
                value = score(status, confidence) or 0
                yield Candidate(key=key, tenant=tenant, turn=turn, status=status, score=value)


def _sizes(frame: Frame) -> dict[Stratum, int]:
    sizes: dict[Stratum, int] = {}
    for (status, value), number in frame.items():
        stratum = stratum_of(status, value)
        sizes[stratum] = sizes.get(stratum, 0) + number
    return sizes


def _stored_frame(connection: Connection, number: int) -> Frame:
    query = select(review_frames).where(review_frames.c.sample_n == number)
    rows = connection.execute(query.order_by(review_frames.c.status, review_frames.c.score)).mappings()
    return {(row["status"], row["score"]): row["turns"] for row in rows}


def _frame_row(number: int, key: tuple[str, int], count: int) -> dict[str, object]:
    return {"sample_n": number, "status": key[0], "score": key[1], "turns": count}


def _turn_row(number: int, place: int, drawn: Drawn) -> dict[str, object]:
    one = drawn.candidate
    chosen = {"turn_n": one.key, "status": one.status, "score": one.score, "probability": drawn.probability}
    return {"sample_n": number, "place": place, **chosen}
