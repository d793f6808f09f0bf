"""Makes the verdicts that no judge gives: of a question that is skipped, and of one that failed."""

from __future__ import annotations

from datetime import datetime

from afterturn.calls import Planned
from afterturn.errors import ErrorCode
from afterturn.turns import Turn
from afterturn.verdicts import Status, Verdict


def skipped(turn: Turn, planned: Planned, at: datetime, *, reason: str | None = None) -> Verdict:
    """Gives the `skipped` verdict of a planned question that no judge will be asked, or whose answer is dropped."""
    return _verdict(turn, planned, "skipped", reason or planned.skip, attempt=1, at=at)


def failed(turn: Turn, planned: Planned, code: ErrorCode, *, attempt: int, at: datetime) -> Verdict:
    """Gives the `error` verdict of a planned question."""
    return _verdict(turn, planned, "error", code, attempt=attempt, at=at)


def _verdict(
    turn: Turn, planned: Planned, status: Status, reason: str | None, *, attempt: int, at: datetime
) -> Verdict:
    return Verdict(
        tenant=turn.tenant,
        agent=turn.agent.id,
        session=turn.session,
        turn=turn.id,
        classifier=planned.classifier,
        version=planned.version,
        plan=planned.plan,
        metric=planned.metric,
        status=status,
        reason=reason,
        judge=planned.judge,
        attempt=attempt,
        created_at=at,
    )
