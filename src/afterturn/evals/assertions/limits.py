"""Checks what a reply took: `latency:MILLISECONDS` (or `latency:2.5s`) and `cost:DOLLARS`.

A figure that nobody knows is not within any limit.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from afterturn.errors import UsageError
from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._options import check_options, label_of
from afterturn.turns import JsonObject, JsonValue

_AMOUNT = re.compile(r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>ms|s|usd)?", re.IGNORECASE)
_UNITS = {"latency": {"": 1.0, "ms": 1.0, "s": 1000.0}, "cost": {"": 1.0, "usd": 1.0}}


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """Checks that the reply took at most so much.

    Attributes:
        name: The name in results.
        kind: `latency` (milliseconds) or `cost` (US dollars).
        most: The largest amount that passes.
    """

    name: str
    kind: str
    most: float

    def check(self, row: Row, reply: Reply) -> AssertionResult:
        """Checks a reply."""
        # A reply whose latency is 0 was not measured: no clock was beside it.
        taken = reply.cost_usd if self.kind == "cost" else reply.latency_ms or None
        if taken is None:
            reason = f"{self.kind}_unknown"
        else:
            reason = None if taken <= self.most else "too_expensive" if self.kind == "cost" else "too_slow"
        return AssertionResult(
            name=self.name, passed=reason is None, reason=reason, details={"taken": taken, "most": self.most}
        )


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion.

    Raises:
        UsageError: The argument is no amount.
    """
    check_options(name, options)
    most = _amount(name, argument)
    if most is None:
        unit = "milliseconds, or seconds as in 2.5s" if name == "latency" else "US dollars, as in 0.01"
        raise UsageError(f"{name} takes an amount from 0 up: {name}:AMOUNT in {unit}")
    return Limit(name=label_of(name, options), kind=name, most=most)


def _amount(name: str, argument: JsonValue) -> float | None:
    if isinstance(argument, str):
        found = _AMOUNT.fullmatch(argument.strip())
        factor = _UNITS[name].get((found["unit"] or "").lower()) if found else None
        return float(found["number"]) * factor if found and factor else None
    if isinstance(argument, bool) or not isinstance(argument, int | float):
        return None
    return float(argument) if argument >= 0 and math.isfinite(argument) else None
