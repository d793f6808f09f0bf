"""Makes a reply of what an agent gave: a string, a Turn, chat messages, an object with `text`, or a Reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from afterturn.errors import AgentError, InputError
from afterturn.evals._records import Reply, Row
from afterturn.formats import (
    clean_text,
    is_object,
    message_to_json,
    messages_from_json,
    read_passages,
    read_tools,
    to_plain,
)
from afterturn.turns import Agent, JsonValue, Message, ToolCall, Turn
from afterturn.verdicts import Usage

_TEXT_KEYS = ("text", "reply", "output", "content", "answer", "response")
MOST_CHARS = 32 * 2**20
TOO_LONG = "32 million characters"
_HINT = "return a string, a Turn, chat messages, or an object with `text` or `messages`"


def reply_from(value: object, row: Row) -> Reply:
    """Makes a reply of what an agent gave for a row; what it gave is bounded, since all of it is stored and judged.

    Args:
        value: What it gave. Chat messages may be the new ones only or the whole conversation. An object may have
            `text` or `messages` or `choices` (a chat completion), and `tool_calls`, `usage`, `cost_usd`, `model`,
            `passages`, `tools`.
        row: The row.

    Raises:
        AgentError: It is nothing (`no_reply`), nothing of that kind, or far too long (`bad_reply`).
    """
    reply = _read(value, row)
    chars = sum(len(one.text or "") + sum(len(call.raw_arguments) for call in one.tool_calls) for one in reply.messages)
    if max(chars, len(reply.text)) > MOST_CHARS:
        raise AgentError("bad_reply", f"the agent's reply is longer than {TOO_LONG}")
    return reply


def _read(value: object, row: Row) -> Reply:
    if isinstance(value, str):
        return _spoken(clean_text(value))
    if isinstance(value, Reply):
        return replace(value, messages=value.messages or _spoken(value.text).messages)
    if isinstance(value, Turn):
        return _from_turn(value, row)
    if value is None:
        raise AgentError("no_reply", f"the agent gave nothing; {_HINT}")
    try:
        if isinstance(value, Message):
            return _from_messages((value,), row)
        if isinstance(value, Mapping):
            return _from_object(cast(Mapping[str, Any], value), row)
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            return _from_messages(_messages(cast(Sequence[object], value)), row)
    except (InputError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise AgentError("bad_reply", f"the agent gave what is no reply ({type(error).__name__}); {_HINT}") from None
    raise AgentError("bad_reply", f"the agent gave {type(value).__name__}, which is no reply; {_HINT}")


def _spoken(text: str) -> Reply:
    return Reply(text=text, messages=(Message(role="assistant", text=text),))


def _from_turn(turn: Turn, row: Row) -> Reply:
    reply = _from_messages(turn.messages, row)
    return replace(reply, agent=turn.agent, passages=turn.passages)


def _from_messages(messages: Sequence[Message], row: Row) -> Reply:
    own = _added(messages, row)
    if not own:
        raise AgentError("no_reply", "the conversation that the agent gave ends before its reply")
    calls = tuple(call for message in own for call in message.tool_calls)
    last = own[-1]
    text = (last.text or last.refusal or "") if last.role == "assistant" else ""
    return Reply(text=text, tool_calls=calls, messages=own)


def _added(messages: Sequence[Message], row: Row) -> tuple[Message, ...]:
    """What the agent added: all after the row's conversation, or after the last user message; else everything."""
    length = len(row.input)
    same = len(messages) > length and all(
        given.role == asked.role and given.text == asked.text
        for given, asked in zip(messages[:length], row.input, strict=True)
    )
    if same:
        return tuple(messages[length:])
    start = max((place + 1 for place, message in enumerate(messages) if message.role == "user"), default=0)
    return tuple(message for message in messages[start:] if message.role not in ("system", "developer"))


def _messages(values: Sequence[object]) -> tuple[Message, ...]:
    wires = [message_to_json(value) if isinstance(value, Message) else value for value in values]
    return messages_from_json(wires)


def _from_object(given: Mapping[str, Any], row: Row) -> Reply:
    value = cast(dict[str, Any], to_plain({key: _plain(item) for key, item in given.items()}))
    if value.get("choices"):
        reply = _from_messages(messages_from_json([value["choices"][0]["message"]]), row)
    elif value.get("messages"):
        reply = _from_messages(messages_from_json(value["messages"]), row)
    elif "role" in value:
        return _from_messages(messages_from_json([value]), row)
    else:
        text = next((value[key] for key in _TEXT_KEYS if isinstance(value.get(key), str)), None)
        calls: object = value.get("tool_calls")
        if text is None and not calls:
            raise TypeError
        reply = _from_messages(messages_from_json([{"role": "assistant", "content": text, "tool_calls": calls}]), row)
    return _with_facts(reply, value)


def _with_facts(reply: Reply, value: Mapping[str, Any]) -> Reply:
    agent = Agent(
        model=value.get("model"), tools=read_tools(value.get("tools")), conclusion_tool=value.get("conclusion_tool")
    )
    return replace(
        reply,
        agent=agent,
        passages=read_passages(value.get("passages"), ()),
        usage=usage_from(value.get("usage")),
        cost_usd=value.get("cost_usd"),
    )


def usage_from(value: JsonValue) -> Usage:
    """Reads token counts under the names of the common APIs; None where there are none."""
    given = value if is_object(value) else dict[str, JsonValue]()
    return Usage(
        input_tokens=_count(given, "prompt_tokens", "input_tokens"),
        output_tokens=_count(given, "completion_tokens", "output_tokens"),
    )


def added_usage(first: Usage, second: Usage) -> Usage:
    """Adds two counts; a count that one of them lacks stays unknown."""
    return Usage(
        input_tokens=_sum(first.input_tokens, second.input_tokens),
        output_tokens=_sum(first.output_tokens, second.output_tokens),
    )


def call_message(call: ToolCall, content: str) -> Message:
    """Writes the answer of a tool."""
    return Message(role="tool", text=content, tool_call_id=call.id, name=call.name)


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second


def _count(given: Mapping[str, JsonValue], *keys: str) -> int | None:
    found = next((given[key] for key in keys if given.get(key) is not None), None)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def _plain(item: object) -> object:
    """Lets records of ours stand in an object, in lists too."""
    if isinstance(item, Message):
        return message_to_json(item)
    if isinstance(item, list | tuple):
        return [_plain(one) for one in cast(Sequence[object], item)]
    return item
