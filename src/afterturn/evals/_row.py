"""Runs one row: the agent, the assertions, the rubrics, and what they come to. Whatever breaks, there is a result."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar, cast
from weakref import WeakSet

from afterturn.errors import AgentError, UsageError
from afterturn.evals._beside import Beside
from afterturn.evals._faults import Fault, agent_fault, judge_fault, told_safely
from afterturn.evals._grading import Grader
from afterturn.evals._pace import Pace
from afterturn.evals._prices import Prices
from afterturn.evals._records import BAD_LINE, PASS_SCORE, AssertionResult, Reply, Row, RowResult, Score, State
from afterturn.evals._safely import Done, Overdue, Watch, safely
from afterturn.evals.assertions import Assertion, own_assertions
from afterturn.evals.targets._base import Target

T = TypeVar("T")

MOST_ATTEMPTS = 6
"""How often a call that meets a rate limit is made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """Is what every row of a run goes through.

    Attributes:
        target: The agent under test.
        graders: The rubrics; none for a run of assertions alone.
        assertions: The assertions for every row; those of a row come beside them.
        threshold: The score from which a row passes.
        deadline_s: Seconds that the agent, and each judge, has for a row.
        prices: What models cost.
        beside: Says what happened beside the agent while it replied; None where nothing does.
    """

    target: Target
    graders: tuple[Grader, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    threshold: int = PASS_SCORE
    deadline_s: float = 120.0
    prices: Prices = field(default_factory=lambda: Prices({}))
    beside: Callable[[Reply], Beside] | None = None


@dataclass(kw_only=True, slots=True)
class _Found:
    """Is what came together about a row so far."""

    reply: Reply | None = None
    assertions: list[AssertionResult] = field(default_factory=list[AssertionResult])
    scores: list[Score] = field(default_factory=list[Score])
    skips: list[str] = field(default_factory=list[str])
    fault: Fault | None = None
    unasserted: bool = False
    judge_cost_usd: float | None = 0.0


class RowRunner:
    """Runs rows, one call a row; many calls at once.

    Args:
        setup: What the rows go through.
        pace: Who is told of rate limits.
        clock: Gives seconds; given in tests.
        now: Gives the time for the results; given in tests.

    Attributes:
        watch: Looks at the clock; its `stuck` is told of a task whose agent swallows its cancellation.
    """

    def __init__(
        self,
        setup: Setup,
        pace: Pace,
        *,
        clock: Callable[[], float] = time.perf_counter,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.watch = Watch()
        self._left_behind: WeakSet[asyncio.Task[Any]] = WeakSet()
        self._setup = setup
        self._pace = pace
        self._clock = clock
        self._now = now

    async def run(self, row: Row, repeat: int) -> RowResult:
        """Runs a row. Raises nothing but cancellation and the interruption of the process."""
        epoch, task = await self._pace.enter(), asyncio.current_task()
        try:
            started_s = self._clock()
            found = await self._found(row, epoch)
            return self._result(row, repeat, found, (self._clock() - started_s) * 1000)
        finally:
            if task not in self._left_behind:
                self._pace.leave()

    def leave_behind(self, task: asyncio.Task[Any], row: Row, repeat: int) -> RowResult:
        """Gives the result of a row whose agent is stuck, and its place to another row."""
        self._left_behind.add(task)
        self._pace.leave()
        return self._result(row, repeat, _Found(fault=self._late), self._setup.deadline_s * 1000)

    @property
    def _late(self) -> Fault:
        return Fault(code="timeout", message=f"no answer within {self._setup.deadline_s:g} s")

    async def _found(self, row: Row, epoch: int) -> _Found:
        setup = self._setup
        found = _Found()
        if row.problem:
            found.skips.append(BAD_LINE)
            return found
        if not setup.assertions and not row.assertions and row.expected_tool_calls is None and setup.graders:
            found.skips = [reason for grader in setup.graders if (reason := grader.skips(row, None))]
            if len(found.skips) == len(setup.graders):
                return found
            found.skips = []
        reply = await self._asked(lambda: self._timed(row), agent_fault, epoch)
        if isinstance(reply, Reply) and self._broken(reply, found):
            return found
        found.fault = reply if isinstance(reply, Fault) else _unusable(reply)
        if found.fault is not None or isinstance(reply, Fault):
            return found
        found.reply = reply
        self._assert(row, found.reply, found)
        await self._grade(row, found.reply, found, epoch)
        return found

    def _broken(self, reply: Reply, found: _Found) -> bool:
        """Whether something beside the agent broke: then the reply is kept, and nobody scores it."""
        if self._setup.beside is None:
            return False
        told = self._setup.beside(reply)
        found.judge_cost_usd = told.cost_usd
        if told.fault is not None:
            found.reply, found.fault, found.unasserted = reply, told.fault, True
        return told.fault is not None

    async def _timed(self, row: Row) -> Reply:
        """Asks the agent and notes how long it took, without the waits for rate limits."""
        started_s = self._clock()
        reply = cast(object, await self._setup.target.ask(row))
        if not isinstance(reply, Reply):
            raise AgentError("bad_reply", f"the target gave {type(reply).__name__}, which is no Reply")
        return self._priced(reply, (self._clock() - started_s) * 1000)

    async def _asked(
        self, call: Callable[[], Awaitable[T]], fault_of: Callable[[BaseException], Fault], epoch: int
    ) -> T | Fault:
        """Makes a call; one that meets a rate limit is made again."""
        for attempt in range(1, MOST_ATTEMPTS + 1):
            outcome = await safely(call, deadline_s=self._setup.deadline_s, watch=self.watch)
            if isinstance(outcome, Done):
                return outcome.value
            if isinstance(outcome, Overdue):
                return self._late
            fault = fault_of(outcome.error)
            if not fault.wait or attempt == MOST_ATTEMPTS:
                return fault
            epoch = await self._pace.slow_down(attempt=attempt, retry_after_s=fault.retry_after_s, epoch=epoch)
        raise AssertionError("the last attempt returns")

    def _priced(self, reply: Reply, took_ms: float) -> Reply:
        target, prices = self._setup.target, self._setup.prices
        cost = reply.cost_usd
        if cost is None:
            cost = prices.of(reply.usage, target.name, reply.agent.model)
        if cost is None and target.free:
            cost = 0.0
        return replace(
            reply, cost_usd=cost, latency_ms=round(took_ms, 3) if reply.latency_ms == 0 else reply.latency_ms
        )

    def _assert(self, row: Row, reply: Reply, found: _Found) -> None:
        try:
            for assertion in (*self._setup.assertions, *own_assertions(row, self._setup.assertions)):
                result = assertion.check(row, reply)
                if result is not None:
                    found.assertions.append(result)
        except Exception as error:  # a check that breaks is neither a pass nor a fail
            told = (
                told_safely(str(error)) if isinstance(error, UsageError) else f"{type(error).__name__} in an assertion"
            )
            found.fault, found.unasserted = Fault(code="assertion_broke", message=told), True

    async def _grade(self, row: Row, reply: Reply, found: _Found, epoch: int) -> None:
        for grader in self._setup.graders:
            reason = grader.skips(row, reply)
            if reason is not None:
                found.skips.append(reason)
                continue
            score = await self._asked(lambda one=grader: one.grade(row, reply), judge_fault, epoch)
            if isinstance(score, Fault):
                found.fault = found.fault or score
                found.judge_cost_usd = found.judge_cost_usd if grader.free else None
                continue
            found.scores.append(score)
            if found.judge_cost_usd is not None:
                found.judge_cost_usd = None if score.cost_usd is None else found.judge_cost_usd + score.cost_usd

    def _result(self, row: Row, repeat: int, found: _Found, latency_ms: float) -> RowResult:
        score = min((one.score for one in found.scores), default=None)
        state, reason = self._state(found, score)
        asked = found.reply is not None or found.fault is not None
        failed = 0.0 if self._setup.target.free or not asked else None
        return RowResult(
            row=row,
            repeat=repeat,
            state=state,
            reason=reason,
            message=found.fault.message if found.fault is not None else row.problem,
            score=score,
            scores=tuple(found.scores),
            assertions=tuple(found.assertions),
            reply=found.reply,
            unasserted=found.unasserted,
            agent_cost_usd=failed if found.reply is None else found.reply.cost_usd,
            judge_cost_usd=found.judge_cost_usd,
            latency_ms=latency_ms,
            created_at=self._now(),
        )

    def _state(self, found: _Found, score: int | None) -> tuple[State, str | None]:
        """What a row came to. That an assertion failed is known, whatever became of the judge."""
        if found.reply is None:
            if found.fault is not None:
                return "agent_error", found.fault.code
            return "skipped", found.skips[0]
        if any(not assertion.passed for assertion in found.assertions):
            return "fail", "assertion"
        if found.fault is not None:
            return "judge_error", found.fault.code
        if score is None and not found.assertions:
            return "skipped", found.skips[0] if found.skips else "nothing_asserted"
        return ("pass", None) if score is None or score >= self._setup.threshold else ("fail", "score")


def _unusable(reply: Reply) -> Fault | None:
    """Says why what an agent gave cannot be scored, or None."""
    if not reply.text.strip() and not reply.tool_calls:
        return Fault(code="no_reply", message="the agent said nothing and called no tool")
    if reply.latency_ms is not None and not math.isfinite(reply.latency_ms):
        return Fault(code="bad_reply", message="the latency of the reply is no number")
    return None
