"""Agents under test: a callable, an address, a command, recorded turns."""

from __future__ import annotations

from afterturn.evals.targets._base import Target
from afterturn.evals.targets._open import open_target
from afterturn.evals.targets._options import TargetOptions
from afterturn.evals.targets._replies import reply_from

__all__ = ["Target", "TargetOptions", "open_target", "reply_from"]
