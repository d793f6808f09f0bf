"""Asks for the report by force, in one generation: by tool call where the server enforces it, else by schema."""

from __future__ import annotations

from collections.abc import Sequence

from afterturn.designs._chat import Chat, Completion
from afterturn.designs._records import CatchUp
from afterturn.designs._report_tool import ASK_FOR_REPORT, report_schema
from afterturn.errors import AgentError
from afterturn.formats import parse_arguments
from afterturn.turns import JsonObject, JsonValue, Message, Tool

REPORT_TOKENS = 256
"""Enough for every report that fits its schema, whatever an answer may take: a cut report would be no fair one."""

_CALL_NOTHING = (
    Message(role="system", text="Answer with the single word OK. Never call a tool."),
    Message(role="user", text="Say OK."),
)
_NOT_THE_REQUEST = ("unreachable", "unauthorized", "rate_limited", "timeout", "no_key")


async def find_way(chat: Chat, tool: Tool) -> CatchUp:
    """Finds out how a call can be forced: a server that enforces one has it made where the prompt forbids it.

    Args:
        chat: The model.
        tool: The reporting tool.

    Raises:
        AgentError: The server cannot be asked at all.
    """
    ways: tuple[CatchUp, ...] = ("named", "required")
    for way in ways:
        try:
            done = await chat.ask(
                _CALL_NOTHING, tools=[tool], tool_choice=choice_of(way, tool), max_tokens=REPORT_TOKENS
            )
        except AgentError as error:
            if error.code in _NOT_THE_REQUEST:
                raise
            continue  # it takes no such request; the next form, then the schema
        if any(call.name == tool.name for call in done.message.tool_calls):
            return way
    return "schema"


async def catch_up(
    chat: Chat, way: CatchUp, messages: Sequence[Message], tool: Tool, categories: Sequence[str], *, seed: int | None
) -> tuple[JsonValue, Completion]:
    """Asks for the report.

    Args:
        chat: The model.
        way: How it is forced.
        messages: The system message and the conversation, the answer included.
        tool: The reporting tool.
        categories: The closed list.
        seed: Seed of the sampling.

    Returns:
        The report as it was written, None where there is none, and the completion.

    Raises:
        AgentError: The model could not be asked.
    """
    # A server may go on writing where the assistant has the last word, so the platform has it.
    asked = [*messages, Message(role="user", text=ASK_FOR_REPORT)]
    if way == "schema":
        done = await chat.ask(asked, schema=report_schema(categories), max_tokens=REPORT_TOKENS, seed=seed)
        return parse_arguments(done.message.text or "-"), done
    done = await chat.ask(asked, tools=[tool], tool_choice=choice_of(way, tool), max_tokens=REPORT_TOKENS, seed=seed)
    reports = [parse_arguments(call.raw_arguments) for call in done.message.tool_calls if call.name == tool.name]
    return (reports[-1] if reports else None), done


def choice_of(way: CatchUp, tool: Tool) -> JsonValue:
    """Says in the interface's words that the tool must be called."""
    named: JsonObject = {"type": "function", "function": {"name": tool.name}}
    return named if way == "named" else "required"
