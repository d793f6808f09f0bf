"""Finds plainly worded attacks by a few precise patterns.

Every pattern is linear: no nested repeats, bounded gaps. They read English only; more languages, decoding and a second
engine are the next part of the project (see docs/guard.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from afterturn.guard._result import Category, Finding


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rule:
    id: str
    category: Category
    confidence: int
    pattern: re.Pattern[str]


def _rule(rule_id: str, category: Category, confidence: int, pattern: str) -> _Rule:
    return _Rule(id=rule_id, category=category, confidence=confidence, pattern=re.compile(pattern, re.IGNORECASE))


_THE_RULES = r"(?:instructions?|rules?|prompts?|guidelines?|directives?)\b"
_YOUR = (
    r"(?:all |any |the |your |of |these |previous |prior |above |preceding |earlier |system |original |initial ){1,5}"
)

_RULES = (
    _rule(
        "override-ignore",
        "override",
        90,
        rf"\b(?:please |now |then )?(?:ignore|disregard|forget|override) {_YOUR}{_THE_RULES}",
    ),
    _rule(
        "extraction-reveal",
        "prompt_extraction",
        90,
        r"\b(?:print|reveal|repeat|show|output|display|tell me|give me|write out|reproduce|disclose) "
        r"(?:me |us )?(?:verbatim |exactly |word for word )?(?:your|the) "
        r"(?:full |entire |complete |exact |hidden |secret |initial |original )*"
        r"(?:system prompt|system message|(?:system |initial |hidden |original )instructions)\b",
    ),
    _rule(
        "persona-unrestricted",
        "persona",
        85,
        r"\b(?:you are now|act as|pretend (?:to be|you are)|from now on you are|roleplay as) "
        r"(?:an? |the )?(?:dan\b|jailbroken|unrestricted|unfiltered|uncensored|evil|amoral|developer mode)",
    ),
    _rule(
        "bypass-safety",
        "safety_bypass",
        85,
        r"\b(?:bypass|disable|turn off|switch off|ignore|deactivate) (?:all |any |your |the |of ){1,3}"
        r"(?:safety|content|ethical|moral) (?:rules?|filters?|guidelines?|policies|policy|restrictions?|checks?)",
    ),
    _rule(
        "fake-turn",
        "fake_turn",
        85,
        r"</(?:user|human|input|message)>[ \t\r\n]{0,8}<(?:system|assistant|developer)>|"
        r"<\|im_start\|>[ \t]{0,4}system\b|\[/INST\][ \t]{0,4}<<SYS>>",
    ),
)


def find(text: str) -> tuple[Finding, ...]:
    """Finds every match of every rule, in the order of the text."""
    found = [
        Finding(rule=rule.id, category=rule.category, confidence=rule.confidence, start=match.start(), end=match.end())
        for rule in _RULES
        for match in rule.pattern.finditer(text)
    ]
    return tuple(sorted(found, key=lambda finding: (finding.start, finding.end, finding.rule)))
