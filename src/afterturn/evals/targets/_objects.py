"""Finds the adapter of a framework's agent object (`module:name` that is no plain callable)."""

from __future__ import annotations

from importlib import import_module

from afterturn.evals.targets._base import Target
from afterturn.evals.targets._options import TargetOptions

# module prefix of the object's class -> module of this room with `wrap(agent, name, options) -> Target`
_ADAPTERS: dict[str, str] = {
    "pydantic_ai": "pydantic_ai",
    "agents": "openai_agents",
    "langgraph": "langgraph",
}


def wrapped(agent: object, name: str, options: TargetOptions | None = None) -> Target | None:
    """Makes a target of an agent object of a framework; None where no adapter knows it."""
    for base in type(agent).__mro__:
        for prefix, module in _ADAPTERS.items():
            if base.__module__ == prefix or base.__module__.startswith(f"{prefix}."):
                return import_module(f"{__package__}.{module}").wrap(agent, name, options or TargetOptions())
    return None
