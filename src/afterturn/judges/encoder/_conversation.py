"""Lays a turn out for the heads: who said what, in plain text, small talk set apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from afterturn.calls import CUT
from afterturn.language import QUESTION_MARKS, plain
from afterturn.smalltalk import is_small_talk
from afterturn.turns import Message, Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """Is a turn as the heads read it: plain texts, oldest first.

    Attributes:
        latest: The customer's messages of the latest exchange.
        earlier: The customer's messages before it.
        reply: The agent's texts of the latest exchange, joined.
        spoken: Everything said, as pairs (the customer said it, text).
    """

    latest: tuple[str, ...]
    earlier: tuple[str, ...]
    reply: str
    spoken: tuple[tuple[bool, str], ...]

    @property
    def content(self) -> tuple[str, ...]:
        """The customer's messages that are no small talk."""
        return tuple(text for text in (*self.earlier, *self.latest) if not is_small_talk(text))

    @property
    def answering(self) -> bool:
        """Whether the customer's latest message follows a question of the agent."""
        before = self.spoken[: len(self.spoken) - self._length_of_exchange]
        return bool(before) and not before[-1][0] and before[-1][1].rstrip()[-1:] in QUESTION_MARKS

    @property
    def _length_of_exchange(self) -> int:
        customers = [index for index, (customer, _) in enumerate(self.spoken) if customer]
        return len(self.spoken) - customers[-1] if customers else len(self.spoken)


def lay_out(turn: Turn) -> Conversation:
    """Reads the texts of a turn; tool messages and thinking play no part."""
    return Conversation(
        latest=_texts(turn.exchange, "user"),
        earlier=_texts(turn.history, "user"),
        reply="\n".join(_texts(turn.exchange, "assistant")),
        spoken=tuple(
            (message.role == "user", _plain(message))
            for message in turn.messages
            if message.role in ("user", "assistant") and message.text.strip()
        ),
    )


def _texts(messages: Iterable[Message], role: str) -> tuple[str, ...]:
    return tuple(_plain(message) for message in messages if message.role == role and message.text.strip())


def _plain(message: Message) -> str:
    return plain(message.text.removesuffix(CUT))
