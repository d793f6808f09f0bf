"""Says where one tool call differs from an expected one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from afterturn.errors import UsageError
from afterturn.evals._records import ExpectedCall
from afterturn.evals.assertions._equal import ABSENT, Absent, join, same
from afterturn.evals.assertions._matchers import Matcher, read_matcher
from afterturn.evals.assertions._options import check_options, one_of
from afterturn.formats import is_list, is_object
from afterturn.turns import JsonObject, JsonValue, ToolCall

ARGUMENTS = ("exact", "subset", "ignore")
"""How arguments are compared: nothing but the expected ones, at least them, or not at all."""

UNREADABLE = "(arguments)"
"""The path of arguments that are no JSON object."""

EVERY = "*"
"""The path of a matcher for every value that has no matcher of its own."""

_PATH = re.compile(r"[.*\[]")
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Is an expected call, read.

    Attributes:
        name: The tool.
        arguments: What it should be called with, or None where only the tool counts.
        compare: `exact`, `subset` or `ignore`.
        matchers: How single arguments are compared, by path.
    """

    name: str
    arguments: JsonObject | None = None
    compare: str = "exact"
    matchers: Mapping[str, Matcher] = field(default_factory=dict[str, Matcher])

    def check(self) -> None:
        """Tries the matchers on what they expect, so that a mistake in one is found before any call is made.

        Raises:
            UsageError: A matcher has nothing to compare with, or nothing that it can read.
        """
        expected = self.arguments or {}
        filled = {path: expected.get(path, "") for path in self.matchers if not _PATH.search(path)}
        self.differing(ToolCall(name=self.name, arguments={**expected, **filled}, raw_arguments=""))

    def differing(self, call: ToolCall) -> list[str]:
        """Gives the paths of the arguments in which a call of this tool differs; none where it is right."""
        if self.compare == "ignore" or (self.arguments is None and not self.matchers):
            return []
        if call.arguments is None:
            return [UNREADABLE]
        return list(_Comparison(self).object(self.arguments or {}, call.arguments, ""))


@dataclass(frozen=True, slots=True)
class _Comparison:
    wanted: Wanted

    def object(self, expected: JsonObject, actual: JsonObject, path: str) -> Iterator[str]:
        here = (path, _starred(path))
        own = [_last(inner) for inner in self.wanted.matchers if inner != EVERY and _parent(inner) in here]
        for key in dict.fromkeys((*expected, *own)):
            yield from self.value(expected.get(key, ABSENT), actual.get(key, ABSENT), join(path, key))
        if self.wanted.compare == "exact":
            yield from (join(path, key) for key in actual if key not in expected and key not in own)

    def value(self, expected: JsonValue | Absent, actual: JsonValue | Absent, path: str) -> Iterator[str]:
        matchers = self.wanted.matchers
        matcher = matchers.get(path) or matchers.get(_starred(path))
        if matcher is not None:
            if not matcher.accepts(expected, actual):
                yield path
            return
        if isinstance(actual, Absent):
            yield path
        elif not isinstance(expected, Absent):
            yield from self._inside(expected, actual, path)

    def _inside(self, expected: JsonValue, actual: JsonValue, path: str) -> Iterator[str]:
        if is_object(expected) and is_object(actual):
            yield from self.object(expected, actual, path)
        elif is_list(expected) and is_list(actual) and len(expected) == len(actual):
            for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
                yield from self.value(left, right, f"{path}[{index}]")
        elif EVERY in self.wanted.matchers:
            if not self.wanted.matchers[EVERY].accepts(expected, actual):
                yield path
        elif not same(expected, actual):
            yield path


def read_wanted(call: ExpectedCall, *, where: str, compare: str, matchers: Mapping[str, Matcher]) -> Wanted:
    """Reads an expected call: its own `compare` and `match` come before those of the whole assertion.

    Raises:
        UsageError: One of them has no meaning.
    """
    check_options(where, call.extra, ("compare", "match", "id", "type"))
    own = read_matchers(call.extra.get("match"), f"{where}.match")
    shared = {path: one for path, one in matchers.items() if _concerns(path, one, call.arguments)}
    return Wanted(
        name=call.name,
        arguments=call.arguments,
        compare=one_of(f"{where}.compare", call.extra.get("compare"), ARGUMENTS, default=compare),
        matchers={**shared, **own},
    )


def _concerns(path: str, matcher: Matcher, arguments: JsonObject | None) -> bool:
    """Whether a matcher of all calls is for this one: it has the argument, or the matcher says the value."""
    if arguments is None:
        return False
    bare = isinstance(matcher.value, Absent) and matcher.kind != "ignore"
    return path == EVERY or not bare or _PATH.split(path, maxsplit=1)[0] in arguments


def read_matchers(value: JsonValue, where: str) -> dict[str, Matcher]:
    """Reads matchers by path: `city`, `address.city`, `items[*].count`, or `*` for every value.

    Raises:
        UsageError: One of them is no matcher.
    """
    if value is None:
        return {}
    if not is_object(value):
        raise UsageError(f"{where} is an object: the path of an argument, and how it is compared")
    return {path: read_matcher(spec, f"{where}.{path}") for path, spec in value.items()}


def _starred(path: str) -> str:
    return _INDEX.sub("[*]", path)


def _parent(path: str) -> str:
    return path.rpartition(".")[0]


def _last(path: str) -> str:
    return path.rpartition(".")[2]
