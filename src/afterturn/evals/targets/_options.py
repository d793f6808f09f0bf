"""Holds what can be said about a target beside its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from afterturn.turns import JsonObject, JsonValue

MOST_STEPS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class TargetOptions:
    """Are the options of a target; each kind reads those that mean something to it.

    Attributes:
        model: The model to ask for, at an OpenAI-compatible address.
        tools: A file of tools on offer; a tool may hold the `result` that its stub gives.
        instructions: A file with the system prompt.
        real_tools: Tools that are run for real, `NAME=module:callable`; all others are stubs.
        max_steps: Model calls that one row may take.
    """

    model: str | None = None
    tools: str | None = None
    instructions: str | None = None
    real_tools: tuple[str, ...] = ()
    max_steps: int = MOST_STEPS

    def to_json(self) -> dict[str, JsonValue]:
        """Writes the options that were set."""
        wire: dict[str, JsonValue] = {"model": self.model, "tools": self.tools, "instructions": self.instructions}
        wire = {name: value for name, value in wire.items() if value is not None}
        if self.real_tools:
            wire["real_tools"] = list(self.real_tools)
        if self.max_steps != MOST_STEPS:
            wire["max_steps"] = self.max_steps
        return wire

    @classmethod
    def from_json(cls, wire: JsonObject) -> TargetOptions:
        """Reads the options of a run's header."""
        values = cast(Mapping[str, Any], wire)
        return cls(
            model=values.get("model"),
            tools=values.get("tools"),
            instructions=values.get("instructions"),
            real_tools=tuple(values.get("real_tools", ())),
            max_steps=values.get("max_steps", MOST_STEPS),
        )
