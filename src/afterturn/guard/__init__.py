"""The guard: what runs before the model sees the message. Static, deterministic, never a model, never an exception."""

from __future__ import annotations

from afterturn.guard._budget import (
    BudgetDecision,
    Budgets,
    Counters,
    MemoryCounters,
    Slot,
    TokenCounter,
    counter,
    estimate,
    tokens_used,
)
from afterturn.guard._decide import OnFailure, decide
from afterturn.guard._guard import Engine, Guard
from afterturn.guard._policy import Allowance, BudgetLimits, Denylist, Modes, Policy, SecondPass, Topic
from afterturn.guard._result import Category, Finding, GuardResult, Mode, PolicyCategory, Scope, Severity
from afterturn.guard._rules import Rule, RuleError, load_rules

__all__ = [
    "Allowance",
    "BudgetDecision",
    "BudgetLimits",
    "Budgets",
    "Category",
    "Counters",
    "Denylist",
    "Engine",
    "Finding",
    "Guard",
    "GuardResult",
    "MemoryCounters",
    "Mode",
    "Modes",
    "OnFailure",
    "Policy",
    "PolicyCategory",
    "Rule",
    "RuleError",
    "Scope",
    "SecondPass",
    "Severity",
    "Slot",
    "TokenCounter",
    "Topic",
    "counter",
    "decide",
    "estimate",
    "load_rules",
    "tokens_used",
]
