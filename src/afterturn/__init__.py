"""Afterturn tells an agent platform what it needs to know about every turn. Answer first, judge after."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from afterturn.turns import Agent, Message, Passage, Tool, ToolCall, Turn
from afterturn.verdicts import Verdict

if TYPE_CHECKING:
    from afterturn.embedded import Afterturn
    from afterturn.worker import Hooks

__all__ = ["Afterturn", "Agent", "Hooks", "Message", "Passage", "Tool", "ToolCall", "Turn", "Verdict", "__version__"]

__version__ = "0.1.0"

_LATER = {"Afterturn": "afterturn.embedded", "Hooks": "afterturn.worker"}


def __getattr__(name: str) -> object:
    """Loads what needs the database engine on first use: importing afterturn must stay light."""
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    raise AttributeError(f"module 'afterturn' has no attribute {name!r}")
