"""Afterturn tells an agent platform what it needs to know about every turn. Answer first, judge after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterturn.turns import Agent, Message, Passage, Tool, ToolCall, Turn
from afterturn.verdicts import Verdict

if TYPE_CHECKING:
    from afterturn.embedded import Afterturn

__all__ = ["Afterturn", "Agent", "Message", "Passage", "Tool", "ToolCall", "Turn", "Verdict", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Loads the facade on first use: it needs the database engine, and importing afterturn must stay light."""
    if name == "Afterturn":
        from afterturn.embedded import Afterturn

        return Afterturn
    raise AttributeError(f"module 'afterturn' has no attribute {name!r}")
