"""Says which judges a tenant allows. The caller records `skipped: residency` for the others and never asks them."""

from __future__ import annotations

from dataclasses import dataclass

from afterturn.calls import Judge


@dataclass(frozen=True, kw_only=True, slots=True)
class Residency:
    """Is a tenant's rule on where its text may go.

    Attributes:
        local_only: Whether no text may leave the machine.
        providers: Names of the providers (`openai`) or judges (`openai:gpt-…`) that may be asked; None allows all.
            A judge on this machine needs no permission.

    Example:
        >>> Residency(local_only=True)
        Residency(local_only=True, providers=None)
    """

    local_only: bool = False
    providers: frozenset[str] | None = None


def allows(rule: Residency, judge: Judge) -> bool:
    """Says whether a rule allows asking a judge.

    Args:
        rule: The tenant's rule.
        judge: The judge; its place and name decide, it is not asked.
    """
    if judge.location == "local":
        return True
    if rule.local_only:
        return False
    return rule.providers is None or not rule.providers.isdisjoint({judge.name, judge.name.partition(":")[0]})
