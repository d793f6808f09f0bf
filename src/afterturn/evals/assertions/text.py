"""Checks the reply's text: `contains:TEXT`, `not_contains:TEXT`, `equals:TEXT`; without one, the row's expected."""

from __future__ import annotations

from dataclasses import dataclass

from afterturn.errors import UsageError
from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals.assertions._base import Assertion
from afterturn.turns import JsonObject, JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Checks whether a text is in the reply, is not in it, or is it; case and spaces at the ends do not count."""

    kind: str
    text: str | None

    @property
    def name(self) -> str:
        """The kind, and the text where one was given."""
        return self.kind if self.text is None else f"{self.kind}:{self.text}"

    def check(self, row: Row, reply: Reply) -> AssertionResult | None:
        """Checks a reply."""
        wanted = self.text if self.text is not None else row.expected
        if not isinstance(wanted, str):
            return None
        said, sought = reply.text.strip().casefold(), wanted.strip().casefold()
        passed = said == sought if self.kind == "equals" else (sought in said) == (self.kind == "contains")
        return AssertionResult(name=self.name, passed=passed, reason=None if passed else f"fails_{self.kind}")


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion.

    Raises:
        UsageError: The argument is no text.
    """
    if argument is not None and (not isinstance(argument, str) or not argument.strip()):
        raise UsageError(f"{name} takes a text: {name}:TEXT")
    return Text(kind=name, text=argument)
