"""Counts in the database are shared by processes, and a budget is never overdrawn by what it allowed."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from afterturn.errors import ConfigError, StoreError
from afterturn.guard import BudgetLimits, Budgets, Slot
from afterturn.store import DatabaseCounters, open_store

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SLOTS = (Slot("session:s", 100, NOW + timedelta(days=1)), Slot("day:d", 150, NOW + timedelta(hours=1)))

SPEND = """
import sys
from afterturn.guard import BudgetLimits, Budgets
from afterturn.store import DatabaseCounters
budgets = Budgets(BudgetLimits(session=1000), counters=DatabaseCounters(sys.argv[1]))
print(sum(budgets.reserve(tenant="acme", session="s", turn="t", tokens=7).reason is None for _ in range(60)))
"""


def test_tokens_go_to_all_counts_or_to_none(path: Path) -> None:
    with DatabaseCounters(path) as counters:
        assert counters.add(SLOTS, 90, whatever=False, now=NOW) == (True, (90, 90))
        assert counters.add(SLOTS, 20, whatever=False, now=NOW) == (False, (90, 90))
        assert counters.add(SLOTS, 20, whatever=True, now=NOW) == (True, (110, 110))
        assert counters.add(SLOTS, -200, whatever=True, now=NOW) == (True, (0, 0))


def test_a_count_that_has_expired_begins_again_and_its_row_goes(path: Path) -> None:
    with DatabaseCounters(path) as counters:
        counters.add(SLOTS, 90, whatever=False, now=NOW)
        later = NOW + timedelta(hours=2)
        assert counters.add(SLOTS[:1], 1, whatever=False, now=later) == (True, (91,))
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT key, tokens FROM token_counts").fetchall() == [("session:s", 91)]
    raw.close()


def test_processes_share_a_budget_and_do_not_overdraw_it(path: Path) -> None:
    open_store(path).close()
    running = [
        subprocess.Popen([sys.executable, "-c", SPEND, str(path)], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    allowed = sum(int(process.communicate()[0]) for process in running)
    with sqlite3.connect(path) as raw:
        (counted,) = raw.execute("SELECT tokens FROM token_counts").fetchone()
    raw.close()
    assert counted == 7 * allowed
    assert counted <= 1000


def test_a_locked_database_is_an_error_here_and_lets_the_call_pass_in_budgets(path: Path) -> None:
    open_store(path).close()
    lock = sqlite3.connect(path, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    try:
        with DatabaseCounters(path) as counters:
            with pytest.raises(StoreError, match="locked"):
                counters.add(SLOTS, 1, whatever=False, now=NOW)
            decision = Budgets(BudgetLimits(session=10), counters=counters).reserve(
                tenant="acme", session="s", turn="t", tokens=5
            )
            assert (decision.allowed, decision.reason) == (True, "unavailable")
    finally:
        lock.close()


def test_an_address_of_no_known_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match="SQLite"):
        DatabaseCounters("redis://host")
