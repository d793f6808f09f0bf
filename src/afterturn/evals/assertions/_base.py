"""Says what an assertion looks like to the runner."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from afterturn.evals._records import AssertionResult, Reply, Row


@runtime_checkable
class Assertion(Protocol):
    """Checks a reply without a judge."""

    @property
    def name(self) -> str:
        """The name in results and reports."""
        ...

    def check(self, row: Row, reply: Reply) -> AssertionResult | None:
        """Checks a reply; None where the row does not declare what this assertion is about.

        Pure: no I/O, no clock. Whatever it raises makes the row a `judge_error` with the reason `assertion_broke`.
        """
        ...
