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


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Is one place where a rule matched.

    Attributes:
        rule: Id of the rule.
        category: Its injection category.
        confidence: How sure the rule is, 0 to 100.
        start: Where the match starts in the text that was checked, in code points.
        end: Where it ends.
    """

    rule: str
    category: Category
    confidence: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardResult:
    """Is what the guard says about one text.

    Attributes:
        flagged: Whether any rule matched.
        category: The category of the surest finding, or None.
        confidence: Its confidence, 0 to 100; 0 where nothing was found.
        findings: Every finding, in the order of the text.
        failed: Names of the engines that broke; their answer is missing, and the log has an ERROR line.
    """

    flagged: bool
    category: Category | None = None
    confidence: int = 0
    findings: tuple[Finding, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """Ids of the rules that matched, each once, in the order of the text."""
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))
