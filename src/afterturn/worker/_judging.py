"""Judges one claim: whatever the judging does, each planned question gets a judgement or another attempt."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from afterturn import failopen
from afterturn._logging import logger
from afterturn.calls import Planned
from afterturn.errors import ErrorCode, JudgeError
from afterturn.outcomes import Judgement
from afterturn.store import Claim, failed
from afterturn.turns import Turn

JudgeTurn = Callable[[Turn, tuple[Planned, ...], int], Awaitable[tuple[Judgement, ...]]]
"""Judges a turn's planned questions; the number is the attempt, from 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken:
    """Is an attempt that gave no judgements.

    Attributes:
        code: Why.
        again: Whether another attempt may help.
    """

    code: ErrorCode
    again: bool


async def judged(
    claimed: Claim, judge: JudgeTurn, *, deadline_s: float, clock: Callable[[], datetime]
) -> tuple[Judgement, ...] | Broken:
    """Judges a claim. Cancellation passes through.

    Returns:
        At least one judgement for each planned question, or why there are none and another attempt may help.
    """

    async def answered() -> tuple[Judgement, ...] | Broken:
        try:
            async with asyncio.timeout(deadline_s):
                judgements = await judge(claimed.turn, claimed.planned, claimed.attempt)
        except JudgeError as error:
            if not broken(error).again:
                raise
            _warn(error, claimed.attempt, ids)  # after the last attempt, the ERROR lines of its verdicts say so
            return broken(error)
        return _complete(claimed, judgements, clock())

    ids = {"tenant": claimed.turn.tenant, "agent": claimed.turn.agent.id, "turn": claimed.turn.id}
    result = await failopen.acall("worker.judge", answered, broken, **ids)
    if isinstance(result, Broken) and not result.again:
        return errors(claimed, result.code, clock())
    return result


def broken(error: BaseException) -> Broken:
    """Reads an error that escaped the judging: a judge's own error says whether a retry helps, others may pass."""
    if isinstance(error, JudgeError):
        return Broken(code=error.code, again=error.transient or error.code in ("rate_limited", "timeout"))
    return Broken(code="timeout" if isinstance(error, TimeoutError) else "provider_error", again=True)


def _warn(error: JudgeError, attempt: int, ids: Mapping[str, str]) -> None:
    with contextlib.suppress(Exception):  # a log that breaks (a full disk) must not cost the attempt
        log = logger("afterturn.worker")
        log.warning("afterturn.attempt_failed", error=type(error).__name__, code=error.code, attempt=attempt, **ids)


def errors(claimed: Claim, code: ErrorCode, at: datetime) -> tuple[Judgement, ...]:
    """Gives an `error` judgement for each planned question."""
    return tuple(_error(claimed, planned, code, at) for planned in claimed.planned)


def _complete(claimed: Claim, judgements: tuple[Judgement, ...], at: datetime) -> tuple[Judgement, ...]:
    """Adds an error for each planned question that the judging forgot."""
    answered = {(judgement.verdict.classifier, judgement.verdict.version) for judgement in judgements}
    forgotten = [one for one in claimed.planned if (one.classifier, one.version) not in answered]
    return (*judgements, *(_error(claimed, one, "provider_error", at) for one in forgotten))


def _error(claimed: Claim, planned: Planned, code: ErrorCode, at: datetime) -> Judgement:
    return Judgement(verdict=failed(claimed.turn, planned, code, attempt=claimed.attempt, at=at))
