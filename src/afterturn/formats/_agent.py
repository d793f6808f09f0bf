"""Reads and writes the agent of a turn: its keys stand in the turn itself or in an `agent` object."""

from __future__ import annotations

from collections.abc import Sequence

from afterturn.formats._fields import read_id, read_list, read_text
from afterturn.formats._parts import part_text, text_of
from afterturn.formats._problem import FormatProblem, wrong_type
from afterturn.formats._values import is_list, is_object
from afterturn.turns import Agent, JsonObject, JsonValue, Message, Tool, joined_text

_KEYS = ("model", "instructions", "categories", "tools", "parent_agent", "conclusion_tool")


def read_agent(extra: dict[str, JsonValue], messages: Sequence[Message]) -> Agent:
    """Reads the agent and takes its keys out of `extra`; unknown keys of the agent and its categories stay there.

    A key beside `agent` wins over the same key inside it. Without `instructions`, Anthropic's top-level `system` is
    taken, and without that the system and developer messages that the conversation begins with.
    """
    inner = _inner(extra)
    given = {key: _first(extra.pop(key, None), inner.pop(key, None)) for key in _KEYS}
    agent_id = read_id(inner.pop("id", None), "agent.id")
    parent = read_id(_first(given["parent_agent"], inner.pop("parent", None)), "parent_agent")
    instructions = read_text(given["instructions"], "instructions")
    if instructions is None:
        instructions = _take_system(extra, messages)
    names, descriptions, unknown = _read_categories(given["categories"])
    if inner:
        extra["agent"] = inner
    if unknown:
        extra["categories"] = unknown
    return Agent(
        agent_id or "default",
        model=read_text(given["model"], "model") or None,
        instructions=instructions,
        categories=names,
        category_descriptions=descriptions,
        tools=read_tools(given["tools"]),
        parent=parent,
        conclusion_tool=read_text(given["conclusion_tool"], "conclusion_tool") or None,
    )


def agent_to_json(agent: Agent, messages: Sequence[Message], extra: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Writes the keys of the agent but its tools, and takes what belongs to it out of `extra`."""
    unknown = extra.pop("agent", None)
    wire: dict[str, JsonValue] = {"agent": {"id": agent.id, **unknown} if is_object(unknown) else agent.id}
    if agent.instructions or system_text(messages):
        wire["instructions"] = agent.instructions
    if agent.model is not None:
        wire["model"] = agent.model
    details = extra.pop("categories", None)
    if agent.categories:
        wire["categories"] = [
            _category_to_json(name, agent.category_descriptions.get(name), details) for name in agent.categories
        ]
    if agent.parent is not None:
        wire["parent_agent"] = agent.parent
    if agent.conclusion_tool is not None:
        wire["conclusion_tool"] = agent.conclusion_tool
    return wire


def system_text(messages: Sequence[Message]) -> str:
    """Joins the system and developer messages that a conversation begins with."""
    leading: list[Message] = []
    for message in messages:
        if message.role not in ("system", "developer"):
            break
        leading.append(message)
    return joined_text(leading)


def read_tools(value: JsonValue) -> tuple[Tool, ...]:
    """Reads tools: names, `{"name", "description", "parameters"}`, OpenAI's and Anthropic's objects."""
    return tuple(_read_tool(tool, f"tools[{index}]") for index, tool in enumerate(read_list(value, "tools")))


def tool_to_json(tool: Tool) -> JsonObject:
    """Writes one tool, its unknown keys included; in OpenAI's form where it had unknown keys of that form."""
    wire: dict[str, JsonValue] = {"name": tool.name}
    if tool.description:
        wire["description"] = tool.description
    if tool.parameters:
        wire["parameters"] = tool.parameters
    extra = dict(tool.extra)
    kind = _kind(extra)
    inner = extra.pop(kind, None)
    if is_object(inner):
        return {"type": kind, **extra, kind: {**inner, **wire}}
    return {**wire, **{key: value for key, value in extra.items() if key not in wire}}


def _read_tool(value: JsonValue, path: str) -> Tool:
    if isinstance(value, str) and value:
        return Tool(name=value)
    if not is_object(value):
        raise wrong_type(path, value, "a name or an object with a name")
    extra = dict(value)
    kind = _kind(extra)
    wrapped = extra.pop(kind, None)
    inner = dict(wrapped) if is_object(wrapped) else extra
    if wrapped is not None and inner is extra:
        raise wrong_type(f"{path}.{kind}", wrapped, "an object with a name")
    name = _tool_name(inner.pop("name", None), extra.get("type"), path)
    parameters = _first(inner.pop("parameters", None), inner.pop("input_schema", None))
    if parameters is not None and not is_object(parameters):
        raise wrong_type(f"{path}.parameters", parameters, "a JSON schema")
    description = read_text(inner.pop("description", None), f"{path}.description") or ""
    if extra.get("type") == "function":
        del extra["type"]
    if inner is not extra and (inner or kind == "custom"):
        extra[kind] = inner
    return Tool(name=name, description=description, parameters=parameters or {}, extra=extra)


def _kind(wire: JsonObject) -> str:
    """Names the key under which a wrapped tool keeps its own keys."""
    return "custom" if wire.get("type") == "custom" and is_object(wire.get("custom")) else "function"


def _tool_name(name: JsonValue, kind: JsonValue, path: str) -> str:
    """Takes the name of a tool; a tool that the provider runs itself (web search) often has a type and nothing else."""
    if name is None and kind not in ("function", "custom"):
        name = kind
    if not isinstance(name, str) or not name:
        raise FormatProblem(f"{path} has no name", "name the tool")
    return name


def _inner(extra: dict[str, JsonValue]) -> dict[str, JsonValue]:
    value = extra.pop("agent", None)
    return dict(value) if is_object(value) else {"id": read_id(value, "agent")}


def _take_system(extra: dict[str, JsonValue], messages: Sequence[Message]) -> str:
    """Takes the instructions from `system`, which stays where its blocks hold more than text, or from the messages."""
    system = extra.get("system")
    if isinstance(system, str):
        del extra["system"]
        return system
    if is_list(system) and all(part_text(block) is not None for block in system):
        if all(is_object(block) and set(block) == {"type", "text"} for block in system):
            del extra["system"]
        return text_of(system, "system")
    return system_text(messages)


def _read_categories(value: JsonValue) -> tuple[list[str], dict[str, str], dict[str, JsonValue]]:
    """Reads categories: names, or objects with name and description.

    Returns:
        The names, the descriptions by name, and the unknown keys by name.
    """
    names: list[str] = []
    descriptions: dict[str, str] = {}
    unknown: dict[str, JsonValue] = {}
    for index, item in enumerate(read_list(value, "categories")):
        path = f"categories[{index}]"
        rest = dict(item) if is_object(item) else {"name": item}
        name = read_text(rest.pop("name", None), path)
        if not name or not name.strip():
            raise FormatProblem(f"{path} has no name", "name the category, or leave it out")
        names.append(name)
        if description := read_text(rest.pop("description", None), f"{path}.description"):
            descriptions[name] = description
        if rest:
            unknown[name] = rest
    return names, descriptions, unknown


def _category_to_json(name: str, description: str | None, details: JsonValue) -> JsonValue:
    unknown = details.get(name) if is_object(details) else None
    if not description and not is_object(unknown):
        return name
    wire: dict[str, JsonValue] = {"name": name}
    if description:
        wire["description"] = description
    return {**unknown, **wire} if is_object(unknown) else wire


def _first(first: JsonValue, second: JsonValue) -> JsonValue:
    return second if first is None else first
