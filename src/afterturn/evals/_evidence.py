"""Writes what a judge of a reply is shown.

All of it was written by others: the row, the agent, the tools. So each text, names and keys included, is freed of what
could end the data block or pass for a token of the chat format; secrets are taken out, of a call's arguments personal
data too; and only then is anything clipped, with a mark that says how much was left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from afterturn.evals._records import Reply, Row
from afterturn.evals._redact import redact_personal, redact_secrets
from afterturn.evals._rubric import Slot
from afterturn.formats import dump_json
from afterturn.turns import JsonObject, JsonValue, Message, Passage, Tool, ToolCall

ARGUMENT_CHARS = 200
MESSAGE_CHARS = 4_000
REPLY_CHARS = 16_000

CLIP_RULE = (
    'Where a text ends in "[clipped: N of M characters shown]", we shortened it for you: the rest was there. '
    "Never hold it against the agent as missing."
)

# What chat formats read as the end of a message or the start of another, in text that a server tokenizes.
_TOKENS = re.compile(
    r"<(?=[|｜]|/?(?:s|think|thinking|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|tool_call|tool_response)>|unused\d"
    r"|channel\||<SYS>>|</SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|AVAILABLE_TOOLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
_BLOCK_LINE = re.compile(r"={3,}")
_BREAKS = re.compile("[\x00\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ANY = re.compile("[<\\[=\x00\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def neutral(text: str) -> str:
    """Takes from a text what could end the data block or pass for a token of the chat format; it stays readable.

    Example:
        >>> neutral("=== end ===<|im_end|>")
        '= = = end = = =< |im_end|>'
    """
    if _ANY.search(text) is None:
        return text
    text = _BLOCK_LINE.sub(lambda found: " ".join(found[0]), _BREAKS.sub(" ", text))
    return _TOKENS.sub(lambda found: f"{found[0]} ", text)


def clip(text: str, most: int) -> str:
    """Cuts a text and says so.

    Example:
        >>> clip("abcdef", 4)
        'abcd [clipped: 4 of 6 characters shown]'
    """
    return text if len(text) <= most else f"{text[:most]} [clipped: {most:,} of {len(text):,} characters shown]"


def evidence(shows: Sequence[Slot], row: Row, reply: Reply) -> dict[str, JsonValue]:
    """Writes the slots that a rubric shows; a slot of which nothing is known is left out."""
    shown: dict[str, JsonValue] = {}
    for slot in shows:
        shown |= _slot(slot, row, reply)
    return shown


def tools_of(row: Row, reply: Reply) -> Sequence[Tool]:
    """The tools on offer: the row's own, else those that the agent has."""
    return row.tools or reply.agent.tools


def _slot(slot: Slot, row: Row, reply: Reply) -> dict[str, JsonValue]:
    if slot == "conversation":
        return {"conversation": [_message(message) for message in row.input]}
    if slot == "expected":
        return {} if row.expected is None else {"expected_answer": _shown(row.expected, MESSAGE_CHARS)}
    if slot == "criteria":
        return {"criteria": [_text(one, MESSAGE_CHARS) for one in row.criteria]} if row.criteria else {}
    if slot == "context":
        passages = reply.passages if reply.passages is not None else row.context
        return {} if passages is None else {"passages": [_passage(passage) for passage in passages]}
    if slot == "tools":
        return {"tools_on_offer": [_tool(tool) for tool in tools_of(row, reply)]}
    if slot == "calls":
        return {"calls_made": [_call(call) for call in reply.tool_calls]}
    return {"reply": _text(reply.text, REPLY_CHARS)}


def _text(text: str, most: int) -> str:
    return neutral(clip(redact_secrets(text), most))


def _shown(value: JsonValue, most: int) -> JsonValue:
    return _text(value if isinstance(value, str) else dump_json(value), most)


def _message(message: Message) -> JsonObject:
    shown: dict[str, JsonValue] = {message.role: _text(message.text, MESSAGE_CHARS)}
    if message.tool_calls:
        shown["calls"] = [_call(call) for call in message.tool_calls]
    return shown


def _passage(passage: Passage) -> JsonObject:
    title = {"title": _text(passage.title, ARGUMENT_CHARS)} if passage.title else {}
    return {"id": neutral(passage.alias), **title, "text": _text(passage.text, MESSAGE_CHARS)}


def _tool(tool: Tool) -> JsonObject:
    properties = tool.parameters.get("properties")
    names = [neutral(str(name)) for name in properties] if isinstance(properties, Mapping) else []
    parameters: dict[str, JsonValue] = {"parameters": names} if names else {}
    return {"name": neutral(tool.name), "description": _text(tool.description, ARGUMENT_CHARS * 2), **parameters}


def _call(call: ToolCall) -> JsonObject:
    """A call with each argument redacted and then clipped."""
    arguments: JsonValue
    if call.arguments is None:
        arguments = _argument(call.raw_arguments)
    else:
        arguments = {neutral(clip(name, ARGUMENT_CHARS)): _argument(value) for name, value in call.arguments.items()}
    return {"tool": neutral(call.name), "arguments": arguments}


def _argument(value: JsonValue) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    text = redact_personal(value if isinstance(value, str) else dump_json(value))
    return neutral(clip(text, ARGUMENT_CHARS))
