"""Opens assertions by how they are written.

A new one is one file and one line of `_MAKERS`. On the command line and in a row it is written `NAME`,
`NAME:ARGUMENT`, or (rows only) `{"name": NAME, "value": ARGUMENT, …options}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from afterturn.errors import UsageError
from afterturn.evals._records import Row
from afterturn.evals.assertions._base import Assertion
from afterturn.evals.assertions._options import LABEL, guess
from afterturn.evals.assertions.expected_tool_calls import ExpectedToolCalls
from afterturn.turns import JsonObject, JsonValue

_LABEL_CHARACTERS = 80

# name -> module of this room that has `make(argument: JsonValue, options: JsonObject) -> Assertion`
_MAKERS = {
    "citations": "citations",
    "contains": "text",
    "cost": "limits",
    "ended": "ended",
    "equals": "text",
    "expected_tool_calls": "expected_tool_calls",
    "handoff": "handoff",
    "json_schema": "json_schema",
    "latency": "limits",
    "no_leak": "no_leak",
    "not_contains": "text",
    "not_regex": "regex",
    "regex": "regex",
}


def assertion_names() -> tuple[str, ...]:
    """The names of all assertions."""
    return tuple(sorted(_MAKERS))


def open_assertion(spec: str | JsonObject) -> Assertion:
    """Makes an assertion from how it is written.

    Args:
        spec: `NAME`, `NAME:ARGUMENT`, or an object with `name`, `value` (the argument) and options. In results a text
            is the assertion's name; an object's name is its `label`, else its `name`.

    Raises:
        UsageError: No assertion has the name, or its argument has no meaning.

    Example:
        >>> open_assertion("contains:refund").name
        'contains:refund'
        >>> open_assertion({"name": "contains", "value": ["refund", "14 days"]}).name
        'contains'
    """
    name, argument, options = _parts(spec)
    module = _MAKERS.get(name)
    if module is None:
        raise UsageError(
            f"no assertion is called {name!r}{guess(name, _MAKERS)}; there are {', '.join(assertion_names())}"
        )
    return import_module(f"{__package__}.{module}").make(name, argument, options)


def own_assertions(row: Row, others: Iterable[Assertion] = ()) -> tuple[Assertion, ...]:
    """Opens the assertions that a row declares: its list, and its expected tool calls.

    They have the names of their kinds in results, so that a long dataset has few: a text of a list is read as an
    object. The expected tool calls are not asserted twice.

    Args:
        row: The row.
        others: The assertions for every row.

    Raises:
        UsageError: One of them has no meaning.
    """
    listed = [_named_by_kind(spec) for spec in row.assertions]
    declared = row.expected_tool_calls is not None
    if declared and not any(isinstance(assertion, ExpectedToolCalls) for assertion in (*listed, *others)):
        listed.append(ExpectedToolCalls())
    return tuple(listed)


def check_row(row: Row) -> None:
    """Reads everything that a row asserts, so that a mistake is found before anything is spent.

    Raises:
        UsageError: It has no meaning; says where.
    """
    for assertion in own_assertions(row):
        if isinstance(assertion, ExpectedToolCalls):
            assertion.mode_of(row)
            for wanted in assertion.wanted(row) or ():
                wanted.check()


def _named_by_kind(spec: str | JsonObject) -> Assertion:
    if isinstance(spec, str):
        name, argument, _ = _parts(spec)
        spec = {"name": name, "value": argument}
    return open_assertion(spec)


def _parts(spec: str | JsonObject) -> tuple[str, JsonValue, JsonObject]:
    if isinstance(spec, str):
        name, _, text = spec.partition(":")
        return name.strip(), text or None, {LABEL: spec[:_LABEL_CHARACTERS]}
    options = {key: value for key, value in spec.items() if key not in ("name", "value")}
    return str(spec.get("name", "")), spec.get("value"), options
