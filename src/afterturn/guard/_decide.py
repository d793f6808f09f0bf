"""Applies a policy to what was found: what passes, what is only recorded, what is told, what blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal

from afterturn.guard._policy import Allowance, Policy
from afterturn.guard._result import RESPELLED, Category, Finding, GuardResult, PolicyCategory
from afterturn.guard._terms import Terms

OnFailure = Literal["pass", "block"]
"""What becomes of a message that no engine could check."""

_Spans = tuple[tuple[int, int], ...]


def decide(
    result: GuardResult,
    policy: Policy,
    *,
    text: str = "",
    now: datetime | None = None,
    unchecked: bool = False,
    on_failure: OnFailure = "pass",
) -> GuardResult:
    """Applies a policy to a result: gives each finding its mode, and says whether the message is blocked.

    Args:
        result: What the engines found.
        policy: The policy, laid over the built-in one.
        text: The text that was checked; read only where an allowance speaks of phrases.
        now: The time (aware), for the ends of allowances; the real one by default.
        unchecked: Whether nothing could be checked: the engines broke.
        on_failure: What becomes of the message then.

    Returns:
        The result with what is allowed taken out. `flagged`, `category` and `confidence` speak of what advises or
        enforces; what is in shadow stays among the findings and changes nothing. Only what enforces blocks.
    """
    passes = _Passes(policy, result, text, now)
    findings = tuple(
        replace(finding, mode=policy.mode(finding.rule, finding.category, finding.severity))
        for finding in result.findings
        if not passes.lets(finding)
    )
    told = [finding for finding in findings if finding.mode != "shadow"]
    best = max(told, key=lambda finding: finding.confidence, default=None)
    blocking = sorted((f for f in told if f.mode == "enforce"), key=lambda finding: -finding.confidence)
    blocked = bool(blocking) or (unchecked and on_failure == "block")
    return replace(
        result,
        flagged=best is not None,
        category=_category(best) if best else None,
        confidence=best.confidence if best else 0,
        findings=findings,
        blocked=blocked,
        message=_message(policy, blocking) if blocked else None,
        allowed=tuple(sorted(passes.used)),
        expired=tuple(sorted(passes.expired)),
    )


def without_allowed(text: str, findings: tuple[Finding, ...], policy: Policy, now: datetime) -> str | None:
    """Gives the text with the phrases of allowances crossed out, where one of them lets something pass; else None.

    Engines list a rule's first few places alone. What is left of the text must be read again, or an allowed phrase
    would let an attack pass that stands behind it.

    Args:
        text: The text that was checked.
        findings: What was found in it.
        policy: The policy.
        now: The time (aware).
    """
    allow = tuple(one for one in policy.allow if one.within and now < one.ends and any(map(one.covers, findings)))
    spans = [span for inside in _inside(allow, text).values() for span in inside]
    if not spans:
        return None
    letters = list(text)
    for start, end in spans:
        letters[start:end] = "x" * (end - start)
    return "".join(letters)


def _category(finding: Finding) -> Category | PolicyCategory:
    """Gives the category of a text by its surest finding: what had to be decoded was smuggled in."""
    decoded = any(step != RESPELLED for step in finding.carrier)
    return "encoded_smuggling" if decoded else finding.category


def _message(policy: Policy, blocking: list[Finding]) -> str | None:
    """Gives the message of the surest finding that has one of its own, else the policy's."""
    own = (policy.message_for(finding.rule) for finding in blocking)
    return next((message for message in own if message not in (None, policy.message)), policy.message)


class _Passes:
    """Knows what the allowances of a policy let pass in one text, which were used, and which would have been."""

    def __init__(self, policy: Policy, result: GuardResult, text: str, now: datetime | None) -> None:
        self._allow = policy.allow if result.findings else ()
        self._now = (now or datetime.now(UTC)) if self._allow else None
        self._inside = _inside(self._allow, text)
        self.used: set[str] = set()
        self.expired: set[str] = set()

    def lets(self, finding: Finding) -> bool:
        for allowance in self._allow:
            if allowance.covers(finding) and self._is_inside(allowance, finding):
                over = self._now is not None and self._now >= allowance.ends
                (self.expired if over else self.used).add(allowance.id)
                if not over:
                    return True
        return False

    def _is_inside(self, allowance: Allowance, finding: Finding) -> bool:
        if not allowance.within:
            return True
        return any(start <= finding.start and finding.end <= end for start, end in self._inside[allowance.id])


def _inside(allow: tuple[Allowance, ...], text: str) -> Mapping[str, _Spans]:
    """Finds the phrases of the allowances in the text."""
    narrow = tuple((allowance.id, allowance.within) for allowance in allow if allowance.within)
    if not narrow:
        return {}
    from afterturn.guard._normalize import normalize

    read = normalize(text)
    hits = _phrases(narrow).find(read.text)
    return {name: tuple(read.span(hit.start, hit.end) for hit in hits if hit.key == name) for name, _ in narrow}


@lru_cache(maxsize=64)
def _phrases(narrow: tuple[tuple[str, tuple[str, ...]], ...]) -> Terms:
    from afterturn.guard._lists import forms

    return Terms((form, name) for name, phrases in narrow for phrase in phrases for form in forms(phrase))
