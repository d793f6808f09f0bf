"""Says how the calls that were made differ from the expected ones: what is missing, extra, out of order, different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from afterturn.evals.assertions._calls import Wanted
from afterturn.evals.assertions._pairing import in_any_order, in_order
from afterturn.formats import canonical_json
from afterturn.turns import JsonValue, ToolCall

MOST_LISTED = 20
"""So many differences are listed; the counts are those of all."""

_NAME_CHARACTERS = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Differing:
    """Is a call of an expected tool with other arguments.

    Attributes:
        tool: The tool.
        expected: Index of the expected call.
        actual: Index of the call.
        paths: The arguments that differ.
    """

    tool: str
    expected: int
    actual: int
    paths: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Differences:
    """Is what came of comparing two lists of calls.

    Attributes:
        expected: How many calls are expected.
        actual: How many were made that count.
        matched: How many are paired.
        missing: The expected tools without a call.
        extra: The tools called beyond what is expected.
        differing: Calls of expected tools with other arguments; they are neither missing nor extra.
        misplaced: The expected tools that were called, but not in their place; then nothing is missing.
    """

    expected: int
    actual: int
    matched: int
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    differing: tuple[Differing, ...] = ()
    misplaced: tuple[str, ...] = ()

    def reason(self, *, extra: bool, missing: bool) -> str | None:
        """Gives the code of what is wrong, or None.

        Args:
            extra: Whether there may be calls that are not expected.
            missing: Whether an expected call may be missing.
        """
        lacks = self.matched < self.expected and not missing
        exceeds = self.matched < self.actual and not (extra and self.expected)
        if not lacks and not exceeds:
            return None
        if not self.expected:
            return "call_not_allowed"
        if self.misplaced:
            return "order_differs"
        if self.differing:
            return "arguments_differ"
        if lacks and exceeds and self.missing and self.extra:
            return "wrong_tool"
        return "call_missing" if lacks else "extra_call"

    def to_json(self) -> dict[str, JsonValue]:
        """Gives counts, names and paths; no argument's value."""
        wire: dict[str, JsonValue] = {"expected": self.expected, "actual": self.actual, "matched": self.matched}
        if self.misplaced:
            wire["misplaced"] = list(self.misplaced[:MOST_LISTED])
        if self.missing:
            wire["missing"] = list(self.missing[:MOST_LISTED])
        if self.extra:
            wire["extra"] = list(self.extra[:MOST_LISTED])
        if self.differing:
            wire["differing"] = [
                {"tool": one.tool, "expected": one.expected, "actual": one.actual, "paths": list(one.paths)}
                for one in self.differing[:MOST_LISTED]
            ]
        return wire


def compare_calls(
    wanted: Sequence[Wanted], calls: Sequence[ToolCall], *, order: bool, repeats: bool = False
) -> Differences:
    """Compares calls with expected ones.

    Args:
        wanted: The expected calls.
        calls: Those that were made.
        order: Whether their order counts.
        repeats: Whether a call may be made again with the same arguments; the repeat is then not counted.
    """
    table = _Table(wanted, calls)
    anyhow = in_any_order(len(wanted), len(calls), table.fits)
    pairs = in_order(len(wanted), len(calls), table.fits) if order else anyhow
    misplaced: tuple[str, ...] = ()
    matched = len(pairs)
    if len(anyhow) == len(wanted) > matched:
        misplaced = tuple(wanted[index].name for index in range(len(wanted)) if index not in pairs)
        pairs = anyhow
    free = [index for index in range(len(wanted)) if index not in pairs]
    left = sorted(set(range(len(calls))) - set(pairs.values()))
    if repeats:
        left = _without_repeats(left, calls)
    differing = table.near(free, left)
    found, used = {one.expected for one in differing}, {one.actual for one in differing}
    return Differences(
        expected=len(wanted),
        actual=len(pairs) + len(left),
        matched=matched,
        missing=tuple(wanted[index].name for index in free if index not in found),
        extra=tuple(calls[index].name[:_NAME_CHARACTERS] for index in left if index not in used),
        differing=tuple(differing),
        misplaced=misplaced,
    )


def _without_repeats(left: Sequence[int], calls: Sequence[ToolCall]) -> list[int]:
    """Takes out of what is left each call that is the same as one that is paired, or left before it."""
    waiting = set(left)
    seen = {_content(call) for index, call in enumerate(calls) if index not in waiting}
    kept: list[int] = []
    for index in left:
        content = _content(calls[index])
        if content not in seen:
            seen.add(content)
            kept.append(index)
    return kept


def _content(call: ToolCall) -> str:
    return canonical_json([call.name, call.raw_arguments if call.arguments is None else call.arguments])


class _Table:
    """Compares each expected call with each that was made, once."""

    def __init__(self, wanted: Sequence[Wanted], calls: Sequence[ToolCall]) -> None:
        self._wanted = wanted
        self._calls = calls
        self._known: dict[tuple[int, int], list[str]] = {}

    def fits(self, expected: int, actual: int) -> bool:
        return self._calls[actual].name == self._wanted[expected].name and not self._paths(expected, actual)

    def near(self, free: Sequence[int], left: Sequence[int]) -> list[Differing]:
        """Pairs what is left by tool, the pairs with the fewest differences first."""
        pairs = [
            (len(self._paths(i, j)), i, j) for i in free for j in left if self._calls[j].name == self._wanted[i].name
        ]
        found: list[Differing] = []
        seen: set[int] = set()
        used: set[int] = set()
        for _, i, j in sorted(pairs):
            if i not in seen and j not in used:
                seen.add(i)
                used.add(j)
                paths = tuple(self._paths(i, j)[:MOST_LISTED])
                found.append(Differing(tool=self._wanted[i].name, expected=i, actual=j, paths=paths))
        return sorted(found, key=lambda one: one.expected)

    def _paths(self, expected: int, actual: int) -> list[str]:
        key = (expected, actual)
        if key not in self._known:
            self._known[key] = self._wanted[expected].differing(self._calls[actual])
        return self._known[key]
