"""Checks the reply's text: `contains:TEXT`, `not_contains:TEXT`, `equals:TEXT`; without one, the row's expected."""

from __future__ import annotations

from dataclasses import dataclass

from afterturn.errors import UsageError
from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._options import check_options, flag, label_of, texts
from afterturn.evals.assertions._seen import seen
from afterturn.turns import JsonObject, JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """Checks whether texts are in the reply, are not in it, or one is it. White space at the ends never counts.

    Attributes:
        name: The name in results.
        kind: `contains` (all of them), `not_contains` (none of them) or `equals` (one of them).
        texts: The texts; empty for the row's expected.
        case: Whether case counts.
        raw: Whether the reply is read as the model wrote it, and not as the customer sees it.
    """

    name: str
    kind: str
    texts: tuple[str, ...]
    case: bool = False
    raw: bool = False

    def check(self, row: Row, reply: Reply) -> AssertionResult | None:
        """Checks a reply."""
        wanted = self.texts or ((row.expected,) if isinstance(row.expected, str) and row.expected.strip() else ())
        if not wanted:
            return None
        said = self._folded(reply.text if self.raw else seen(row, reply).text)
        sought = [self._folded(text) for text in wanted]
        if self.kind == "equals":
            wrong = [] if said in sought else list(range(len(sought)))
        else:
            wrong = [index for index, text in enumerate(sought) if (text in said) != (self.kind == "contains")]
        return AssertionResult(
            name=self.name,
            passed=not wrong,
            reason=f"fails_{self.kind}" if wrong else None,
            details={"texts": len(sought), "wrong": wrong},
        )

    def _folded(self, text: str) -> str:
        return text.strip() if self.case else text.strip().casefold()


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion.

    Raises:
        UsageError: The argument is no text.
    """
    check_options(name, options, ("case", "raw"))
    wanted = texts(f"the value of {name}", argument)
    if any(not text.strip() for text in wanted):
        raise UsageError(f"{name} takes a text: {name}:TEXT")
    return Text(
        name=label_of(name, options),
        kind=name,
        texts=wanted,
        case=flag(f"{name}.case", options.get("case")),
        raw=flag(f"{name}.raw", options.get("raw")),
    )
