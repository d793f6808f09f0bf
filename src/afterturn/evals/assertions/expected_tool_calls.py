"""Checks the tool calls of a reply against those that the row expects.

Written `expected_tool_calls`, `expected_tool_calls:MODE` or `expected_tool_calls:MODE,COMPARE`. `[]` means that no tool
may be called, in every mode; a row without the field asserts nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from afterturn.errors import UsageError
from afterturn.evals._records import AssertionResult, Reply, Row
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._calls import ARGUMENTS, Wanted, read_matchers, read_wanted
from afterturn.evals.assertions._differences import Differences, compare_calls
from afterturn.evals.assertions._matchers import Matcher
from afterturn.evals.assertions._options import check_options, flag, label_of, one_of, texts
from afterturn.turns import JsonObject, JsonValue, ToolCall

NAME = "expected_tool_calls"
_OPTIONS = ("mode", "compare", "match", "free", "only", "repeats")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mode:
    """Says what of the calls counts.

    Attributes:
        order: Whether their order does.
        extra: Whether there may be calls that are not expected.
        missing: Whether an expected call may be missing.
    """

    order: bool = False
    extra: bool = False
    missing: bool = False


MODES: Mapping[str, Mode] = {
    "strict": Mode(order=True),
    "ordered": Mode(order=True, extra=True),
    "unordered": Mode(),
    "subset": Mode(missing=True),
    "superset": Mode(extra=True),
}
"""The modes. In `subset` the agent's calls are a subset of the expected ones, in `superset` a superset."""

DEFAULT_MODE = "unordered"


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedToolCalls:
    """Compares the calls that an agent made with those that its row expects.

    Attributes:
        name: The name in results.
        mode: The mode for rows that name none, or None.
        compare: How arguments are compared where the row's call does not say: `exact`, `subset`, `ignore`.
        matchers: How single arguments are compared, by path.
        free: Tools whose calls do not count (`search_*` is a pattern).
        only: The tools whose calls count; empty for all.
        repeats: Whether a call may be made again with the same arguments.
    """

    name: str = NAME
    mode: str | None = None
    compare: str = "exact"
    matchers: Mapping[str, Matcher] = field(default_factory=dict[str, Matcher])
    free: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    repeats: bool = False

    def check(self, row: Row, reply: Reply) -> AssertionResult | None:
        """Checks a reply.

        Raises:
            UsageError: The row's calls have a mode or a matcher that there is not.
        """
        wanted = self.wanted(row)
        if wanted is None:
            return None
        mode = self.mode_of(row)
        found = self.compared(wanted, reply.tool_calls, mode)
        reason = found.reason(extra=MODES[mode].extra, missing=MODES[mode].missing)
        return AssertionResult(
            name=self.name, passed=reason is None, reason=reason, details={"mode": mode, **found.to_json()}
        )

    def mode_of(self, row: Row) -> str:
        """Gives the mode for a row: its own comes first.

        Raises:
            UsageError: The row's mode is none.
        """
        return one_of("the mode of expected_tool_calls", row.tool_call_mode or self.mode, MODES, default=DEFAULT_MODE)

    def wanted(self, row: Row) -> list[Wanted] | None:
        """Reads the row's calls; None where it says nothing of them.

        Raises:
            UsageError: One of them has no meaning.
        """
        calls = row.expected_tool_calls
        if calls is None:
            return None
        return [
            read_wanted(call, where=f"{NAME}[{index}]", compare=self.compare, matchers=self.matchers)
            for index, call in enumerate(calls)
        ]

    def compared(self, wanted: Sequence[Wanted], calls: Sequence[ToolCall], mode: str) -> Differences:
        """Pairs expected calls with those that were made and that count."""
        counted = [call for call in calls if self._counts(call.name)]
        return compare_calls(wanted, counted, order=MODES[mode].order, repeats=self.repeats)

    def _counts(self, tool: str) -> bool:
        if any(fnmatchcase(tool, pattern) for pattern in self.free):
            return False
        return not self.only or any(fnmatchcase(tool, pattern) for pattern in self.only)


def make(name: str, argument: JsonValue, options: JsonObject) -> Assertion:
    """Makes the assertion.

    Raises:
        UsageError: The argument is no mode, or an option has no meaning.
    """
    check_options(name, options, _OPTIONS)
    if argument is not None and not isinstance(argument, str):
        raise UsageError(f"{name} takes a mode: {name}:MODE; the calls stand in the row under expected_tool_calls")
    spoken_mode, _, spoken_compare = (argument or "").partition(",")
    mode = options.get("mode", spoken_mode or None)
    compare = options.get("compare", spoken_compare or None)
    return ExpectedToolCalls(
        name=label_of(name, options),
        mode=None if mode is None else one_of(f"the mode of {name}", mode, MODES, default=DEFAULT_MODE),
        compare=one_of(f"{name}.compare", compare, ARGUMENTS, default="exact"),
        matchers=read_matchers(options.get("match"), f"{name}.match"),
        free=texts(f"{name}.free", options.get("free")),
        only=texts(f"{name}.only", options.get("only")),
        repeats=flag(f"{name}.repeats", options.get("repeats")),
    )
