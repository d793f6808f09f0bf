"""Holds the records of a turn: who answered, what was said, what was retrieved.

Frozen records without logic and without I/O; `formats` builds them, every later room reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from afterturn.errors import UsageError

JsonValue = None | bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
JsonObject = Mapping[str, JsonValue]

Role = Literal["system", "developer", "user", "assistant", "tool"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """Is one call of a tool that the model really emitted.

    Attributes:
        name: The tool's name.
        raw_arguments: The arguments exactly as the model wrote them; they may be no JSON at all.
        arguments: The arguments as a JSON object, or None where they are not one.
        id: The provider's id of the call, or None.
        extra: Keys of the record that Afterturn does not know; written back on export.
    """

    name: str
    raw_arguments: str = "{}"
    arguments: JsonObject | None = None
    id: str | None = None
    extra: JsonObject = field(default_factory=dict[str, JsonValue])


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """Is one message of the conversation.

    Attributes:
        role: Who speaks.
        text: The text of the message, its text parts joined; empty where there is none.
        tool_calls: Calls that an assistant message made, in order.
        tool_call_id: For a tool message, the id of the call that it answers.
        name: The speaker's name where one was given.
        refusal: The provider's refusal text where the model declined through the refusal channel.
        reasoning: Thinking text that came apart from the reply; never shown to a judge.
        parts: The content as it came, where it was a list of parts (text, images, …); empty for a plain string.
        extra: Keys that Afterturn does not know; written back on export.
    """

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    refusal: str | None = None
    reasoning: str = ""
    parts: tuple[JsonValue, ...] = ()
    extra: JsonObject = field(default_factory=dict[str, JsonValue])


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """Is retrieved text, handed to the model under a short alias.

    Attributes:
        alias: `c1`, `c2`, …, numbered on through the session.
        text: The text.
        title: The document's title, or None.
        uri: Where the document is, or None.
        extra: Keys that Afterturn does not know; written back on export.
    """

    alias: str
    text: str
    title: str | None = None
    uri: str | None = None
    extra: JsonObject = field(default_factory=dict[str, JsonValue])


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """Is a tool on offer: name, description and the JSON schema of its parameters."""

    name: str
    description: str = ""
    parameters: JsonObject = field(default_factory=dict[str, JsonValue])
    extra: JsonObject = field(default_factory=dict[str, JsonValue])


@dataclass(frozen=True, slots=True)
class Agent:
    """Is a configured LLM agent.

    Attributes:
        id: The platform's id of the agent.
        model: Its model as pydantic-ai names it (`openai:gpt-…`), or None: then the local encoder judges.
        instructions: Its system prompt, which is its scope.
        categories: The closed list of category names of its conversations; empty means no categories.
        category_descriptions: What a category means, by name, where that was given.
        tools: The tools it may call.
        parent: The id of the parent agent, if this is a sub-agent.
        conclusion_tool: The tool a sub-agent calls when its part is over.

    Example:
        >>> Agent("support", instructions="You help customers of Acme.", categories=("Billing", "Shipping")).id
        'support'
    """

    id: str = "default"
    _: KW_ONLY
    model: str | None = None
    instructions: str = ""
    categories: Sequence[str] = ()
    category_descriptions: Mapping[str, str] = field(default_factory=dict[str, str])
    tools: Sequence[Tool] = ()
    parent: str | None = None
    conclusion_tool: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.categories, str) or isinstance(self.tools, str):
            raise UsageError("`categories` and `tools` of an agent are lists; wrap the one name in a list")
        object.__setattr__(self, "categories", tuple(dict.fromkeys(self.categories)))
        object.__setattr__(self, "tools", tuple(_tool(tool) for tool in self.tools))

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of the tools, the conclusion tool included."""
        names = [tool.name for tool in self.tools]
        if self.conclusion_tool and self.conclusion_tool not in names:
            names.append(self.conclusion_tool)
        return tuple(names)


class Mark(NamedTuple):
    """Is one citation at its place: the length of the clean reply where the marker stood."""

    alias: str
    offset_cp: int
    offset_utf16: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """Is the reply after the stream filter: what the customer saw, and what was taken out.

    Attributes:
        text: The clean reply.
        raw: The reply as the model wrote it, markers included; history sent to the model again carries this.
        cited: Handed-out aliases that the reply cited, unique, in order of first citation.
        unknown: Alias-shaped items that were never handed out.
        marks: Every citation with its position in `text` (code points and UTF-16 units).
        leaks: Names of the tools whose calls leaked into the text, in order.
        complete: False where the stream was cancelled or broke.
    """

    text: str
    raw: str
    cited: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    leaks: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """Is one customer message and the agent's reply to it, with everything the turn was made of.

    Attributes:
        messages: The conversation up to and including the raw reply, oldest first.
        agent: The agent that answered.
        tenant: The customer of the platform that owns the agent.
        session: The id of the conversation.
        id: The id of the turn, unique in its tenant.
        created_at: When the customer's message came (aware datetime), or None.
        passages: Passages retrieved in this turn; None where retrieval plays no part (the citation stage is off).
        known_aliases: Aliases handed out in earlier turns of the session; they may be cited again.
        reply: The filtered reply, or None while nobody has filtered it.
        extra: Keys that Afterturn does not know; written back on export.
    """

    messages: tuple[Message, ...]
    agent: Agent = field(default_factory=Agent)
    tenant: str = "default"
    session: str = ""
    id: str = ""
    created_at: datetime | None = None
    passages: tuple[Passage, ...] | None = None
    known_aliases: tuple[str, ...] = ()
    reply: Reply | None = None
    extra: JsonObject = field(default_factory=dict[str, JsonValue])

    @property
    def aliases(self) -> tuple[str, ...] | None:
        """Every alias that the reply may cite, or None where the citation stage is off."""
        if self.passages is None and not self.known_aliases:
            return None
        own = (passage.alias for passage in self.passages or ())
        return tuple(dict.fromkeys((*self.known_aliases, *own)))

    @property
    def exchange(self) -> tuple[Message, ...]:
        """The latest exchange: from the last user message to the end."""
        return self.messages[_exchange_start(self.messages) :]

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages before the latest exchange."""
        return self.messages[: _exchange_start(self.messages)]

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tool calls made in the latest exchange, in order."""
        return tuple(call for message in self.exchange for call in message.tool_calls)


def _exchange_start(messages: Sequence[Message]) -> int:
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user":
            return index
    return max(len(messages) - 1, 0)


def _tool(tool: Tool | Mapping[str, JsonValue] | str) -> Tool:
    """Lets callers name tools by string or by an OpenAI-style or Anthropic-style mapping as well."""
    if isinstance(tool, Tool):
        return tool
    if isinstance(tool, str):
        return Tool(name=tool)
    inner = tool.get("function")
    spec = inner if isinstance(inner, Mapping) else tool
    parameters = spec.get("parameters", spec.get("input_schema"))
    return Tool(
        name=str(spec.get("name", "")),
        description=str(spec.get("description") or ""),
        parameters=parameters if isinstance(parameters, Mapping) else {},
    )


def joined_text(messages: Iterable[Message]) -> str:
    """Joins the texts of messages by line breaks, the empty ones left out."""
    return "\n".join(message.text for message in messages if message.text)
