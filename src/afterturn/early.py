"""The second pass of live turns, begun beside the answer: what it says in time, and kept until the turn is judged."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from afterturn.calibration import ModeRule
from afterturn.guard import Mode, Policy
from afterturn.outcomes import Judgement
from afterturn.turns import Turn
from afterturn.verdicts import Verdict

MAX_EARLY = 256
DEADLINE_S = 2.0

Early = asyncio.Task[Judgement | None]
"""What becomes the judgement; None where it failed, and whoever judges the turn asks then."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SecondOpinion:
    """Is what the second pass says of the message of a live turn.

    Attributes:
        verdict: The verdict; None where the pass is off, failed, or took too long.
        mode: What the tenant's policy, or a rule of `afterturn modes`, makes of a finding.
        flagged: Whether it found an attack, as surely as that asks; never under `shadow`.
        blocked: Whether the host must not answer: a finding under `enforce`.
        message: What the host may show instead, where the policy says.
    """

    verdict: Verdict | None = None
    mode: Mode = "shadow"
    flagged: bool = False
    blocked: bool = False
    message: str | None = None


class LivePass:
    """Is the second pass of one live turn under the tenant's policy; made within the running loop.

    Args:
        task: The running pass, or None where the switch is off.
        policy: The tenant's policy.
        rule: What somebody has decided for this tenant and agent: its mode and threshold stand in place of the
            policy's, whose deadline and message stay.
    """

    def __init__(self, task: Early | None, policy: Policy, rule: ModeRule | None = None) -> None:
        self._task = task
        self._policy = policy
        self._rule = rule
        self._mode: Mode = policy.second_pass.mode or "shadow"
        if rule is not None and rule.mode != "inherit":
            self._mode = rule.mode
        self._deadline = asyncio.get_running_loop().time() + (policy.second_pass.deadline_s or DEADLINE_S)
        self._decided: SecondOpinion | None = None

    @property
    def enforces(self) -> bool:
        """Whether a reply is held for it."""
        return self._task is not None and self._mode == "enforce"

    @property
    def blocked(self) -> bool:
        """Whether it has blocked the message."""
        return self._decided is not None and self._decided.blocked

    async def opinion(self) -> SecondOpinion:
        """Waits for what it says: under `enforce` no longer than the deadline, and then it is decided for good."""
        if self._task is None:
            return SecondOpinion(mode=self._mode)
        if self._decided is None:
            left_s = max(self._deadline - asyncio.get_running_loop().time(), 0) if self.enforces else None
            await asyncio.wait({self._task}, timeout=left_s)
            self._decided = self._decided or self._made(_result(self._task))
        return self._decided

    def _made(self, judgement: Judgement | None) -> SecondOpinion:
        if judgement is None:
            return SecondOpinion(mode=self._mode)
        verdict = judgement.verdict
        flagged = self._found(verdict) and self._mode != "shadow"  # as with the guard's modes
        blocked = flagged and self._mode == "enforce"
        return SecondOpinion(
            verdict=verdict,
            mode=self._mode,
            flagged=flagged,
            blocked=blocked,
            message=self._policy.message if blocked else None,
        )

    def _found(self, verdict: Verdict) -> bool:
        if verdict.status != "finding":
            return False
        if self._rule is not None:
            return self._rule.reached(verdict.status, verdict.confidence, version=verdict.version)
        return (verdict.confidence or 0) >= (self._policy.second_pass.least_confidence or 0)


class EarlyPasses:
    """Holds tasks by turn; each is handed out once, and never more than `MAX_EARLY` are kept."""

    def __init__(self) -> None:
        self._tasks: dict[tuple[str, str], tuple[str, Early]] = {}

    def keep(self, turn: Turn, message: str, task: Early) -> None:
        """Keeps the task of a turn about one message."""
        self._tasks[turn.tenant, turn.id] = (message, task)
        while len(self._tasks) > MAX_EARLY:
            self._tasks.pop(next(iter(self._tasks)))[1].cancel()

    def take(self, turn: Turn, message: Callable[[], str]) -> Early | None:
        """Hands out the task of a turn, unless it was about other words or belongs to another loop."""
        kept, task = self._tasks.pop((turn.tenant, turn.id), (None, None))
        if task is None:
            return None
        if kept != message() or task.get_loop() is not asyncio.get_running_loop():
            return None
        return task

    async def end(self) -> None:
        """Cancels what still runs in the running loop; nothing is lost, since the stored turn is judged later."""
        loop = asyncio.get_running_loop()
        mine = {key: task for key, (_, task) in self._tasks.items() if task.get_loop() is loop}
        for key, task in mine.items():
            del self._tasks[key]
            task.cancel()
        await asyncio.gather(*mine.values(), return_exceptions=True)


async def outcome_of(task: Early) -> Judgement | None:
    """Waits for a task without cancelling it; None where it has no answer that can be used.

    An error is none: whoever judges the turn may have more luck, and attempts of its own.
    """
    await asyncio.wait({task})
    judgement = _result(task)
    return None if judgement is None or judgement.verdict.status == "error" else judgement


def _result(task: Early) -> Judgement | None:
    """Gives what a task came to; None where it is not done, was cancelled, or failed."""
    with contextlib.suppress(asyncio.CancelledError, asyncio.InvalidStateError):
        return task.result()
    return None
