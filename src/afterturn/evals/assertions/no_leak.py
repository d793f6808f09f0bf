"""Checks that nothing leaked into the reply: `no_leak`, or one kind, `no_leak:calls`, `:markers`, `:reasoning`.

What leaks is what the stream filter takes out: tool calls written as text, reasoning, and citations of passages that
were never handed out. `no_leak:markers` is about a reply that has been filtered: there, every citation is a leak.
"""

from __future__ import annotations

from dataclasses import dataclass

from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._options import check_options, label_of, one_of
from afterturn.evals.assertions._seen import passages_of, tools_on_offer
from afterturn.stream import clean
from afterturn.turns import JsonObject, JsonValue

KINDS = ("all", "calls", "markers", "reasoning")


@dataclass(frozen=True, kw_only=True, slots=True)
class NoLeak:
    """Looks for what the customer should not have seen in the reply as the agent gave it.

    Attributes:
        name: The name in results.
        kind: What is looked for.
    """

    name: str
    kind: str = "all"

    def check(self, row: Row, reply: Reply) -> AssertionResult:
        """Checks a reply."""
        aliases = [passage.alias for passage in passages_of(row, reply) or ()]
        found = clean(reply.text, aliases=aliases, tools=tools_on_offer(row, reply))
        markers = len(found.unknown) if self.kind == "all" else len(found.marks) + len(found.unknown)
        leaks = {
            "calls": list(found.leaks),
            "markers": markers,
            "reasoning": len(found.reasoning),
        }
        leaked = [kind for kind, much in leaks.items() if much and self.kind in ("all", kind)]
        return AssertionResult(
            name=self.name,
            passed=not leaked,
            reason=f"leaked_{leaked[0]}" if leaked else None,
            details={kind: leaks[kind] for kind in leaked},
        )


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion.

    Raises:
        UsageError: The argument is nothing that leaks.
    """
    check_options(name, options)
    return NoLeak(name=label_of(name, options), kind=one_of(f"the kind of {name}", argument, KINDS, default="all"))
