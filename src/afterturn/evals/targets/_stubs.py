"""Answers tool calls in the sandbox: a declared or recorded result, and real code only for tools named as real."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from afterturn._unreadable import why_unreadable
from afterturn.errors import UsageError
from afterturn.evals._records import Row
from afterturn.evals._threads import in_thread
from afterturn.evals.targets._importing import imported
from afterturn.formats import FormatProblem, dump_json, is_list, is_object, read_tools, to_plain
from afterturn.turns import JsonObject, JsonValue, Tool, ToolCall

NO_RESULT: JsonObject = {"stub": True, "result": None}
"""What a stub answers where nobody declared a result."""


def load_tools(path: str | None) -> tuple[Tool, ...]:
    """Reads a file of tools: JSON or YAML, a list in the form of OpenAI, Anthropic, or `{"name", "parameters"}`.

    Raises:
        UsageError: It cannot be read, or is no list of tools.
    """
    if path is None:
        return ()
    try:
        value = to_plain(yaml.safe_load(Path(path).read_text(encoding="utf-8-sig")))
        return read_tools(value.get("tools") if is_object(value) else value)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the tools cannot be read: {why_unreadable(error)}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: the tools cannot be read ({type(error).__name__}); give a JSON list") from None
    except FormatProblem as problem:
        raise UsageError(f"{path}: {problem}") from None


class Toolbox:
    """Answers the calls of one agent.

    Args:
        tools: The tools on offer; `result` in one of them is what its stub answers.
        real: Tools that are run for real, `NAME=module:callable`. They are called with the arguments as keywords.

    Raises:
        UsageError: A real tool has no callable, or is not among the tools on offer, where those are named.
    """

    def __init__(self, tools: Sequence[Tool], real: Sequence[str] = ()) -> None:
        self.tools = tuple(tools)
        self._declared = {tool.name: tool.extra["result"] for tool in tools if "result" in tool.extra}
        self._real = dict(_real_tool(spec) for spec in real)
        names = [tool.name for tool in tools]
        for name in self._real:
            if names and name not in names:
                raise UsageError(f"the real tool {name} is not on offer; there is {', '.join(names)}")

    def offering(self, tools: Sequence[Tool]) -> Toolbox:
        """The same with other tools on offer; those that are real stay real."""
        box = Toolbox(tools)
        box._real = self._real
        return box

    async def answer(self, call: ToolCall, row: Row) -> str:
        """Answers a call: for real, by what the row or the tool declares, or with an empty result."""
        if call.arguments is None:
            return dump_json({"error": "the arguments are no JSON object"})
        if call.name in self._real:
            return await _run(self._real[call.name], call.arguments)
        if call.name in row.tool_results:
            return _text(_recorded(row.tool_results[call.name], call.arguments))
        return _text(self._declared.get(call.name, NO_RESULT))


def _real_tool(spec: str) -> tuple[str, Callable[..., object]]:
    name, equals, place = spec.partition("=")
    if not (name and equals and place):
        raise UsageError(f"{spec!r} names no real tool; write NAME=module:callable")
    function = imported(place)
    if not callable(function):
        raise UsageError(f"{place} is no callable; name the function that is the tool {name}")
    return name, function


async def _run(function: Callable[..., object], arguments: JsonObject) -> str:
    """Runs a real tool; where it breaks, the agent is told so, as in life."""
    try:
        if inspect.iscoroutinefunction(function):
            value: object = await function(**arguments)
        else:
            value = await in_thread(lambda: function(**arguments))
            if inspect.isawaitable(value):
                value = await cast(Awaitable[object], value)
        return value if isinstance(value, str) else dump_json(to_plain(value))
    except Exception as error:  # a tool's own failure is an answer to the agent
        return dump_json({"error": type(error).__name__})


def _recorded(value: JsonValue, arguments: JsonObject) -> JsonValue:
    """Finds the result recorded for these arguments, where the row has results by arguments."""
    if not (is_list(value) and value and all(is_object(one) and "result" in one for one in value)):
        return value
    entries = cast(Sequence[Mapping[str, Any]], value)
    for entry in entries:
        wanted: JsonValue = entry.get("arguments") or {}
        if is_object(wanted) and all(arguments.get(key) == item for key, item in wanted.items()):
            return entry["result"]
    return NO_RESULT


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else dump_json(value)
