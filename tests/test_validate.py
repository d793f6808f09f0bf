from __future__ import annotations

from typing import Any

import pytest

from afterturn._validate import checked_field
from afterturn.errors import SchemaViolationError

LIST = {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "maxItems": 2}
TITLE = {"anyOf": [{"type": "string", "maxLength": 10}, {"type": "null"}]}
PERCENT = {"type": "integer", "minimum": 0, "maximum": 100}


@pytest.mark.parametrize(
    ("schema", "value", "checked", "dropped"),
    [
        (LIST, ["a"], ["a"], 0),
        (LIST, [], [], 0),
        (LIST, ["b", "b", "a"], ["b", "a"], 0),
        (LIST, ["x", "a", "y"], ["a"], 2),
        (LIST, ["a", "b", "c"], ["a", "b"], 0),
        (TITLE, None, None, 0),
        (TITLE, "short", "short", 0),
        (TITLE, "seven words too many", "seven", 0),
        (TITLE, "x" * 30, "x" * 10, 0),
        (PERCENT, 101, 100, 0),
        (PERCENT, -3, 0, 0),
        (PERCENT, 50.0, 50, 0),
        ({"type": "boolean"}, False, False, 0),
        ({"type": "string", "enum": ["none", "x"]}, "none", "none", 0),
    ],
)
def test_a_value_is_repaired_where_nothing_asked_for_is_lost(
    schema: Any, value: Any, checked: Any, dropped: int
) -> None:
    assert checked_field(schema, value) == (checked, dropped)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (LIST, "a"),
        (LIST, None),
        (LIST, [1]),
        (LIST, {"a": 1}),
        (TITLE, 3),
        (TITLE, ["x"]),
        (PERCENT, "90"),
        (PERCENT, 50.5),
        (PERCENT, True),
        (PERCENT, float("nan")),
        (PERCENT, float("inf")),
        ({"type": "boolean"}, "true"),
        ({"type": "boolean"}, 1),
        ({"type": "string", "enum": ["none", "x"]}, "y"),
    ],
)
def test_a_value_of_another_kind_is_a_schema_violation_that_does_not_show_it(schema: Any, value: Any) -> None:
    with pytest.raises(SchemaViolationError) as caught:
        checked_field(schema, value)
    assert repr(value) not in str(caught.value)
