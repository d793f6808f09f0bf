"""Compares one argument of a tool call with what is expected of it, in the way that the row names.

A matcher is written as its kind (`"casefold"`) or as an object: `{"kind": "number", "tolerance": 0.5}`. What it
compares with is the argument in the row's call, or the matcher's own `value`. `"optional": true` lets the argument be
missing. A new kind is one function and one line of `_KINDS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from afterturn.errors import UsageError
from afterturn.evals._patterns import BoundedPattern
from afterturn.evals.assertions._dates import read_moment, same_moment
from afterturn.evals.assertions._equal import ABSENT, Absent, same
from afterturn.evals.assertions._options import flag, one_of
from afterturn.formats import is_list, is_object
from afterturn.turns import JsonObject, JsonValue

Check = Callable[[JsonValue, JsonValue], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class Matcher:
    """Compares one argument.

    Attributes:
        kind: How it compares.
        check: Compares what is expected with what is there.
        value: What is expected, or `ABSENT` where the row's call says it.
        optional: Whether the argument may be missing.
    """

    kind: str
    check: Check
    value: JsonValue | Absent = ABSENT
    optional: bool = False

    def accepts(self, expected: JsonValue | Absent, actual: JsonValue | Absent) -> bool:
        """Says whether an argument is right.

        Raises:
            UsageError: Nothing says what it should be.
        """
        if isinstance(actual, Absent):
            return self.optional
        wanted = expected if isinstance(self.value, Absent) else self.value
        if isinstance(wanted, Absent):
            if self.kind == "ignore":
                return True
            raise UsageError(f"the matcher {self.kind} has nothing to compare with; give it a `value`")
        return self.check(wanted, actual)


def read_matcher(spec: JsonValue, where: str) -> Matcher:
    """Reads how an argument is compared.

    Args:
        spec: A kind, or an object with `kind`, and where wanted `value`, `optional` and the kind's own options.
        where: Where it stands, for errors.

    Raises:
        UsageError: It is no matcher.

    Example:
        >>> read_matcher({"kind": "number", "tolerance": 0.5}, "match.price").accepts(10, "10.4")
        True
    """
    given = {"kind": spec} if isinstance(spec, str) else spec
    if not is_object(given):
        raise UsageError(f"{where} is no matcher; give one of {', '.join(_KINDS)}, or an object with `kind`")
    kind = one_of(f"{where}.kind", given.get("kind"), _KINDS, default="exact")
    make, options = _KINDS[kind]
    for key in given:
        if key not in ("kind", "value", "optional", *options):
            raise UsageError(f"{where}: the matcher {kind} has no option {key!r}")
    return Matcher(
        kind=kind,
        check=make(given, where),
        value=given.get("value", ABSENT),
        optional=flag(f"{where}.optional", given.get("optional")) or (kind == "ignore" and "optional" not in given),
    )


def _exact(_: JsonObject, __: str) -> Check:
    return same


def _ignore(_: JsonObject, __: str) -> Check:
    return lambda _, __: True


def _casefold(_: JsonObject, __: str) -> Check:
    return lambda expected, actual: same(_folded(expected), _folded(actual))


def _folded(value: JsonValue) -> JsonValue:
    """Takes case and spare white space out of every text."""
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    if is_list(value):
        return [_folded(item) for item in value]
    return {key: _folded(item) for key, item in value.items()} if is_object(value) else value


def _number(spec: JsonObject, where: str) -> Check:
    absolute, relative = (_distance(spec.get(name, 0), f"{where}.{name}") for name in ("tolerance", "relative"))

    def check(expected: JsonValue, actual: JsonValue) -> bool:
        left, right = _as_number(expected), _as_number(actual)
        if left is None or right is None:
            return isinstance(actual, int) and same(expected, actual)  # beyond the range of floats
        return math.isclose(left, right, rel_tol=relative, abs_tol=absolute)

    return check


def _distance(value: JsonValue, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise UsageError(f"{where} is a number from 0 up")
    return float(value)


def _as_number(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _date(_: JsonObject, __: str) -> Check:
    def check(expected: JsonValue, actual: JsonValue) -> bool:
        if read_moment(expected) is None:
            raise UsageError("the matcher date has no date to compare with; write it as in ISO 8601")
        return same_moment(expected, actual)

    return check


def _regex(spec: JsonObject, where: str) -> Check:
    if isinstance(spec.get("value"), str):
        BoundedPattern(str(spec["value"]), where)

    def check(expected: JsonValue, actual: JsonValue) -> bool:
        pattern = BoundedPattern(str(expected), where)
        return isinstance(actual, str | int | float) and pattern.found(_text(actual))

    return check


def _text(value: str | int | float) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _contains(_: JsonObject, __: str) -> Check:
    def check(expected: JsonValue, actual: JsonValue) -> bool:
        if isinstance(actual, str):
            return isinstance(expected, str) and expected.casefold() in actual.casefold()
        wanted = expected if is_list(expected) else [expected]
        return is_list(actual) and all(any(same(item, found) for found in actual) for item in wanted)

    return check


def _any_of(spec: JsonObject, where: str) -> Check:
    if not is_list(spec.get("value")):
        raise UsageError(f"{where}: the matcher any_of takes a list of values under `value`")
    inner = read_matcher(spec.get("by", "exact"), f"{where}.by")
    return lambda expected, actual: any(inner.accepts(value, actual) for value in cast("list[Any]", expected))


_KINDS: dict[str, tuple[Callable[[JsonObject, str], Check], tuple[str, ...]]] = {
    "exact": (_exact, ()),
    "casefold": (_casefold, ()),
    "number": (_number, ("tolerance", "relative")),
    "date": (_date, ()),
    "regex": (_regex, ()),
    "any_of": (_any_of, ("by",)),
    "contains": (_contains, ()),
    "ignore": (_ignore, ()),
}
MATCHER_KINDS = tuple(_KINDS)
