"""Checks the reply by a regular expression: `regex:PATTERN` is found somewhere in it, `not_regex:PATTERN` nowhere."""

from __future__ import annotations

import re
from dataclasses import dataclass

from afterturn.errors import UsageError
from afterturn.evals._patterns import BoundedPattern
from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._options import check_options, flag, label_of
from afterturn.evals.assertions._seen import seen
from afterturn.turns import JsonObject, JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """Looks for a pattern in what the customer sees.

    Attributes:
        name: The name in results.
        pattern: The pattern, Python's `re`; `^` and `$` are the ends of the reply.
        wanted: Whether it has to be there, or must not.
        raw: Whether the reply is read as the model wrote it.
    """

    name: str
    pattern: BoundedPattern
    wanted: bool = True
    raw: bool = False

    def check(self, row: Row, reply: Reply) -> AssertionResult:
        """Checks a reply.

        Raises:
            UsageError: The pattern takes too long on it.
        """
        found = self.pattern.found(reply.text if self.raw else seen(row, reply).text)
        passed = found == self.wanted
        reason = None if passed else "not_found" if self.wanted else "found"
        return AssertionResult(name=self.name, passed=passed, reason=reason)


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion.

    Raises:
        UsageError: The argument is no regular expression.
    """
    check_options(name, options, ("ignore_case", "raw"))
    if not isinstance(argument, str) or not argument:
        raise UsageError(f"{name} takes a pattern: {name}:PATTERN")
    flags = re.IGNORECASE if flag(f"{name}.ignore_case", options.get("ignore_case")) else 0
    return Pattern(
        name=label_of(name, options),
        pattern=BoundedPattern(argument, f"the pattern of {name}", flags),
        wanted=name == "regex",
        raw=flag(f"{name}.raw", options.get("raw")),
    )
