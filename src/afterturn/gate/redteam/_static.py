"""Says what the static guard would have made of a row: of its user messages, tool results and passages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from afterturn.calibration import clopper_pearson
from afterturn.evals import Row
from afterturn.guard import Guard, GuardResult
from afterturn.turns import JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """Is what the guard said of one row."""

    flagged: bool
    blocked: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Static:
    """Is what the guard said of many rows: how many it looked at, flagged, and would have blocked."""

    looked: int = 0
    flagged: int = 0
    blocked: int = 0

    def to_json(self) -> dict[str, JsonValue]:
        """Writes it, the share blocked with its exact 95 % interval."""
        rate, low, high = clopper_pearson(self.blocked, self.looked)
        return {
            "looked": self.looked,
            "flagged": self.flagged,
            "blocked": self.blocked,
            "blocked_rate": rate,
            "low": low,
            "high": high,
        }


class StaticCheck:
    """Asks a guard about rows.

    Args:
        guard: The guard, with the policy that would stand before the agent.
    """

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def look(self, row: Row) -> Look:
        """Looks at everything in a row that comes from outside."""
        seen = list(self._results(row))
        return Look(flagged=any(one.flagged for one in seen), blocked=any(one.blocked for one in seen))

    def _results(self, row: Row) -> Iterator[GuardResult]:
        for message in row.input:
            if message.role == "user":
                yield self._guard.check(message.text)
            elif message.role == "tool":
                yield self._guard.check_tool_output(message.text)
        yield from self._guard.check_passages(row.context or ())
