"""Gives each tenant its guard: its policy over the platform's over the built-in one, read once, at the start."""

from __future__ import annotations

from afterturn.config import Config
from afterturn.guard import Budgets, Counters, Guard, MemoryCounters, Policy


class Guards:
    """Is the guards of all tenants.

    Args:
        config: The configuration.
        everywhere: The host's own guard; it is then every tenant's, and policies of the configuration are not read.
        counters: Where spent tokens are counted; in this process by default.

    Attributes:
        platform: The guard of a tenant that has no settings of its own.

    Raises:
        ConfigError: A policy that it names cannot be read or is none; better at the start than at the first message.
    """

    def __init__(self, config: Config, everywhere: Guard | None = None, counters: Counters | None = None) -> None:
        self._counters = counters if counters is not None else MemoryCounters()
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

    def budgets(self, tenant: str) -> Budgets:
        """Gives the budgets of a tenant's policy, over counts that all tenants' share."""
        return Budgets(self.of(tenant).policy.budgets, counters=self._counters)
