"""Checks how a simulated conversation ended: `ended:goal_reached`, or a list of ways of which one is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from afterturn.errors import UsageError
from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._options import check_options, label_of
from afterturn.formats import is_list
from afterturn.turns import JsonObject, JsonValue
from afterturn.verdicts import is_code


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """Looks at why a conversation ended.

    Attributes:
        name: The name in results.
        ways: The ways that are right (`goal_reached`, `handoff`, …).
    """

    name: str
    ways: tuple[str, ...]

    def check(self, row: Row, reply: Reply) -> AssertionResult | None:
        """Checks a conversation; a reply that is none says nothing."""
        told = reply.extra.get("simulation")
        if not isinstance(told, Mapping):
            return None
        stop = told.get("stop")
        passed = stop in self.ways
        return AssertionResult(
            name=self.name, passed=passed, reason=None if passed else "ended_otherwise", details={"stop": stop}
        )


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion.

    Raises:
        UsageError: The argument names no way to end.
    """
    check_options(name, options, ())
    given = argument.split("|") if isinstance(argument, str) else argument
    ways = [way.strip() for way in given if isinstance(way, str)] if is_list(given) else []
    if not ways or not all(map(is_code, ways)):
        raise UsageError(f"{name} takes a way to end: {name}:goal_reached, or {name}:goal_reached|handoff")
    return Ended(name=label_of(name, options), ways=tuple(ways))
