"""Asks a Python callable: plain, async, a generator of deltas, or an async one.

It is called with the row: attributes as of `Row`, and keys as in the dataset. What blocks runs in a thread.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import CoroutineType
from typing import Any, cast

from afterturn.errors import AgentError, UsageError
from afterturn.evals._records import Reply, Row
from afterturn.evals._rows import row_to_json
from afterturn.evals._threads import in_thread
from afterturn.evals.targets._base import Target
from afterturn.evals.targets._replies import MOST_CHARS, TOO_LONG, reply_from
from afterturn.stream import CleanStream
from afterturn.turns import JsonObject, JsonValue

_DELTA_CHARS = 16
"""What a delta counts for beside its text: endless empty ones fill the memory, too."""


class RowInput(dict[str, JsonValue]):
    """Is a row as a callable gets it: `row["input"]` is what the dataset says, `row.input` the messages.

    Example:
        >>> from afterturn.evals import read_row
        >>> row = RowInput(read_row({"id": "r1", "input": "Hello"}))
        >>> row["input"], row.input[0].text, row.text
        ('Hello', 'Hello', 'Hello')
    """

    def __init__(self, row: Row) -> None:
        super().__init__(row_to_json(row))
        self.row = row

    def __getattr__(self, name: str) -> Any:
        if name == "row":  # not there yet while it is copied
            raise AttributeError(name)
        return getattr(self.row, name)


class PythonTarget:
    """Is a callable under test.

    Args:
        function: The callable.
        name: What names it.
    """

    free = False

    def __init__(self, function: Callable[..., object], *, name: str) -> None:
        if not callable(function):
            raise UsageError(f"{name} is no callable; name a function that takes a row")
        self.name = name
        self.options: JsonObject = {}
        self._function = function
        self._on_loop = _is_async(function)

    async def ask(self, row: Row) -> Reply:
        """Calls it with the row.

        Raises:
            AgentError: What it gave is no reply.
            BaseException: Whatever it raised.
        """
        given = RowInput(row)
        value = self._function(given) if self._on_loop else await in_thread(lambda: _blocking(self._function, given))
        if isinstance(value, CoroutineType) or (not isinstance(value, str) and inspect.isawaitable(value)):
            value = await cast(Awaitable[object], value)
        if not isinstance(value, str) and isinstance(value, AsyncIterator):
            value = await _gathered(cast(AsyncIterator[object], value))
        return reply_from(value, row)

    async def aclose(self) -> None:
        """Holds nothing."""


def open_python(name: str, function: object) -> Target:
    """Makes a target of a callable."""
    return PythonTarget(cast(Callable[..., object], function), name=name)


def _is_async(function: Callable[..., object]) -> bool:
    """Whether calling it does not block: it only makes what is then awaited or iterated over."""
    called = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    inner = inspect.unwrap(cast(Callable[..., object], getattr(called, "func", called)))
    return inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner)


def _blocking(function: Callable[..., object], row: RowInput) -> object:
    """Runs in a thread; a generator does its work while it is iterated over."""
    value = function(row)
    if not inspect.isgenerator(value):
        return value
    kept = _Deltas()
    for delta in cast(Iterator[object], value):
        kept.add(delta)
    return _joined(kept.deltas)


async def _gathered(deltas: AsyncIterator[object]) -> object:
    kept = _Deltas()
    async for delta in deltas:
        kept.add(delta)
    return _joined(kept.deltas)


class _Deltas:
    """Keeps the deltas of a stream up to a bound: one without an end must not fill the memory until the deadline."""

    def __init__(self) -> None:
        self.deltas: list[object] = []
        self._chars = 0

    def add(self, delta: object) -> None:
        """Takes a delta.

        Raises:
            AgentError: `bad_reply`: they are too many.
        """
        self._chars += _DELTA_CHARS + (len(delta) if isinstance(delta, str) else 0)
        if self._chars > MOST_CHARS:
            raise AgentError("bad_reply", f"the agent's stream is longer than {TOO_LONG}; does it end?")
        self.deltas.append(delta)


def _joined(deltas: list[object]) -> object:
    """Joins deltas: strings, or events of `openai` or `anthropic`, of which the calls are kept."""
    if all(isinstance(delta, str) for delta in deltas):
        return "".join(cast(list[str], deltas))
    stream = CleanStream(deltas)
    for _ in stream:
        pass
    calls: list[JsonValue] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for message in stream.messages
        for call in message.calls
    ]
    return {"text": "".join(message.filter.raw for message in stream.messages), "tool_calls": calls}
