"""Finds samples that serve some traffic: those drawn from it, and the parts of those drawn from more than it.

Of a sample of all tenants, the turns of one tenant are a sample of that tenant: within a stratum each of its turns had
the same chance, however many of them came into the sample. What the part was drawn from is not kept by tenant, so it
is counted again as it was at the draw: answers made by then, about turns whose text was there. If that count does not
give what was kept of the whole, the part is not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import Connection, func, or_

from afterturn.calibration import score
from afterturn.store._records import Filter
from afterturn.store._samples import Frame, ReviewSample, newest_answers
from afterturn.store._schema import judgements, turns

_MOVED = 0.01
"""Is the share of a frame that may differ when it is counted again: answers that were under way at the draw."""

Fit = Literal["exact", "wider", "narrower", "other"]


class Scope(NamedTuple):
    """Is traffic: of a tenant and an agent, or of all where one is None."""

    tenant: str | None
    agent: str | None

    def holds(self, tenant: str | None, agent: str | None) -> bool:
        """Says whether other traffic is within this."""
        return self.tenant in (None, tenant) and self.agent in (None, agent)


def scope_of(whose: Filter | ReviewSample) -> Scope:
    """Gives the traffic of a filter or a sample."""
    return Scope(whose.tenant, whose.agent)


def fit(sample: ReviewSample, wanted: Scope) -> Fit:
    """Says how the traffic of a sample lies to other traffic."""
    drawn = scope_of(sample)
    if drawn == wanted:
        return "exact"
    if drawn.holds(*wanted):
        return "wider"
    return "narrower" if wanted.holds(*drawn) else "other"


def fitting(samples: Iterator[ReviewSample], wanted: Scope, fits: tuple[Fit, ...]) -> list[ReviewSample]:
    """Gives the samples that fit, in the order of `fits`, the newest first of each."""
    found = [(fits.index(kind), sample) for sample in samples if (kind := fit(sample, wanted)) in fits]
    return [sample for _, sample in sorted(found, key=lambda one: (one[0], -one[1].number))]


def frame_of(connection: Connection, sample: ReviewSample, of: Scope) -> Frame | None:
    """Gives what the part of a sample that is of some traffic was drawn from; None where nobody can say any more."""
    if of == scope_of(sample):
        return sample.frame
    whole = _counted(connection, sample, scope_of(sample))
    return _counted(connection, sample, of) if _same(whole, sample.frame) else None


def in_frame(sample: ReviewSample, *, judged_at: datetime | None, erased_at: datetime | None) -> bool:
    """Says whether an answer could be drawn: made by then, in the sample's period, about a turn that had its text."""
    if judged_at is None or judged_at > sample.drawn_at or (erased_at is not None and erased_at <= sample.drawn_at):
        return False
    late = sample.until is not None and judged_at >= sample.until
    return not late and (sample.since is None or judged_at >= sample.since)


def _counted(connection: Connection, sample: ReviewSample, of: Scope) -> Frame:
    narrow = Filter(
        classifier=sample.classifier,
        version=sample.version,
        tenant=of.tenant,
        agent=of.agent,
        since=sample.since,
        until=sample.until,
    )
    kind = (judgements.c.status, judgements.c.confidence)
    then = newest_answers(narrow, *kind, func.count()).where(
        judgements.c.judged_at <= sample.drawn_at,
        or_(turns.c.erased_at.is_(None), turns.c.erased_at > sample.drawn_at),
    )
    frame: Frame = {}
    for status, confidence, number in connection.execute(then.group_by(*kind)):
        key = (status, score(status, confidence) or 0)
        frame[key] = frame.get(key, 0) + number
    return dict(sorted(frame.items()))


def _same(one: Frame, other: Frame) -> bool:
    apart = sum(abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other})
    return apart <= _MOVED * sum(other.values())
