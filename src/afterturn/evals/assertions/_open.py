"""Opens assertions by how they are written.

A new one is one file and one line of `_MAKERS`. On the command line and in a row it is written `NAME`,
`NAME:ARGUMENT`, or (rows only) `{"name": NAME, …}`.
"""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import cast

from afterturn.errors import UsageError
from afterturn.evals.assertions._base import Assertion
from afterturn.turns import JsonObject, JsonValue

# name -> module of this room that has `make(argument: JsonValue, options: JsonObject) -> Assertion`
_MAKERS = {
    "contains": "text",
    "not_contains": "text",
    "equals": "text",
}


def assertion_names() -> tuple[str, ...]:
    """The names of all assertions."""
    return tuple(sorted(_MAKERS))


def open_assertion(spec: str | JsonObject) -> Assertion:
    """Makes an assertion from how it is written.

    Args:
        spec: `NAME`, `NAME:ARGUMENT`, or an object with `name`, `value` (the argument) and options.

    Raises:
        UsageError: No assertion has the name, or its argument has no meaning.

    Example:
        >>> open_assertion("contains:refund").name
        'contains:refund'
    """
    if isinstance(spec, str):
        name, _, text = spec.partition(":")
        argument, options = cast(JsonValue, text or None), cast(JsonObject, {})
    else:
        options = {key: value for key, value in spec.items() if key not in ("name", "value")}
        name, argument = str(spec.get("name", "")), spec.get("value")
    module = _MAKERS.get(name)
    if module is None:
        near = difflib.get_close_matches(name, _MAKERS, n=1)
        guess = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"no assertion is called {name!r}{guess}; there are {', '.join(assertion_names())}")
    return import_module(f"{__package__}.{module}").make(name, argument, options)
