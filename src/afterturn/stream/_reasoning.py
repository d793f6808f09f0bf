"""Takes reasoning and control tokens that a model wrote into its text out of the reply."""

from __future__ import annotations

from afterturn.stream._tokens import (
    BEGINNING,
    CALL_CLOSERS,
    CLOSER_BEGINNING,
    CLOSER_REACH,
    CLOSERS,
    EMPTY_CHANNEL,
    HIDDEN_CHANNEL,
    THOUGHTS,
    TOKEN,
)

_CALL_REACH = 4096  # code points within which a call closes; past that its opener was prose


class Reasoning:
    """Is the stage for reasoning, channel headers and stray control tokens.

    What looks like the start of a thought and never closes passes, and so does an opener right after a backtick; a
    header needs no closer.

    Attributes:
        thoughts: The reasoning, in order.
    """

    name = "reasoning"
    specials = "<"

    def __init__(self) -> None:
        self.thoughts: list[str] = []
        self._out: list[str] = []
        self._buffer = ""
        self._at = 0  # what is before this place in the buffer is settled
        self._last = ""  # the last character given out
        self._kind = ""  # of the thought that is open
        self._opener = ""
        self._thought: list[str] = []
        self._call = _PassingCall("")

    @property
    def idle(self) -> bool:
        """Whether nothing is held."""
        return self._at == len(self._buffer) and not self._kind and not self._call.closer

    def feed(self, delta: str) -> str:
        """Goes on with text and gives what is settled."""
        self._buffer = self._buffer[self._at :] + delta
        self._at = 0
        self._walk(final=False)
        return self._drain()

    def close(self) -> str:
        """Gives the rest: nothing follows."""
        self._walk(final=True)
        if self._kind:
            self._cut_off("".join(self._thought))
        return self._drain()

    def advance(self, text: str) -> None:
        """Goes on over text that was given out past this idle stage."""
        self._last = text[-1:] or self._last

    def take_back(self) -> str:
        """Gives back nothing: no blanks are held here."""
        return ""

    def rescue(self) -> str:
        """Gives everything that is left, after a failure."""
        return "".join((*self._out, self._opener, *self._thought, self._buffer[self._at :]))

    def _walk(self, *, final: bool) -> None:
        goes_on = True
        while goes_on and self._at < len(self._buffer):
            if self._kind:
                goes_on = self._think(final=final)
            elif self._call.closer:
                self._give(self._call.take(self._buffer, self._at))
            else:
                goes_on = self._speak(final=final)

    def _speak(self, *, final: bool) -> bool:
        """Gives text up to the next token and takes the token; gives False where text to come decides."""
        start = self._buffer.find("<", self._at)
        if start < 0:
            self._give(self._buffer[self._at :])
            return False
        self._give(self._buffer[self._at : start])
        if not final and BEGINNING.match(self._buffer, start):
            return False
        token = TOKEN.match(self._buffer, start)
        kind = token.lastgroup if token else None
        if token is None or kind is None or (kind in THOUGHTS and self._last == "`"):
            self._give("<")
            return True
        if kind == "call":
            self._call = _PassingCall(CALL_CLOSERS[token[0]])
            self._give(token[0])
            return True
        self._at = token.end()
        if kind in THOUGHTS or (kind == "header" and HIDDEN_CHANNEL.search(token[0])):
            self._kind, self._opener = kind, token[0]
        return True

    def _think(self, *, final: bool) -> bool:
        """Collects the thought up to its closer; gives False where that has not arrived."""
        closer = CLOSERS[self._kind].search(self._buffer, self._at)
        if closer is None:
            rest = CLOSER_BEGINNING.search(self._buffer, max(self._at, len(self._buffer) - CLOSER_REACH))
            end = rest.start() if rest and not final else len(self._buffer)
            self._thought.append(self._buffer[self._at : end])
            self._at = end
            return False
        self._thought.append(self._buffer[self._at : closer.start()])
        self._at = closer.end()
        thought = "".join(self._thought)
        if not thought and self._opener == EMPTY_CHANNEL:
            self._opener += closer[0]  # `<|channel>thought<channel|>` only opens
        else:
            self._end_thought(thought)
        return True

    def _end_thought(self, thought: str) -> None:
        if thought:
            self.thoughts.append(thought)
        self._kind = self._opener = ""
        self._thought.clear()

    def _cut_off(self, thought: str) -> None:
        """Ends a thought whose closer did not come."""
        if self._kind != "header":
            was_empty = self._opener.startswith(EMPTY_CHANNEL) and self._opener != EMPTY_CHANNEL
            self._put(thought if was_empty else self._opener + thought)
            thought = ""
        self._end_thought(thought)

    def _give(self, text: str) -> None:
        """Settles the next characters of the buffer as text."""
        self._at += len(text)
        self._put(text)

    def _put(self, text: str) -> None:
        self._out.append(text)
        self._last = text[-1:] or self._last

    def _drain(self) -> str:
        out = "".join(self._out)
        self._out.clear()
        return out


class _PassingCall:
    """Follows a leaked call that the next stage will read, so that tokens in its arguments stay as they are.

    Args:
        closer: What ends it; empty where no call is passing.
    """

    def __init__(self, closer: str) -> None:
        self.closer = closer
        self._left = _CALL_REACH
        self._tail = ""  # the end of what passed, where the closer may have started

    def take(self, text: str, at: int) -> str:
        """Gives the part of the text that belongs to the call."""
        part = text[at : at + self._left]
        seen = self._tail + part
        end = seen.find(self.closer)
        if end >= 0:
            part = part[: end + len(self.closer) - len(self._tail)]
            self.closer = ""
        self._left -= len(part)
        self._tail = seen[-len(self.closer) + 1 :]
        if self._left <= 0:
            self.closer = ""
        return part
