"""Says what a verdict leads to: nothing yet (shadow), advice (advise), or that the host shall act (enforce)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from afterturn.calibration._scores import score

RuleMode = Literal["shadow", "advise", "enforce", "inherit"]
"""`inherit` takes a rule back: the next, less special one holds again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModeRule:
    """Is what holds for the verdicts of a classifier.

    Attributes:
        classifier: Name of the classifier.
        tenant: The tenant that it is for; None: all.
        agent: The tenant's agent that it is for; None: all.
        mode: shadow, advise, or enforce.
        threshold: Score from which on a verdict counts, 1 to 100; None: every finding.
        version: Version of the classifier that the threshold was chosen for: scores of another are another scale, so
            nothing follows from them. None: any.
    """

    classifier: str
    tenant: str | None = None
    agent: str | None = None
    mode: RuleMode
    threshold: int | None = None
    version: str | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None and not 1 <= self.threshold <= 100:
            raise ValueError("a threshold is a score from 1 to 100")
        if self.agent is not None and self.tenant is None:
            raise ValueError("an agent belongs to a tenant; give the tenant as well")

    def reached(self, status: str, confidence: int | None, *, version: str) -> bool:
        """Says whether a verdict of a version counts under this rule.

        Example:
            >>> rule = ModeRule(classifier="safety", mode="advise", threshold=80)
            >>> [rule.reached("finding", confidence, version="1") for confidence in (80, 79, None)]
            [True, False, False]
        """
        if self.version not in (None, version):
            return False
        if self.threshold is None:
            return status == "finding"
        value = score(status, confidence)
        return value is not None and value >= self.threshold


class Modes:
    """Is the rules that hold; the most special one decides.

    Args:
        rules: One rule at most for each tenant, agent and classifier; `inherit` is none.

    Example:
        >>> both = [
        ...     ModeRule(classifier="safety", mode="shadow"),
        ...     ModeRule(classifier="safety", tenant="acme", mode="enforce"),
        ... ]
        >>> Modes(both).of("acme", "support", "safety").mode, Modes(both).of("other", "support", "safety").mode
        ('enforce', 'shadow')
    """

    def __init__(self, rules: Iterable[ModeRule] = ()) -> None:
        self._rules = {(rule.tenant, rule.agent, rule.classifier): rule for rule in rules if rule.mode != "inherit"}

    def of(self, tenant: str, agent: str, classifier: str) -> ModeRule | None:
        """Gives the rule for a verdict; None where there is none, and all is as the configuration says."""
        for key in ((tenant, agent, classifier), (tenant, None, classifier), (None, None, classifier)):
            if key in self._rules:
                return self._rules[key]
        return None
