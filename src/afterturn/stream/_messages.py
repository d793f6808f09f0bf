"""Keeps the messages of one stream: the clean text of each, and the tool calls beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial

from afterturn import failopen
from afterturn.errors import UsageError
from afterturn.stream._chain import StreamFilter
from afterturn.stream._events import pieces
from afterturn.stream._leaks import OnLeakedCall
from afterturn.stream._pieces import Broken, Called, Piece, Said, Started, Stopped, Thought


@dataclass(slots=True)
class StreamedCall:
    """Is a tool call that the model really emitted, as far as it has arrived.

    Attributes:
        id: The provider's id of the call; empty where it gave none.
        name: The tool's name.
        arguments: The arguments as the model wrote them.
    """

    id: str = ""
    name: str = ""
    arguments: str = ""


class StreamedMessage:
    """Is one assistant message while it streams.

    Attributes:
        id: The provider's id of the message; empty where it gave none.
        filter: Holds what was cited, leaked and reasoned in the text.
        finish_reason: Why the message ended; empty until it does.
        incomplete: Whether it was cut short by a cancellation or an error; then it is not classified.
        calls: The tool calls, in order.
    """

    def __init__(self, message_id: str, new_filter: Callable[[], StreamFilter]) -> None:
        self.id = message_id
        self.filter = new_filter()
        self.finish_reason = ""
        self.incomplete = False
        self._calls: dict[int, StreamedCall] = {}
        self._new_filter = new_filter
        self._refusal_filter: StreamFilter | None = None  # few models decline through that channel
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._thoughts: list[str] = []

    @property
    def text(self) -> str:
        """The clean text so far."""
        return "".join(self._text)

    @property
    def refusal(self) -> str:
        """The clean text of the refusal so far, where the model declined through that channel."""
        return "".join(self._refusal)

    @property
    def reasoning(self) -> str:
        """The reasoning, kept apart by the provider or written into the text."""
        return "".join(self._thoughts) + self.filter.reasoning

    @property
    def calls(self) -> tuple[StreamedCall, ...]:
        """The tool calls, in order."""
        return tuple(self._calls.values())

    def take(self, piece: Piece) -> str:
        """Goes on with a piece of the message and gives the clean text that is settled by it."""
        match piece:
            case Said(text, refusal=refusal):
                return self.say(text, refusal=refusal)
            case Thought(text):
                self._thoughts.append(text)
            case Called():
                call = self._calls.setdefault(piece.index, StreamedCall())
                call.id, call.name = call.id or piece.id, call.name or piece.name
                call.arguments += piece.arguments
            case Stopped(reason):
                self.finish_reason = reason
            case Broken():
                self.incomplete = True
            case Started():
                pass
        return ""

    def say(self, text: str, *, refusal: bool = False) -> str:
        """Goes on with text of the message and gives the clean text that is settled by it."""
        if not refusal:
            clean = self.filter.feed(text)
            self._text.append(clean)
            return clean
        if self._refusal_filter is None:
            self._refusal_filter = self._new_filter()
        clean = self._refusal_filter.feed(text)
        self._refusal.append(clean)
        return clean

    def close(self) -> str:
        """Gives what is still held; nothing of this message follows."""
        text = self.filter.close()
        self._text.append(text)
        if self._refusal_filter is None:
            return text
        refusal = self._refusal_filter.close()
        self._refusal.append(refusal)
        return text + refusal


class Messages:
    """Leads the events of a stream to the message they belong to; every message has filters of its own."""

    def __init__(
        self, aliases: Iterable[str] | None, tools: Iterable[str], on_leaked_call: OnLeakedCall | None, choice: int
    ) -> None:
        self._aliases = aliases if aliases is None or isinstance(aliases, Collection) else set(aliases)
        self._tools = tuple(tools)
        self._on_leaked_call = on_leaked_call
        self._choice = choice
        self.messages: list[StreamedMessage] = []
        self._begun = False
        self._odd = 0

    def take(self, event: object) -> str:
        """Goes on with an event of the stream and gives the clean text that is settled by it.

        Raises:
            UsageError: The first event is of no kind that is known: this is no stream of a model. A later one is left
                out, and the first such is logged: the customer is reading.
        """
        if type(event) is str:  # the plainest stream, and the most events
            self._begun = True
            if not event:
                return ""
            return (self.messages[-1] if self.messages else self._current()).say(event)
        found = pieces(event, choice=self._choice)
        if found is None:
            return self._leave_out(event)
        self._begun = True
        text = ""
        for piece in found:
            if isinstance(piece, Started):
                text += self._start(piece.id)
            else:
                text += self._current().take(piece)
        return text

    def _leave_out(self, event: object) -> str:
        if not self._begun:
            raise UsageError(
                f"cannot read a stream event of type {type(event).__name__}; give strings, openai chat completion "
                "chunks or response events, or anthropic message events"
            )
        self._odd += 1
        if self._odd == 1:
            failopen.warn("afterturn.stream_event_unknown", kind=type(event).__name__)
        return ""

    def close(self, *, incomplete: bool) -> str:
        """Ends the message that is streaming and gives what is still held."""
        if not self.messages:
            return ""
        current = self.messages[-1]
        current.incomplete = current.incomplete or incomplete
        return current.close()

    def _start(self, message_id: str) -> str:
        """Starts a message unless it is the one that is streaming; an unfinished one before it was cut short."""
        text = ""
        if self.messages:
            current = self.messages[-1]
            if current.id == message_id:
                return ""
            text = self.close(incomplete=not current.finish_reason)
        self.messages.append(self._message(message_id))
        return text

    def _current(self) -> StreamedMessage:
        if not self.messages:
            self.messages.append(self._message(""))
        return self.messages[-1]

    def _message(self, message_id: str) -> StreamedMessage:
        return StreamedMessage(message_id, partial(StreamFilter, self._aliases, self._tools, self._on_leaked_call))
