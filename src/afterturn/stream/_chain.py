"""Runs the stages over the text of one message: reasoning, leaked calls, citations; plain text passes by them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Protocol

from afterturn import failopen
from afterturn.errors import UsageError
from afterturn.stream._citations import Citations
from afterturn.stream._gate import gate_of
from afterturn.stream._leaks import Leaks, OnLeakedCall
from afterturn.stream._reasoning import Reasoning
from afterturn.stream._text import BLANKS, repair
from afterturn.turns import Mark

MAX_HELD = 4096
"""Longest text that is held outside the stages, which keep long blanks without copying them each time."""


class _Stage(Protocol):
    name: str
    specials: str

    @property
    def idle(self) -> bool: ...
    def feed(self, delta: str) -> str: ...
    def close(self) -> str: ...
    def advance(self, text: str) -> None: ...
    def take_back(self) -> str: ...
    def rescue(self) -> str: ...


class StreamFilter:
    """Turns the text of one message, as it streams, into what the user sees; records what was taken out.

    The result depends on the joined text alone, never on how it was split. Use one filter for each text channel of
    each message; a retry that replays the reply needs a new one.

    Args:
        aliases: The aliases handed out for passages, or None to leave citations alone; empty means that none was
            handed out. A collection is looked into when a marker is found, so it may grow while the reply streams.
        tools: The names of the agent's tools; without any, leaked calls are left alone.
        on_leaked_call: Is handed the name and the raw arguments of each leaked call; nothing is executed here.

    Example:
        >>> filter = StreamFilter(aliases=["c1"], tools=["search"])
        >>> "".join([filter.feed("Leave is 27 days [c"), filter.feed("1]."), filter.close()]), filter.cited
        ('Leave is 27 days.', ['c1'])
    """

    def __init__(
        self,
        aliases: Iterable[str] | None = None,
        tools: Iterable[str] = (),
        on_leaked_call: OnLeakedCall | None = None,
    ) -> None:
        if isinstance(aliases, str) or isinstance(tools, str):
            raise UsageError("`aliases` and `tools` are lists of names; wrap the one name in a list")
        names = [tool for tool in tools if tool]
        self._reasoning = Reasoning()
        self._leaks = Leaks(names, on_leaked_call) if names else None
        self._citations = None if aliases is None else Citations(_live(aliases))
        self._stages: list[_Stage] = [s for s in (self._reasoning, self._leaks, self._citations) if s is not None]
        self._gate = gate_of(
            "".join(stage.specials for stage in self._stages),
            holds_blanks=len(self._stages) > 1,
            names=self._leaks.names if self._leaks else None,
        )
        self._special, self._words = self._gate.special, self._gate.words
        self._deltas: list[str] = []
        self._idle = self._gate.opens  # no stage holds anything
        self._tail = ""  # held here, since no stage needs to see it yet
        self._surrogate = ""  # a high one, waiting for its partner
        self._known = 0  # how many of the deltas the stages know of
        self._before = ""  # what a stage gave back, to be fed again with the deltas that they do not know of
        self._closed = False

    def feed(self, delta: str) -> str:
        """Goes on with text of the message.

        Args:
            delta: The next piece, of any length.

        Returns:
            The clean text that is settled by now.

        Raises:
            UsageError: The filter was closed.
        """
        # The way of nearly every delta, written for speed: no stage could want anything in it. What it may need is held
        # here: spaces at the end, and the beginning of a tool's name after them. In a long text, looking for one
        # character after the other is quicker than the pattern, which has the last word.
        if self._idle:
            text = self._tail + delta
            before, space, word = text.rpartition(" ")
            if (
                not before
                or (
                    before.isascii()
                    and not ("[" in before or "(" in before or "<" in before or "{" in before)
                    and not ("*" in before or "`" in before or "~" in before)
                )
                or self._special(before) is None
            ):
                if word not in self._words:
                    if (word.isascii() and word.isalpha()) or not self._gate.concerns(word):
                        self._tail = ""
                        self._deltas.append(delta)
                        return text
                elif space:
                    if before and before[-1] in BLANKS:
                        return self._hold(text, delta)
                    self._tail = space + word
                    self._deltas.append(delta)
                    return before
        return self._feed_stages(delta)

    def close(self) -> str:
        """Gives what is still held: nothing follows. Calling it again gives nothing more."""
        if self._closed:
            return ""
        self._closed = True
        if self._idle:
            self._idle = False
            return self._tail
        text = self._tail + repair(self._surrogate)
        for stage in tuple(self._stages):
            text = self._ask(stage, text) + self._guard(stage, stage.close)
        return text

    def add_aliases(self, aliases: Iterable[str]) -> None:
        """Hands out more aliases for the markers to come.

        Raises:
            UsageError: The filter was made without aliases and leaves citations alone.
        """
        if self._citations is None:
            raise UsageError("citations are off; make the filter with `aliases=[]` to hand some out later")
        self._citations.add_aliases(aliases)

    @property
    def cited(self) -> list[str]:
        """Handed-out aliases that were cited, in order of first citation."""
        return list(self._citations.cited) if self._citations else []

    @property
    def unknown(self) -> list[str]:
        """Alias-shaped items that were cited without having been handed out, likewise."""
        return list(self._citations.unknown) if self._citations else []

    @property
    def marks(self) -> list[Mark]:
        """Every cited item, repeats included, with its place in the clean reply."""
        return list(self._citations.marks) if self._citations else []

    @property
    def leaks(self) -> list[str]:
        """The tools whose calls leaked into the text, in order, repeats included."""
        return list(self._leaks.calls) if self._leaks else []

    @property
    def reasoning(self) -> str:
        """The reasoning that stood in the text."""
        return "".join(self._reasoning.thoughts)

    @property
    def raw(self) -> str:
        """The text as the model wrote it; history that is sent to the model again carries this."""
        return repair("".join(self._deltas))

    def _hold(self, text: str, delta: str) -> str:
        """Holds the last word of a text and all blanks before it; very many are left to the stages."""
        settled = text[: text.rindex(" ")].rstrip(BLANKS)
        if len(text) - len(settled) > MAX_HELD:
            return self._feed_stages(delta)
        self._tail = text[len(settled) :]
        self._deltas.append(delta)
        return settled

    def _feed_stages(self, delta: str) -> str:
        if self._closed:
            raise UsageError("this filter is closed; make a new one for the next message")
        if not delta:
            return ""
        if self._idle:
            self._catch_up()
        self._deltas.append(delta)
        self._known = len(self._deltas)
        text = self._surrogate + self._tail + delta
        self._tail = ""
        self._surrogate = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        text = repair(text[:-1] if self._surrogate else text)
        for stage in tuple(self._stages):
            text = self._ask(stage, text)
        self._rest()
        return text

    def _catch_up(self) -> None:
        """Tells the stages what went past them."""
        passed = self._before + "".join(self._deltas[self._known :])
        self._before = ""
        passed = passed[: len(passed) - len(self._tail)]
        if not passed:
            return
        for stage in tuple(self._stages):
            self._guard(stage, partial(_advance, stage, passed))

    def _rest(self) -> None:
        """Takes back what the gate can hold as well, so that plain text passes the stages again."""
        busy = [stage for stage in self._stages if not stage.idle]
        self._before = self._tail = busy[0].take_back() if len(busy) == 1 and not self._surrogate else ""
        self._idle = self._gate.opens and not self._surrogate and all(stage.idle for stage in busy)

    def _ask(self, stage: _Stage, text: str) -> str:
        return self._guard(stage, partial(stage.feed, text)) if text else ""

    def _guard(self, stage: _Stage, work: Callable[[], str]) -> str:
        """Lets a stage work; one that breaks is left out from there on, and what it held is given out."""
        if stage not in self._stages:
            return ""  # it broke a moment ago

        def leave_out(_error: BaseException) -> str:
            self._stages.remove(stage)
            return stage.rescue()

        return failopen.call(f"stream.{stage.name}", work, leave_out)


def _advance(stage: _Stage, text: str) -> str:
    stage.advance(text)
    return ""


def _live(aliases: Iterable[str]) -> Collection[str]:
    """Keeps a collection as it is, so that what is added to it later counts."""
    return aliases if isinstance(aliases, Collection) else set(aliases)
