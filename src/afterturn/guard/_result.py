"""Holds what the guard found: rules, categories and places, never a copy of the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Category = Literal[
    "override",
    "prompt_extraction",
    "persona",
    "exfiltration",
    "encoded_smuggling",
    "safety_bypass",
    "fake_turn",
    "tool_output_instruction",
]

PolicyCategory = Literal["denylist", "blocked_topic"]
"""What a policy's own lists find."""

Mode = Literal["shadow", "advise", "enforce"]
"""shadow: recorded, nothing else. advise: the host is told. enforce: the message is blocked."""

Severity = Literal["high", "medium", "low"]
"""How much a finding weighs: high enforces by default, medium and low advise."""

RESPELLED = "respelled"
"""The carrier of what was only spelled in digits or apart: not decoded, so it keeps its category."""

Scope = Literal["any", "message", "tool_output"]
"""Where a rule is read: in the user's message, in what a tool or a search brought in, or in both."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Is one place where a rule matched.

    Attributes:
        rule: Id of the rule.
        category: Its injection category, or what kind of list of a policy it is from.
        severity: How much it weighs.
        confidence: How sure the rule is, 0 to 100.
        start: Where the match starts in the text that was checked, in code points of the original text.
        end: Where it ends. For what was decoded, start and end are the place of the payload.
        carrier: What had to be undone to read it, outermost first, e.g. `("base64", "rot13")`; empty for plain text.
        mode: What the policy makes of it.
    """

    rule: str
    category: Category | PolicyCategory
    severity: Severity = "medium"
    confidence: int
    start: int
    end: int
    carrier: tuple[str, ...] = ()
    mode: Mode = "advise"


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardResult:
    """Is what the guard says about one text.

    Attributes:
        flagged: Whether any rule matched.
        blocked: Whether the host must not pass the text on: only where a policy enforces, or where every engine broke
            and the guard was told to block then.
        category: The category of the surest finding (`encoded_smuggling` where that one had to be decoded), or None.
        confidence: Its confidence, 0 to 100; 0 where nothing was found.
        findings: The findings, in the order of the text; of each rule the first eight places.
        failed: Names of the engines that broke; their answer is missing, and the log has an ERROR line.
        allowed: Ids of the allowances of the policy that let a finding pass.
        expired: Ids of the allowances that would have, were they not over.
        message: What the host wants to say instead of an answer, where the text is blocked.
    """

    flagged: bool
    blocked: bool = False
    category: Category | PolicyCategory | None = None
    confidence: int = 0
    findings: tuple[Finding, ...] = ()
    failed: tuple[str, ...] = ()
    message: str | None = None
    allowed: tuple[str, ...] = ()
    expired: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """Ids of the rules that matched, each once, in the order of the text."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))
