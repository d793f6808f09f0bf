"""Cuts a turn down to what a view shows: least privilege, and a prompt whose size does not depend on the agent.

A view of a turn is again a turn. Nothing but `scope` ever has the agent's instructions, and nothing but
`exchange+passages` has passages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from afterturn.calls import CUT, ViewName
from afterturn.classifiers._scope import scope_of
from afterturn.stream import clean
from afterturn.turns import Agent, Message, Passage, Turn

HISTORY_MESSAGES = 6
HISTORY_CHARACTERS = 600
EXCHANGE_MESSAGES = 6
EXCHANGE_CHARACTERS = 6_000
MESSAGE_CHARACTERS = 24_000
PASSAGE_CHARACTERS = 400
PASSAGES_CHARACTERS = 12_000


def project(turn: Turn, view: ViewName) -> Turn:
    """Shows a turn as a view allows it.

    Args:
        turn: The whole turn, its reply filtered (`turn.reply`).
        view: The view's name.

    Returns:
        A turn whose messages are clean and cut, without tools, tool messages and unknown keys.
    """
    return Views(turn).of(view)


class Views:
    """Shows one turn in its views, each made once however many questions share it.

    Args:
        turn: The whole turn, its reply filtered.
    """

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self._shown: dict[ViewName, Turn] = {}

    def of(self, view: ViewName) -> Turn:
        """Gives the turn as a view shows it."""
        shown = self._shown.get(view)
        if shown is None:
            shown = self._shown[view] = _VIEWS[view](self)
        return shown

    @cached_property
    def bare(self) -> Turn:
        """The turn without anything that was said, retrieved or configured."""
        return _bare(self.turn)

    @cached_property
    def latest(self) -> tuple[Message, ...]:
        """The latest exchange as the customer saw it."""
        return _latest(self.turn)


def shorten(text: str, limit: int) -> str:
    """Cuts a text to a number of characters, on a word boundary, and marks it as cut.

    Args:
        text: The text.
        limit: Most characters of the result, the mark included.

    Example:
        >>> shorten("one two three", 12)
        'one … [cut]'
    """
    if len(text) <= limit:
        return text
    head = text[: limit - len(CUT)]
    if not text[len(head)].isspace():
        at_word = head.rfind(" ")
        head = head[:at_word] if at_word > len(head) // 2 else head
    return head.rstrip() + CUT


def _bare(turn: Turn) -> Turn:
    agent = Agent(
        turn.agent.id,
        categories=turn.agent.categories,
        category_descriptions=turn.agent.category_descriptions,
        parent=turn.agent.parent,
    )
    return replace(turn, messages=(), agent=agent, passages=None, known_aliases=(), extra={})


def _message_view(views: Views) -> Turn:
    users = [message for message in views.turn.exchange if message.role == "user"]
    shown = tuple(Message(role="user", text=_both_ends(message.text, MESSAGE_CHARACTERS)) for message in users)
    return replace(views.bare, messages=shown, reply=None)


def _exchange_view(views: Views) -> Turn:
    turn = views.turn
    spoken = [message for message in turn.history if message.role in ("user", "assistant") and message.text.strip()]
    before = [_cleaned(message, turn, HISTORY_CHARACTERS) for message in spoken[-HISTORY_MESSAGES:]]
    return replace(views.bare, messages=(*before, *views.latest))


def _passages_view(views: Views) -> Turn:
    passages = views.turn.passages or ()
    size = min(PASSAGE_CHARACTERS, PASSAGES_CHARACTERS // max(len(passages), 1))
    return replace(views.of("exchange"), passages=tuple(_excerpt(passage, max(size, 80)) for passage in passages))


def _scope_view(views: Views) -> Turn:
    reply = [message for message in views.latest if message.role == "assistant"]
    scope = scope_of(views.turn.agent.instructions, "\n".join(message.text for message in reply))
    bare = views.bare
    return replace(bare, messages=tuple(reply), agent=replace(bare.agent, instructions=scope))


def _latest(turn: Turn) -> tuple[Message, ...]:
    """The latest exchange as the customer saw it: texts only, the reply clean.

    Of an agent that spoke often between its tool calls, the last messages: the prompt must not grow with its loop.
    """
    last = turn.exchange[-1] if turn.exchange else None
    said = [message for message in turn.exchange if message.role in ("user", "assistant")]
    spoken = [message for message in said if message.text.strip() or message is last]
    shown = spoken[:1] + spoken[1:][-EXCHANGE_MESSAGES:]
    texts: list[Message] = []
    for message in shown:
        if message is last and turn.reply is not None:
            texts.append(_plain(message.role, turn.reply.text, EXCHANGE_CHARACTERS))
        else:
            texts.append(_cleaned(message, turn, EXCHANGE_CHARACTERS))
    return tuple(message for message in texts if message.text.strip())


def _cleaned(message: Message, turn: Turn, limit: int) -> Message:
    if message.role != "assistant":
        return _plain(message.role, message.text, limit)
    text = clean(message.text, aliases=turn.aliases, tools=turn.agent.tool_names).text
    return _plain(message.role, text, limit)


def _plain(role: str, text: str, limit: int) -> Message:
    return Message(role="assistant" if role == "assistant" else "user", text=shorten(text, limit))


def _both_ends(text: str, limit: int) -> str:
    """Cuts a long message in its middle: an attack likes to stand at the end of much that is harmless."""
    if len(text) <= limit:
        return text
    half = (limit - len(CUT) - 1) // 2
    return f"{text[:half]}{CUT}\n{text[-half:]}"


def _excerpt(passage: Passage, size: int) -> Passage:
    return Passage(alias=passage.alias, text=shorten(passage.text, size), title=passage.title)


_VIEWS: dict[ViewName, Callable[[Views], Turn]] = {
    "message": _message_view,
    "exchange": _exchange_view,
    "exchange+passages": _passages_view,
    "scope": _scope_view,
}
