"""Makes the ids of sessions and turns that came without one, from their content.

The ids are the same in every process and whatever the order of the keys, and the same for one conversation in any of
the formats. Two conversations of one agent that begin with the same words share a session id: give session ids where
you have them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from afterturn.formats._fields import write_time
from afterturn.formats._parts import part_text
from afterturn.formats._values import canonical_json
from afterturn.turns import JsonValue, Message, ToolCall, Turn

_DIGITS = 20


def session_id(tenant: str, agent_id: str, messages: Sequence[Message]) -> str:
    """Makes a session id from the tenant, the agent and the first user message (the first message, if none is)."""
    first = next((message for message in messages if message.role == "user"), messages[0])
    return f"s-{_digest([tenant, agent_id, _message(first)])}"


def turn_id(turn: Turn) -> str:
    """Makes a turn id from all that the turn was made of: ids, time, conversation and passages, but no unknown keys."""
    passages: JsonValue = None
    if turn.passages is not None:
        passages = [[passage.alias, passage.text] for passage in turn.passages]
    time = None if turn.created_at is None else write_time(turn.created_at)
    messages = [_message(message) for message in turn.messages]
    return f"t-{_digest([turn.tenant, turn.agent.id, turn.session, time, messages, passages])}"


def _message(message: Message) -> JsonValue:
    others = [part for part in message.parts if part_text(part) is None]
    return [message.role, message.text, message.refusal, others, [_call(call) for call in message.tool_calls]]


def _call(call: ToolCall) -> JsonValue:
    return [call.name, call.raw_arguments if call.arguments is None else call.arguments]


def _digest(value: JsonValue) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:_DIGITS]
