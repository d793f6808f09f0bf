"""The guard: what runs before the model sees the message. Static, deterministic, never a model, never an exception."""

from __future__ import annotations

from afterturn.guard._guard import Engine, Guard
from afterturn.guard._result import Category, Finding, GuardResult

__all__ = ["Category", "Engine", "Finding", "Guard", "GuardResult"]
