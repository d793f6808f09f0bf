"""In a live turn the tenant's policy decides; the host is told and nothing is held up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from afterturn import Afterturn, Agent
from afterturn.config import Config
from afterturn.errors import ConfigError
from afterturn.guard import BudgetLimits, Denylist, Finding, Guard, Policy
from afterturn.testing import ScriptedJudge

MakeAfterturn = Callable[..., Afterturn]

PLATFORM = """
message: I can't help with that here.
denylists:
  - {id: rivals, words: [Globex]}
budgets: {session: 100}
"""


@pytest.fixture
def policies(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "platform.yaml").write_text(PLATFORM)
    (tmp_path / "acme.yaml").write_text("modes:\n  rules: {'deny:rivals': shadow}\nbudgets: {session: 1000}\n")
    return {
        "guard_policy": str(tmp_path / "platform.yaml"),
        "tenants": {"acme": {"guard_policy": str(tmp_path / "acme.yaml")}, "bank": {"on_guard_failure": "block"}},
    }


async def test_a_blocked_message_is_told_with_its_message_and_sent_by_nobody(
    make_afterturn: MakeAfterturn, agent: Agent, policies: dict[str, Any]
) -> None:
    at = make_afterturn(ScriptedJudge({}), config=policies)
    async with at.turn(agent=agent, session="s-1", message="Is Globex cheaper?") as turn:
        assert (turn.guard.blocked, turn.guard.message) == (True, "I can't help with that here.")
    assert turn.messages[-1].role == "user"
    event = next(event for event in at.timeline("s-1") if event.name == "guard.checked")
    assert event.data == {
        "flagged": True,
        "category": "denylist",
        "rules": ["deny:rivals"],
        "blocked": True,
        "modes": {"deny:rivals": "enforce"},
        "expired": [],
        "budget": None,
        "inputs": [],
    }


@pytest.mark.parametrize(("tenant", "blocked"), [("acme", False), ("bank", True), ("default", True)])
async def test_each_tenant_has_its_policy_over_the_platforms(
    make_afterturn: MakeAfterturn, agent: Agent, policies: dict[str, Any], tenant: str, blocked: bool
) -> None:
    at = make_afterturn(ScriptedJudge({}), config=policies)
    async with at.turn(agent=agent, session="s-1", message="Is Globex cheaper?", tenant=tenant) as turn:
        assert (turn.guard.blocked, turn.guard.flagged, turn.guard.rules) == (blocked, blocked, ("deny:rivals",))


async def test_a_guard_of_the_host_is_every_tenants(
    make_afterturn: MakeAfterturn, agent: Agent, policies: dict[str, Any]
) -> None:
    guard = Guard(policy=Policy(denylists=(Denylist(id="own", words=("parcel",)),)))
    at = make_afterturn(ScriptedJudge({}), config=policies, guard=guard)
    async with at.turn(agent=agent, session="s-1", message="Globex parcel", tenant="acme") as turn:
        assert turn.guard.rules == ("deny:own",)


async def test_a_guard_that_breaks_passes_or_blocks_as_it_was_told(make_afterturn: MakeAfterturn, agent: Agent) -> None:
    def broken(text: str) -> tuple[Finding, ...]:
        raise ValueError

    for on_failure, blocked in (("pass", False), ("block", True)):
        guard = Guard(engines={"broken": broken}, on_failure=on_failure)  # type: ignore[arg-type]
        at = make_afterturn(ScriptedJudge({}), guard=guard)
        async with at.turn(agent=agent, session="s-1", message="Hello", turn=on_failure) as turn:
            assert (turn.guard.blocked, turn.guard.failed) == (blocked, ("broken",))


def test_a_wrong_policy_is_an_error_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("denylist: []\n")
    for settings in (
        {"guard_policy": str(tmp_path / "p.yaml")},
        {"tenants": {"acme": {"guard_policy": "no-such-policy"}}},
    ):
        with pytest.raises(ConfigError, match=r"policy|p\.yaml:1"):
            Afterturn(config=Config.model_validate(settings))


async def test_tokens_are_reserved_and_counted_against_the_tenants_budgets(
    make_afterturn: MakeAfterturn, agent: Agent, policies: dict[str, Any]
) -> None:
    at = make_afterturn(ScriptedJudge({}), config=policies, counter=str.split)
    async with at.turn(agent=agent, session="s-1", message="Where is my parcel?") as turn:
        first = turn.reserve()
        assert (first.allowed, first.tokens, first.remaining) == (True, 6, 94)  # "You help." and the message
        spent = turn.used({"prompt_tokens": 60, "completion_tokens": 30})
        assert spent is not None
        assert (spent.allowed, spent.remaining) == (True, 10)
        second = turn.reserve(11)
        assert (second.allowed, second.reason, second.remaining) == (False, "session_budget", 10)
        assert turn.used(None) is None
    event = next(event for event in at.timeline("s-1") if event.name == "guard.checked")
    assert event.data["budget"] == "session_budget"
    async with at.turn(agent=agent, session="s-1", message="And now?", tenant="acme") as turn:
        assert turn.reserve(11).remaining == 989


async def test_without_budgets_everything_is_allowed(make_afterturn: MakeAfterturn, agent: Agent) -> None:
    guard = Guard(policy=Policy(budgets=BudgetLimits()))
    at = make_afterturn(ScriptedJudge({}), guard=guard)
    async with at.turn(agent=agent, session="s-1", message="Hello") as turn:
        assert (turn.reserve().allowed, turn.reserve(10**9).remaining) == (True, None)
        spent = turn.used(10**9)
        assert spent is not None
        assert spent.allowed


async def test_budgets_counted_in_the_database_outlive_the_process(
    make_afterturn: MakeAfterturn, agent: Agent, policies: dict[str, Any]
) -> None:
    settings = {**policies, "budget_counts": "database"}
    for left in (40, 10):
        at = make_afterturn(ScriptedJudge({}), config=settings)
        async with at.turn(agent=agent, session="s-1", message="Hello") as turn:
            asked = turn.reserve(60 if left == 40 else 30)
            assert (asked.allowed, asked.remaining) == (True, left)
        await at.aclose()
