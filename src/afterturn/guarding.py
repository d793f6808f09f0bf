"""Gives each tenant its guard, and keeps what it said of what a turn brought in: tool outputs and passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from afterturn.config import Config
from afterturn.guard import Budgets, Counters, Guard, GuardResult, MemoryCounters, Policy, Topic
from afterturn.turns import JsonValue, Message, Passage

if TYPE_CHECKING:
    from afterturn.store import DatabaseCounters


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckedInput:
    """Is what the guard found in one tool output or passage of a turn: an indirect injection, if it is one.

    Attributes:
        channel: What it was found in.
        place: Which one: the index of the tool message among the turn's messages, or the alias of the passage.
        result: What was found; places are in that text.
    """

    channel: Literal["tool_output", "passage"]
    place: int | str
    result: GuardResult


def check_messages(guard: Guard, messages: Iterable[Message], first: int) -> tuple[CheckedInput, ...]:
    """Checks the tool messages among messages of a turn.

    Args:
        guard: The guard.
        messages: The messages.
        first: The index of the first among the turn's messages.

    Returns:
        Those in which something was found.
    """
    results = (
        CheckedInput(channel="tool_output", place=index, result=guard.check_tool_output(message.text))
        for index, message in enumerate(messages, first)
        if message.role == "tool"
    )
    return tuple(one for one in results if one.result.findings or one.result.blocked)


def check_passages(guard: Guard, passages: Sequence[Passage]) -> tuple[CheckedInput, ...]:
    """Checks passages; gives those in which something was found."""
    results = zip(passages, guard.check_passages(passages), strict=True)
    return tuple(
        CheckedInput(channel="passage", place=passage.alias, result=result)
        for passage, result in results
        if result.findings or result.blocked
    )


def guard_data(result: GuardResult) -> dict[str, JsonValue]:
    """Gives what the timeline says of a check: ids, categories and modes."""
    return {
        "flagged": result.flagged,
        "category": result.category,
        "rules": list(result.rules),
        "blocked": result.blocked,
        "modes": {finding.rule: finding.mode for finding in result.findings},
        "expired": list(result.expired),
    }


class Guards:
    """Is the guards of all tenants.

    Args:
        config: The configuration.
        everywhere: The host's own guard; it is then every tenant's, and policies of the configuration are not read.
        counters: Where spent tokens are counted; by default where the configuration says.

    Attributes:
        platform: The guard of a tenant that has no settings of its own.

    Raises:
        ConfigError: A policy that it names cannot be read or is none; better at the start than at the first message.
    """

    def __init__(self, config: Config, everywhere: Guard | None = None, counters: Counters | None = None) -> None:
        self._database = None if counters is not None else _database_counters(config)
        own = counters if counters is not None else self._database
        self._counters: Counters = own if own is not None else MemoryCounters()
        self._own: dict[str, Guard] = {}
        if everywhere is not None:
            self.platform = everywhere
            return
        platform = Policy.load(config.guard_policy) if config.guard_policy else Policy.built_in()
        self.platform = Guard(policy=platform, on_failure=config.on_guard_failure)
        for tenant, settings in config.tenants.items():
            if settings.guard_policy is not None or settings.on_guard_failure is not None:
                policy = Policy.load(settings.guard_policy).over(platform) if settings.guard_policy else platform
                self._own[tenant] = Guard(policy=policy, on_failure=config.on_guard_failure_for(tenant))

    def of(self, tenant: str) -> Guard:
        """Gives the guard of a tenant."""
        return self._own.get(tenant, self.platform)

    def topics(self) -> tuple[Topic, ...]:
        """Gives the topics that the policy of any tenant blocks."""
        return tuple(topic for guard in (self.platform, *self._own.values()) for topic in guard.policy.topics)

    def warm(self) -> None:
        """Reads the shipped rules now, which takes most of a second: no customer's first message shall wait for it."""
        self.platform.check("warm")
        self.platform.check_tool_output("warm")

    def close(self) -> None:
        """Closes what counts in a database."""
        if self._database is not None:
            self._database.close()

    def budgets(self, tenant: str) -> Budgets:
        """Gives the budgets of a tenant's policy, over counts that all tenants' share."""
        return Budgets(self.of(tenant).policy.budgets, counters=self._counters)


def _database_counters(config: Config) -> DatabaseCounters | None:
    if config.budget_counts == "memory":
        return None
    from afterturn.store import DatabaseCounters  # here: the store is heavy, and most budgets are counted in memory

    return DatabaseCounters(config.db)
