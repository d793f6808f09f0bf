"""Counts tokens against budgets: of a turn, of a session, of a tenant's day. It answers, and never raises.

`reserve` before a call to a model, with an estimate; `settle` after it, with what the model says it used. Counts live
where a `Counters` keeps them: `MemoryCounters` for one process, or a host's own over its database or cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Lock
from typing import Literal, NamedTuple, Protocol, cast

from afterturn import failopen
from afterturn.guard._policy import BudgetLimits

BudgetReason = Literal["turn_budget", "session_budget", "tenant_budget", "unavailable"]
"""The budget that is used up; `unavailable` where counting broke, which lets the call pass."""

TokenCounter = Callable[[str], int]

_KEEP_TURN = timedelta(days=1)
_KEEP_SESSION = timedelta(days=30)
_KEEP_DAY = timedelta(days=2)
_LEAST_SWEEP = 1024


class Slot(NamedTuple):
    """Is one count with its limit; it may be forgotten after `expires_at`."""

    key: str
    limit: int
    expires_at: datetime


class Counters(Protocol):
    """Keeps counts. One call is one atomic step, also for other threads and processes that share the counts."""

    def add(self, slots: Sequence[Slot], tokens: int, *, whatever: bool, now: datetime) -> tuple[bool, tuple[int, ...]]:
        """Adds tokens to all slots, or to none of them where one would go over its limit.

        Args:
            slots: The counts.
            tokens: How many; below 0 to give back, and then no count falls below 0.
            whatever: Whether to add in any case.
            now: The time.

        Returns:
            Whether they were added, and the counts as they are now.
        """
        ...


class MemoryCounters:
    """Keeps counts in this process; what has expired is forgotten."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: dict[str, tuple[int, datetime]] = {}
        self._sweep_at = _LEAST_SWEEP

    def __len__(self) -> int:
        return len(self._counts)

    def add(self, slots: Sequence[Slot], tokens: int, *, whatever: bool, now: datetime) -> tuple[bool, tuple[int, ...]]:
        """Adds tokens to all slots, or to none of them where one would go over its limit."""
        with self._lock:
            before = [self._count(slot, now) for slot in slots]
            fits = all(count + tokens <= slot.limit for count, slot in zip(before, slots, strict=True))
            if not (fits or whatever):
                return False, tuple(before)
            after = tuple(max(0, count + tokens) for count in before)
            for slot, count in zip(slots, after, strict=True):
                self._counts[slot.key] = (count, slot.expires_at)
            if len(self._counts) > self._sweep_at:
                self._counts = {key: kept for key, kept in self._counts.items() if kept[1] > now}
                self._sweep_at = max(_LEAST_SWEEP, 2 * len(self._counts))
            return True, after

    def _count(self, slot: Slot, now: datetime) -> int:
        count, expires_at = self._counts.get(slot.key, (0, slot.expires_at))
        return count if expires_at > now else 0


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetDecision:
    """Says whether tokens may be spent.

    Attributes:
        allowed: Whether they may; if so, they are reserved.
        reason: The budget that is used up, the narrowest first; None where allowed.
        tokens: How many were asked for.
        remaining: What is left in the tightest budget, at least 0; None where nothing is limited.
        tenant: Id of the tenant.
        session: Id of the session.
        turn: Id of the turn.
        at: When it was decided.
    """

    allowed: bool
    reason: BudgetReason | None = None
    tokens: int
    remaining: int | None = None
    tenant: str
    session: str
    turn: str
    at: datetime


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Budgets:
    """Counts tokens against limits.

    Args:
        limits: The limits; one that is None is not counted.
        counters: Where the counts live; in this process by default.
        clock: Gives the time (aware); a tenant's day is a day in UTC.

    Example:
        >>> budgets = Budgets(BudgetLimits(session=100))
        >>> first = budgets.reserve(tenant="acme", session="s-1", turn="t-1", tokens=80)
        >>> second = budgets.reserve(tenant="acme", session="s-1", turn="t-2", tokens=30)
        >>> first.allowed, second.allowed, second.reason, second.remaining
        (True, False, 'session_budget', 20)
    """

    def __init__(
        self, limits: BudgetLimits, *, counters: Counters | None = None, clock: Callable[[], datetime] = _utc_now
    ) -> None:
        self.limits = limits
        self._counters = counters if counters is not None else MemoryCounters()
        self._clock = clock

    def reserve(self, *, tenant: str, session: str, turn: str, tokens: int) -> BudgetDecision:
        """Reserves tokens where every budget has as many left; else reserves none and says which has not.

        Args:
            tenant: Id of the tenant.
            session: Id of the session.
            turn: Id of the turn.
            tokens: An estimate of what the call will use; a number below 0 counts as 0.
        """
        asked = BudgetDecision(
            allowed=True, tokens=max(0, tokens), tenant=tenant, session=session, turn=turn, at=self._clock()
        )
        return self._decided(asked, asked.tokens, whatever=False)

    def settle(self, decision: BudgetDecision, used: int) -> BudgetDecision:
        """Puts what was really used in place of an estimate; what went over counts, so that the next call is refused.

        Args:
            decision: What `reserve` gave; where it refused, the whole use is counted.
            used: Tokens that the model says it used, in and out.
        """
        reserved = decision.tokens if decision.allowed and decision.reason is None else 0
        settled = replace(decision, allowed=True, reason=None, tokens=max(0, used))
        return self._decided(settled, settled.tokens - reserved, whatever=True)

    def _decided(self, asked: BudgetDecision, tokens: int, *, whatever: bool) -> BudgetDecision:
        slots = _slots(self.limits, asked)
        if not slots:
            return asked
        now = self._clock()
        answer = failopen.call(
            "guard.budget",
            partial(self._counters.add, tuple(slots.values()), tokens, whatever=whatever, now=now),
            _nothing,
            tenant=asked.tenant,
            turn=asked.turn,
        )
        if answer is None:
            return replace(asked, reason="unavailable")
        allowed, counts = answer
        left = [slot.limit - count for slot, count in zip(slots.values(), counts, strict=True)]
        over = [reason for reason, room in zip(slots, left, strict=True) if room < (0 if allowed else tokens)]
        return replace(asked, allowed=allowed and not over, reason=next(iter(over), None), remaining=max(0, min(left)))


def _slots(limits: BudgetLimits, asked: BudgetDecision) -> dict[BudgetReason, Slot]:
    """Gives the counts of a call, the narrowest first; no id can make the key of another."""
    tenant, session, turn, at = f"{len(asked.tenant)}:{asked.tenant}", asked.session, asked.turn, asked.at
    day = at.astimezone(UTC).date().isoformat()
    slots: dict[BudgetReason, Slot] = {}
    if limits.turn is not None:
        slots["turn_budget"] = Slot(f"turn:{tenant}:{turn}", limits.turn, at + _KEEP_TURN)
    if limits.session is not None:
        slots["session_budget"] = Slot(f"session:{tenant}:{session}", limits.session, at + _KEEP_SESSION)
    if limits.tenant_day is not None:
        slots["tenant_budget"] = Slot(f"day:{tenant}:{day}", limits.tenant_day, at + _KEEP_DAY)
    return slots


def counter(of: object) -> TokenCounter:
    """Makes a counter of what a host has: a tiktoken encoding, anything with `encode`, or a function.

    Text that looks like a special token (`<|endoftext|>`) is counted as text: tiktoken's own `encode` would raise.

    Args:
        of: The encoding, or a function from a text to a number of tokens.

    Example:
        >>> counter(str.split)("three little words"), counter(len)("four")
        (3, 4)
    """
    encode = getattr(of, "encode_ordinary", None) or getattr(of, "encode", None)
    function = cast("Callable[[str], object]", encode if callable(encode) and not isinstance(of, type) else of)

    def count(text: str) -> int:
        counted = failopen.call("guard.counter", partial(_counted, function, text), _nothing)
        return estimate(text) if counted is None else counted

    return count


def estimate(text: str) -> int:
    """Estimates tokens without a tokenizer: a token for every three bytes of UTF-8, which is rather too many.

    Example:
        >>> estimate("Where is my parcel?")
        7
    """
    return (len(text.encode("utf-8", "surrogatepass")) + 2) // 3


def tokens_used(usage: object) -> int | None:
    """Reads the tokens of a call from what a model's client gives; None where it does not say.

    Args:
        usage: A mapping or an object with `total_tokens`, or with `input_tokens` and `output_tokens`, or with
            `prompt_tokens` and `completion_tokens`; or a number.

    Example:
        >>> tokens_used({"prompt_tokens": 20, "completion_tokens": 5}), tokens_used(7), tokens_used(None)
        (25, 7, None)
    """
    if isinstance(usage, int) and not isinstance(usage, bool):
        return usage
    total = _number(usage, "total_tokens")
    if total is not None:
        return total
    for names in (("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens")):
        parts = [part for name in names if (part := _number(usage, name)) is not None]
        if parts:
            return sum(parts)
    return None


def _number(usage: object, name: str) -> int | None:
    value = cast("Mapping[str, object]", usage).get(name) if isinstance(usage, Mapping) else getattr(usage, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _counted(function: Callable[[str], object], text: str) -> int:
    counted = function(text)
    return counted if isinstance(counted, int) else len(cast("Sequence[object]", counted))


def _nothing(error: BaseException) -> None:
    """Stands for a count that could not be had."""
