"""Takes calls of the agent's own tools that leaked into the text out of a reply (rules T1 to T7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal

from afterturn import failopen
from afterturn.stream._calls import Call
from afterturn.stream._names import names_of
from afterturn.stream._readers import Found, Reader, reader
from afterturn.stream._scanner import Scanner
from afterturn.stream._seam import Seam

MAX_LEAK_CP = 4096
_LOOK_PAST = 8  # code points past the end that a suffix may need
_WINDOW = MAX_LEAK_CP + _LOOK_PAST

OnLeakedCall = Callable[[str, str], object]
"""Gets the name of a tool and the raw arguments of a call that leaked."""


class Leaks(Scanner):
    """Is the stage for leaked tool calls.

    Args:
        tools: The names of the agent's tools, at least one.
        on_leaked_call: Is handed each leaked call, for the host to recover.

    Attributes:
        calls: The names of the leaked calls, in order.
    """

    name = "leaks"
    specials = "<[{(`~"

    def __init__(self, tools: Iterable[str], on_leaked_call: OnLeakedCall | None = None) -> None:
        seam = Seam(takes_line=True)
        super().__init__(seam, seam)
        self.names = names_of(frozenset(tools))
        self._on_leaked_call = on_leaked_call
        self._reader: Reader | None = None
        self._found: Found | None = None
        self.calls: list[str] = []

    def _find(self, buffer: str, at: int) -> int:
        found = self.names.openers.search(buffer, at) or self.names.beginning.search(
            buffer, max(at, len(buffer) - self.names.reach)
        )
        return found.start() if found else len(buffer)

    def _candidate(self, start: int, *, final: bool) -> bool:
        opener = self.names.openers.match(self._buffer, start)
        if opener is None:  # the beginning of one
            if final:
                self._pass(len(self._buffer))
            return final
        if opener["run"] and not self._code.bare:
            self._pass(opener.end())
            return True
        found = self._found or self._read(opener, start, final=final)
        if found == "wait":
            if not self._already_in_code(start):
                return False
            found = None
        where = "code" if found is None else self._where(start, start + found.end, final=final)
        if found and where == "wait":
            self._found = found
            return False
        self._reader = self._found = None
        if found and where == "prose":
            self._report(found.calls)
            self._seam.cut()
            self._take_out(start + found.end)
        else:
            self._pass(opener.end())
        return True

    def _already_in_code(self, start: int) -> bool:
        if not self._code.uncertain:
            return False
        return self._code.look_ahead(self._buffer, start, len(self._buffer), final=False) == "code"

    def _read(self, opener: re.Match[str], start: int, *, final: bool) -> Found | Literal["wait"] | None:
        """Reads on; what a reader sees is bounded by the text alone, never by how it was split."""
        if self._reader is None:
            self._reader = reader(opener, self.names)
        is_all = len(self._buffer) <= start + _WINDOW
        try:
            self._reader.send((self._buffer[start : start + _WINDOW], final and is_all))
        except StopIteration as stop:
            found: Found | None = stop.value
            return found if found and found.end <= MAX_LEAK_CP else None
        return "wait" if is_all else None

    def _report(self, calls: list[Call]) -> None:
        for call in calls:
            self.calls.append(call.name)
            if self._on_leaked_call:
                hand_over = partial(self._on_leaked_call, call.name, call.arguments)
                failopen.call("stream.on_leaked_call", hand_over, lambda _error: None)
