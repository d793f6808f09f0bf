"""Rows are read as the contract says, and the same content has the same hash."""

from __future__ import annotations

from typing import Any

import pytest

from afterturn.evals import ExpectedCall, read_row, row_to_json
from afterturn.formats import FormatProblem

WHOLE: dict[str, Any] = {
    "id": "r1",
    "input": [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Where is it?"}],
    "expected": ["here", "there"],
    "criteria": "Names a place.",
    "context": ["It is here.", {"alias": "c7", "text": "Or there.", "title": "Places"}],
    "expected_tool_calls": {"mode": "ordered", "calls": ["find", {"name": "go", "arguments": {"to": "x"}, "any": 1}]},
    "tools": [{"name": "find", "description": "Finds.", "parameters": {"type": "object"}, "result": 1}],
    "tool_results": {"find": {"at": "x"}},
    "assert": ["contains:here", {"name": "regex", "value": "h.re"}],
    "metadata": {"topic": "places"},
}


def test_a_whole_row_survives_being_written_and_read() -> None:
    row = read_row(WHOLE, source="rows.jsonl:1")
    assert read_row(row_to_json(row), source="rows.jsonl:1") == row
    assert row.text == "Where is it?"
    assert row.criteria == ("Names a place.",)
    assert [passage.alias for passage in row.context or ()] == ["c8", "c7"]
    assert row.tool_call_mode == "ordered"
    assert row.expected_tool_calls == (
        ExpectedCall(name="find"),
        ExpectedCall(name="go", arguments={"to": "x"}, extra={"any": 1}),
    )


def test_no_calls_expected_is_another_thing_than_nothing_said_of_calls() -> None:
    assert read_row({"input": "Hi", "expected_tool_calls": []}).expected_tool_calls == ()
    assert read_row({"input": "Hi"}).expected_tool_calls is None
    assert read_row({"input": "Hi", "context": []}).context == ()
    assert read_row({"input": "Hi"}).context is None


def test_the_hash_is_of_the_content_and_nothing_else() -> None:
    row = read_row({"id": "a", "input": "Hi", "metadata": {"x": 1, "y": 2}}, source="one:1")
    assert row.content == read_row({"metadata": {"y": 2, "x": 1}, "input": "Hi", "id": "a"}, source="two:9").content
    assert row.content == read_row({"id": "a", "input": [{"role": "user", "content": "Hi"}], "x": 1, "y": 2}).content
    others: list[dict[str, Any]] = [
        {"id": "b", "input": "Hi", "x": 1, "y": 2},
        {"id": "a", "input": "Hi!", "x": 1, "y": 2},
        {"id": "a", "input": "Hi", "x": 1, "y": 2, "expected_tool_calls": []},
        {"id": "a", "input": "Hi", "x": 1, "y": 2, "context": []},
    ]
    assert len({row.content, *(read_row(other).content for other in others)}) == 5


def test_a_row_without_an_id_gets_one_from_its_content() -> None:
    row = read_row({"input": "Hi"})
    assert row.id == f"r-{row.content}"
    assert read_row({"id": 7, "input": "Hi"}).id == "7"


NO_ROWS: list[tuple[Any, str | None]] = [
    ([], "the row is a list; it must be an object with `input`"),
    ({}, "the row has no input; put a text or a list of messages under `input`"),
    ({"input": ""}, "the row has no input; put a text or a list of messages under `input`"),
    ({"input": 3}, "messages is a number; it must be a list of messages"),
    ({"input": [{"role": "wizard"}]}, None),
    ({"input": "x", "criteria": 1}, "criteria is a number; it must be a text or a list of texts"),
    ({"input": "x", "expected_tool_calls": "find"}, None),
    ({"input": "x", "expected_tool_calls": [{}]}, "expected_tool_calls[0] has no name; say which tool is expected"),
    ({"input": "x", "metadata": 1}, "metadata is a number; it must be an object"),
    ({"input": "x", "assert": [1]}, "assert[0] is a number; it must be a name or an object with a name"),
    ({"input": "x", "id": "a\nb"}, None),
]


@pytest.mark.parametrize(("value", "problem"), NO_ROWS)
def test_what_is_no_row_is_refused_with_its_place(value: Any, problem: str | None) -> None:
    with pytest.raises(FormatProblem) as caught:
        read_row(value)
    if problem is not None:
        assert str(caught.value) == problem
