"""Fixtures of the assertions' tests: rows, replies and one that checks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from afterturn.evals import Reply, Row
from afterturn.evals._records import AssertionResult
from afterturn.evals._rows import read_row
from afterturn.evals.assertions import open_assertion
from afterturn.turns import Agent, Passage, ToolCall

Check = Callable[..., AssertionResult | None]
Calls = Callable[..., AssertionResult]


@pytest.fixture
def make_row() -> Callable[..., Row]:
    def made(**fields: Any) -> Row:
        return read_row({"id": "r1", "input": "Where is my parcel?", **fields})

    return made


@pytest.fixture
def check(make_row: Callable[..., Row]) -> Check:
    """Checks a reply's text by an assertion: `check("regex:a", "text", row={…}, tools=[…], passages=[…])`."""

    def checked(
        spec: str | dict[str, Any],
        text: str = "",
        *,
        row: dict[str, Any] | None = None,
        tools: Sequence[str] = (),
        passages: Sequence[str] | None = None,
        conclusion_tool: str | None = None,
        called: Sequence[str] = (),
        **fields: Any,
    ) -> AssertionResult | None:
        reply = Reply(
            text=text,
            agent=Agent("support", tools=tools, conclusion_tool=conclusion_tool),  # pyright: ignore[reportArgumentType]
            passages=None if passages is None else tuple(Passage(alias=alias, text="…") for alias in passages),
            tool_calls=tuple(ToolCall(name=name, arguments={}) for name in called),
            **fields,
        )
        return open_assertion(spec).check(make_row(**(row or {})), reply)

    return checked


@pytest.fixture
def calls(make_row: Callable[..., Row]) -> Calls:
    """Compares calls, each a name or a name with arguments: `calls(expected, made, mode, **options)`."""

    def compared(expected: object, made: Sequence[object], mode: str | None = None, **options: Any) -> AssertionResult:
        row = make_row(expected_tool_calls=expected)
        tool_calls = tuple(_call(call) for call in made)
        assertion = open_assertion({"name": "expected_tool_calls", "value": mode, **options})
        result = assertion.check(row, Reply(text="", tool_calls=tool_calls))
        assert result is not None
        return result

    return compared


def _call(call: Any) -> ToolCall:
    if isinstance(call, str):
        return ToolCall(name=call, arguments={})
    name, arguments = call
    if isinstance(arguments, str):
        return ToolCall(name=name, raw_arguments=arguments, arguments=None)
    return ToolCall(name=name, raw_arguments=json.dumps(arguments), arguments=arguments)
