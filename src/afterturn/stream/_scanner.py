"""Walks over text that arrives in pieces, keeps track of code, and stops at candidates outside it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Protocol

from afterturn.stream._code import CodeTracker, Verdict
from afterturn.stream._seam import Seam
from afterturn.stream._text import BREAKS

_LINE_END = re.compile(rf"[{BREAKS}]")
_CONTEXT = 2
_WAKES = re.compile(rf"[`{BREAKS}]")


class Sink(Protocol):
    """Takes the settled text of a stage: a seam, or what leads to one."""

    @property
    def idle(self) -> bool: ...
    def text(self, text: str) -> None: ...
    def end(self) -> None: ...
    def take_back(self) -> str: ...
    def rescue(self) -> str: ...


class Scanner(ABC):
    """Is a stage of the chain that takes something out of text; what that is and what becomes of it, a subclass says.

    The buffer holds what is not settled and the two characters before it, which tell whether a word starts there.

    Args:
        seam: Joins what is left.
        sink: Gets the text that is settled.
    """

    name: str

    def __init__(self, seam: Seam, sink: Sink) -> None:
        self._seam = seam
        self._sink = sink
        self._code = CodeTracker()
        self._buffer = ""
        self._at = 0  # what is before this place in the buffer is settled
        self._parked: list[str] = []  # text that cannot settle anything, kept apart so that it is not copied each time
        self._parks = False

    @property
    def idle(self) -> bool:
        """Whether nothing is held."""
        return self._settled and self._sink.idle

    def feed(self, delta: str) -> str:
        """Goes on with text and gives what is settled."""
        if self._parks and not _WAKES.search(delta):
            self._parked.append(delta)
            return ""
        self._grow(delta)
        self._walk(final=False)
        return self._seam.drain()

    def close(self) -> str:
        """Gives the rest: nothing follows."""
        self._grow("")
        self._walk(final=True)
        self._sink.end()
        return self._seam.drain()

    def advance(self, text: str) -> None:
        """Goes on over text that was given out past this idle stage, since nothing in it concerns the stage."""
        self._code.feed(text)
        self._seam.advance(text)
        self._buffer = (self._buffer[-_CONTEXT:] + text)[-_CONTEXT:]
        self._at = len(self._buffer)

    def take_back(self) -> str:
        """Gives back the blanks at the end if they are all that is held, so that they can be fed again."""
        return self._sink.take_back() if self._settled else ""

    def rescue(self) -> str:
        """Gives everything that is left, after a failure."""
        return self._sink.rescue() + self._buffer[self._at :] + "".join(self._parked)

    @property
    def _settled(self) -> bool:
        return self._at == len(self._buffer) and not self._parked

    def _grow(self, delta: str) -> None:
        keep = max(self._at - _CONTEXT, 0)
        self._buffer = "".join((self._buffer[keep:], *self._parked, delta))
        self._at -= keep
        self._parked.clear()
        self._parks = False

    def _walk(self, *, final: bool) -> None:
        while self._at < len(self._buffer):
            self._pass(self._find(self._buffer, self._at))
            if self._at == len(self._buffer):
                return
            self._code.settle(self._buffer[self._at])
            if self._code.fenced:
                line_end = _LINE_END.search(self._buffer, self._at)
                self._pass(line_end.end() if line_end else len(self._buffer))
            elif not self._candidate(self._at, final=final):
                return

    def _pass(self, to: int) -> None:
        """Settles what is before a place as text."""
        if to > self._at:
            text = self._buffer[self._at : to]
            self._code.feed(text)
            self._sink.text(text)
            if self._code.fenced:
                self._sink.end()  # nothing is taken out in a fence, nor right after it on its line
            self._at = to

    def _take_out(self, to: int) -> None:
        """Settles what is before a place as taken out."""
        self._code.pass_over()
        self._at = to

    def _where(self, start: int, end: int, *, final: bool) -> Verdict:
        """Says whether a candidate is in code, and takes note of what the answer waits for."""
        if not self._code.uncertain:
            return "prose"
        verdict = self._code.look_ahead(self._buffer, start, end, final=final)
        if verdict == "wait":
            self._parks = self._code.awaits_line_end and "`" not in self._buffer[start:]
        elif verdict == "prose":
            self._code.give_up()
        return verdict

    @abstractmethod
    def _find(self, buffer: str, at: int) -> int:
        """Gives the place of the next candidate, or the end of the buffer."""

    @abstractmethod
    def _candidate(self, start: int, *, final: bool) -> bool:
        """Settles at least one character of the candidate, or gives False where text to come decides."""
