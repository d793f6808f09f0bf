"""Filters the stream of a provider: clean text comes out as it arrives, tool calls are collected beside it."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

from afterturn import failopen
from afterturn.errors import UsageError
from afterturn.stream._leaks import OnLeakedCall
from afterturn.stream._messages import Messages, StreamedMessage


class CleanStream:
    """Gives the clean text of a provider's stream: iterate over it with `for` or, also over a plain one, `async for`.

    Where the stream breaks, what is held is given out before the error goes on; where the reader stops or is
    cancelled, it is kept in the message. Either way the message is marked incomplete.

    Args:
        events: The provider's events: strings, `openai` chat chunks or `anthropic` message events.
        aliases: As for `StreamFilter`; shared by all messages of the stream.
        tools: As for `StreamFilter`.
        on_leaked_call: As for `StreamFilter`.
        choice: Which choice to read, where the model gives several.

    Example:
        >>> stream = CleanStream(["Hi [c", "1]."], aliases=["c1"])
        >>> list(stream), stream.messages[-1].filter.cited
        (['Hi', '.'], ['c1'])
    """

    def __init__(
        self,
        events: Iterable[object] | AsyncIterable[object],
        *,
        aliases: Iterable[str] | None = None,
        tools: Iterable[str] = (),
        on_leaked_call: OnLeakedCall | None = None,
        choice: int = 0,
    ) -> None:
        self._events = events
        self._messages = Messages(aliases, tools, on_leaked_call, choice)
        self._complete = False

    def close(self) -> None:
        """Ends a stream that nobody reads on: the message is incomplete, and what is held is kept in it."""
        if not self._complete:
            self._messages.close(incomplete=True)

    async def let_go(self) -> None:
        """Closes the provider's stream where its reader left before its end: nobody shall pay for what nobody reads."""
        end = getattr(self._events, "aclose", None) or getattr(self._events, "close", None)
        if self._complete or end is None:
            return
        ended = end()
        if inspect.isawaitable(ended):
            await ended

    @property
    def messages(self) -> tuple[StreamedMessage, ...]:
        """The messages so far; one that is replayed after a retry within the stream is a message of its own."""
        return tuple(self._messages.messages)

    def __iter__(self) -> Iterator[str]:
        if not isinstance(self._events, Iterable):
            raise UsageError("the events come asynchronously; iterate with `async for`")
        try:
            for event in self._events:
                if text := self._messages.take(event):
                    yield text
            self._complete = True
        except BaseException as error:  # it goes on in any case; the rest of the text goes before it
            if failopen.swallows(error) and (text := self._messages.close(incomplete=True)):
                yield text
            raise
        finally:
            rest = self._messages.close(incomplete=not self._complete)
        if rest:
            yield rest

    async def __aiter__(self) -> AsyncIterator[str]:
        try:
            if isinstance(self._events, AsyncIterable):
                async for event in self._events:
                    if text := self._messages.take(event):
                        yield text
            else:
                for event in self._events:
                    if text := self._messages.take(event):
                        yield text
            self._complete = True
        except BaseException as error:  # as above
            if failopen.swallows(error) and (text := self._messages.close(incomplete=True)):
                yield text
            raise
        finally:
            rest = self._messages.close(incomplete=not self._complete)
        if rest:
            yield rest
