"""Reads a turn from its JSON form and writes it back, unknown keys of every level included."""

from __future__ import annotations

from dataclasses import replace

from afterturn.formats._agent import agent_to_json, read_agent, tool_to_json
from afterturn.formats._fields import read_id, read_names, read_time, write_time
from afterturn.formats._ids import session_id, turn_id
from afterturn.formats._messages import read_messages
from afterturn.formats._passages import AliasBook, passage_to_json, read_passages
from afterturn.formats._problem import FormatProblem, wrong_type
from afterturn.formats._reply import read_reply, reply_to_json
from afterturn.formats._values import is_object, to_plain
from afterturn.formats.openai import write_message
from afterturn.turns import JsonValue, Turn


def turn_from_json(obj: object, *, where: str = "") -> Turn:
    """Reads one turn.

    Args:
        obj: The turn as a JSON library gives it; docs/formats.md has its keys. Only `messages` is required.
        where: What the turn is, for the error: a file and line, a request.

    Returns:
        The turn. Missing tenant and agent are `default`; missing session and turn ids are made from the content.

    Raises:
        TurnFormatError: If it is no turn; names the place inside it, never the text.

    Example:
        >>> turn = turn_from_json({"turn": "t-1", "messages": [{"role": "user", "content": "Hello"}], "shop": 7})
        >>> turn.id, turn.tenant, turn.extra
        ('t-1', 'default', {'shop': 7})
    """
    try:
        return read_turn(to_plain(obj), AliasBook())
    except FormatProblem as problem:
        problem.where = where
        raise


def turn_to_json(turn: Turn) -> dict[str, JsonValue]:
    """Writes one turn: the keys of docs/formats.md, messages in OpenAI chat format, unknown keys after them.

    Raises:
        TurnFormatError: If an unknown key holds what JSON does not have.

    Example:
        >>> turn = turn_from_json({"turn": "t-1", "messages": [{"role": "user", "content": "Hello"}]})
        >>> turn_to_json(turn)["messages"]
        [{'role': 'user', 'content': 'Hello'}]
    """
    extra = dict(turn.extra)
    agent = agent_to_json(turn.agent, turn.messages, extra)
    wire: dict[str, JsonValue] = {"tenant": turn.tenant, "agent": agent.pop("agent")}
    wire |= {"session": turn.session, "turn": turn.id}
    if turn.created_at is not None:
        wire["created_at"] = write_time(turn.created_at)
    wire |= agent
    wire["messages"] = [write_message(message) for message in turn.messages]
    if turn.passages is not None:
        wire["passages"] = [passage_to_json(passage) for passage in turn.passages]
    if turn.agent.tools:
        wire["tools"] = [tool_to_json(tool) for tool in turn.agent.tools]
    if turn.known_aliases:
        wire["known_aliases"] = turn.known_aliases
    if turn.reply is not None:
        wire["filtered_reply"] = reply_to_json(turn.reply)
    plain = to_plain({**wire, **{key: value for key, value in extra.items() if key not in wire}})
    assert isinstance(plain, dict)
    return plain


def read_turn(value: JsonValue, book: AliasBook) -> Turn:
    """Reads one turn from plain JSON, with the aliases that the file has shown so far."""
    if not is_object(value):
        raise wrong_type("the record", value, "an object with `messages`")
    extra = dict(value)
    messages = read_messages(_messages(extra), "messages")
    agent = read_agent(extra, messages)
    tenant = read_id(extra.pop("tenant", None), "tenant") or "default"
    session = read_id(extra.pop("session", None), "session") or session_id(tenant, agent.id, messages)
    given = read_names(extra.pop("known_aliases", None), "known_aliases")
    known = tuple(dict.fromkeys((*given, *book.known(tenant, session))))
    turn = Turn(
        messages=messages,
        agent=agent,
        tenant=tenant,
        session=session,
        id=read_id(extra.pop("turn", None), "turn") or "",
        created_at=read_time(extra.pop("created_at", None), "created_at"),
        passages=read_passages(extra.pop("passages", None), known),
        known_aliases=known,
        reply=read_reply(extra),
        extra=extra,
    )
    turn = turn if turn.id else replace(turn, id=turn_id(turn))
    book.add(turn)
    return turn


def _messages(extra: dict[str, JsonValue]) -> JsonValue:
    if "messages" not in extra:
        raise FormatProblem("the record has no messages", "put the conversation under `messages`")
    messages = extra.pop("messages")
    if messages == []:
        raise FormatProblem("the messages are empty", "a turn has at least the customer's message")
    return messages
