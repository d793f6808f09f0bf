"""A budget is never overdrawn by what it allowed, whoever asks at the same moment; it answers, and never raises."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from types import SimpleNamespace

import pytest

from afterturn import failopen
from afterturn.guard import BudgetDecision, BudgetLimits, Budgets, MemoryCounters, Slot, counter, estimate, tokens_used

NOW = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def ask(budgets: Budgets, tokens: int, *, tenant: str = "acme", session: str = "s", turn: str = "t") -> BudgetDecision:
    return budgets.reserve(tenant=tenant, session=session, turn=turn, tokens=tokens)


def told(decision: BudgetDecision) -> tuple[bool, str | None, int | None]:
    return decision.allowed, decision.reason, decision.remaining


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (BudgetLimits(turn=10), "turn_budget"),
        (BudgetLimits(session=10), "session_budget"),
        (BudgetLimits(tenant_day=10), "tenant_budget"),
        (BudgetLimits(turn=10, session=10, tenant_day=10), "turn_budget"),
        (BudgetLimits(turn=10, session=5, tenant_day=5), "session_budget"),
    ],
)
def test_the_last_token_is_allowed_and_the_next_is_refused_with_its_budget(limits: BudgetLimits, reason: str) -> None:
    budgets = Budgets(limits, clock=Clock())
    tightest = min(limit for limit in (limits.turn, limits.session, limits.tenant_day) if limit is not None)
    assert told(ask(budgets, tightest)) == (True, None, 0)
    assert told(ask(budgets, 1)) == (False, reason, 0)
    assert told(ask(budgets, 0)) == (True, None, 0)


def test_what_is_refused_is_not_counted_anywhere() -> None:
    budgets = Budgets(BudgetLimits(turn=10, session=100), clock=Clock())
    assert told(ask(budgets, 11)) == (False, "turn_budget", 10)
    assert told(ask(budgets, 10)) == (True, None, 0)
    assert told(ask(budgets, 10, turn="t-2")) == (True, None, 0)
    assert told(ask(Budgets(BudgetLimits(), clock=Clock()), 10**9)) == (True, None, None)


def test_turns_sessions_and_tenants_are_counted_apart() -> None:
    budgets = Budgets(BudgetLimits(session=10), clock=Clock())
    assert ask(budgets, 10).allowed
    assert ask(budgets, 10, session="s-2").allowed
    assert ask(budgets, 10, tenant="other").allowed
    assert not ask(budgets, 1, turn="t-2").allowed


def test_no_id_makes_the_key_of_another() -> None:
    budgets = Budgets(BudgetLimits(session=10), clock=Clock())
    assert ask(budgets, 10, tenant="a:b", session="c").allowed
    assert ask(budgets, 10, tenant="a", session="b:c").allowed


def test_a_tenants_day_begins_anew_at_midnight_utc() -> None:
    clock = Clock()
    budgets = Budgets(BudgetLimits(tenant_day=10), clock=clock)
    assert told(ask(budgets, 10)) == (True, None, 0)
    assert told(ask(budgets, 1)) == (False, "tenant_budget", 0)
    clock.now += timedelta(minutes=1)
    assert told(ask(budgets, 10)) == (True, None, 0)


def test_what_was_really_used_takes_the_place_of_the_estimate() -> None:
    budgets = Budgets(BudgetLimits(session=100), clock=Clock())
    first = ask(budgets, 80)
    assert told(budgets.settle(first, 30)) == (True, None, 70)
    second = ask(budgets, 70)
    assert told(budgets.settle(second, 90)) == (False, "session_budget", 0)
    assert told(ask(budgets, 0)) == (False, "session_budget", 0)


def test_the_use_of_a_call_that_was_made_all_the_same_counts_whole() -> None:
    budgets = Budgets(BudgetLimits(session=100), clock=Clock())
    refused = ask(budgets, 101)
    assert told(budgets.settle(refused, 60)) == (True, None, 40)


def test_a_negative_number_gives_nothing_back() -> None:
    budgets = Budgets(BudgetLimits(turn=10), clock=Clock())
    ask(budgets, 10)
    assert told(ask(budgets, -5)) == (True, None, 0)


def test_many_who_ask_at_the_same_moment_never_get_more_than_there_is() -> None:
    budgets = Budgets(BudgetLimits(turn=50, session=700, tenant_day=1000), clock=Clock())
    together = Barrier(8)

    def spend(worker: int) -> int:
        together.wait()
        return sum(
            ask(budgets, 7, session=f"s-{number % 2}", turn=f"t-{worker}-{number}").allowed for number in range(200)
        )

    with ThreadPoolExecutor(8) as pool:
        allowed = sum(pool.map(spend, range(8)))
    assert allowed == 1000 // 7
    assert told(ask(budgets, 7, session="s-3", turn="t")) == (False, "tenant_budget", 1000 - 7 * (1000 // 7))


def test_counts_that_break_let_the_call_pass_and_say_so() -> None:
    class Broken:
        def add(
            self, slots: Sequence[Slot], tokens: int, *, whatever: bool, now: datetime
        ) -> tuple[bool, tuple[int, ...]]:
            raise ConnectionError

    before = failopen.counts["guard.budget"]
    budgets = Budgets(BudgetLimits(turn=1), counters=Broken(), clock=Clock())
    decision = ask(budgets, 5)
    assert told(decision) == (True, "unavailable", None)
    assert told(budgets.settle(decision, 5)) == (True, "unavailable", None)
    assert failopen.counts["guard.budget"] == before + 2


def test_counts_that_have_expired_are_forgotten() -> None:
    clock, counters = Clock(), MemoryCounters()
    budgets = Budgets(BudgetLimits(turn=10), counters=counters, clock=clock)
    for number in range(1000):
        ask(budgets, 1, turn=f"old-{number}")
    clock.now += timedelta(days=2)
    for number in range(100):
        ask(budgets, 1, turn=f"new-{number}")
    assert len(counters) <= 101


# --- counting -------------------------------------------------------------------------------------------------------


class Tiktoken:
    """Stands for tiktoken's Encoding: its `encode` refuses special tokens in a text, `encode_ordinary` does not."""

    def encode(self, text: str) -> list[int]:
        if "<|endoftext|>" in text:
            raise ValueError
        return self.encode_ordinary(text)

    def encode_ordinary(self, text: str) -> list[int]:
        return [len(word) for word in text.split()]


@pytest.mark.parametrize("of", [Tiktoken(), str.split, lambda text: 3, SimpleNamespace(encode=str.split)])  # type: ignore[misc]
def test_tokens_are_counted_by_what_the_host_has(of: object) -> None:
    assert counter(of)("three little <|endoftext|>") == 3


def test_a_counter_that_breaks_is_replaced_by_an_estimate() -> None:
    def broken(text: str) -> int:
        raise ValueError

    before = failopen.counts["guard.counter"]
    assert counter(broken)("Where is my parcel?") == estimate("Where is my parcel?") == 7
    assert failopen.counts["guard.counter"] == before + 1


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("\ud800", 1), ("猫", 1)])
def test_the_estimate_is_a_token_for_three_bytes(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"total_tokens": 9, "input_tokens": 1}, 9),
        ({"prompt_tokens": 4, "completion_tokens": 5}, 9),
        (SimpleNamespace(input_tokens=4, output_tokens=5), 9),
        (SimpleNamespace(input_tokens=4, output_tokens=None), 4),
        (9, 9),
        (0, 0),
        (True, None),
        (None, None),
        ({}, None),
        ({"total_tokens": "9"}, None),
    ],
)
def test_the_use_is_read_from_what_clients_give(usage: object, tokens: int | None) -> None:
    assert tokens_used(usage) == tokens
