"""Follows Markdown code, fenced and inline, through text that arrives in pieces (rule R2)."""

from __future__ import annotations

import re
from typing import Literal

from afterturn.stream._text import BLANKS, BREAKS

PARTNER_REACH = 120
"""Code points past a candidate within which the run that closes inline code must start."""

Verdict = Literal["code", "prose", "wait"]

_TOKENS: re.Pattern[str] = re.compile(rf"`+|~+|\\+|[{BREAKS}]|[^`~\\{BREAKS}]+")
_DECIDING = re.compile(rf"`+|[{BREAKS}]")


class CodeTracker:
    """Knows, at the end of the text fed so far, whether that place is in code.

    Inline code: a run of n backticks pairs with the next run of exactly n on its line, from left to right. While a
    line is read, a run is open until it finds its partner. `open` holds the open runs so that each is what would be
    open if all before it stayed without a partner; a run that closes one closes all after it.

    Attributes:
        fenced: Whether this place is in a fence.
        escaped: Whether a backslash before this place escapes what follows.
        bare: Whether the line has nothing but blanks so far.
        open: Lengths of the open backtick runs of this line, in order.
    """

    def __init__(self) -> None:
        self.escaped = False
        self.bare = True
        self.open: dict[int, None] = {}
        self._head = True  # nothing but blanks and `>` so far on this line
        self._run: str = ""  # the character of the run that the fed text ends with
        self._length = 0
        self._fence = ""  # the character of the fence that is open
        self._fence_length = 0
        self._closing: bool = False  # the line closes the fence if only blanks follow
        self._may_open = 0  # length of a backtick run that opens a fence unless a backtick follows on its line

    @property
    def fenced(self) -> bool:
        """Whether this place is in a fence."""
        return self._fence != ""

    @property
    def uncertain(self) -> bool:
        """Whether only text to come can tell if this place is in code."""
        return bool(self.open)

    @property
    def awaits_line_end(self) -> bool:
        """Whether this line opens a fence unless a backtick follows on it."""
        return self._may_open > 0

    def feed(self, text: str) -> None:
        """Goes on over text."""
        for found in _TOKENS.finditer(text):
            token = found.group()
            first = token[0]
            self.settle(first)
            if first == self._run:
                self._length += len(token)
            elif first in "`~":
                self._run, self._length = first, len(token)
            elif first in BREAKS:
                self._end_line()
            else:
                self._plain(token, first == "\\")

    def settle(self, following: str) -> None:
        """Takes the run of backticks or tildes at the end as complete, unless the following character continues it."""
        if not self._run or following == self._run:
            return
        if self._fence:
            ends = self._head and self._run == self._fence and self._length >= self._fence_length
            self._closing = ends
        elif self._run == "`":
            self._backticks()
        elif self._head and self._length >= 3:
            self._fence, self._fence_length = "~", self._length
        self._run, self._head, self.bare, self.escaped = "", False, False, False

    def pass_over(self) -> None:
        """Goes on over something that is taken out: the line does not open with what follows it."""
        self._head = self.bare = self.escaped = False

    def look_ahead(self, text: str, start: int, end: int, *, final: bool) -> Verdict:
        """Decides from the text to come whether a candidate stands in code.

        Args:
            text: What has arrived; this place is at `start`.
            start: Where the candidate starts; a partner inside the candidate counts.
            end: Where it ends.
            final: Whether nothing will follow the text.

        Returns:
            `wait` where the answer depends on text that has not arrived.
        """
        fence = self._may_open > 0
        for found in _DECIDING.finditer(text, start):
            if found[0][0] in BREAKS:
                return "code" if fence else "prose"
            distance = found.start() - end
            if distance <= PARTNER_REACH:
                if found.end() == len(text) and not final:
                    return "wait"
                if len(found[0]) in self.open:
                    return "code"
            fence = False
            if distance > PARTNER_REACH:
                return "prose"
        if final:
            return "code" if fence else "prose"
        return "wait" if fence or len(text) - end <= PARTNER_REACH else "prose"

    def give_up(self) -> None:
        """Takes the open runs as prose: they waited for their partner long enough."""
        self.open.clear()
        self._may_open = 0

    def _backticks(self) -> None:
        if self._head and self._length >= 3:
            self._may_open = self._length
        else:
            self._may_open = 0
        if self._length in self.open:
            while self.open.popitem()[0] != self._length:
                pass
        elif opens := self._length - self.escaped:  # an escaped backtick is literal, but can still close
            self.open[opens] = None

    def _plain(self, token: str, is_escape: bool) -> None:
        if is_escape:
            self.escaped ^= len(token) % 2 == 1
        else:
            self.escaped = False
        if self._head or self._closing:
            rest = token.strip(BLANKS)
            if rest:
                self.bare = self._closing = False
                self._head = self._head and not rest.strip(BLANKS + ">")

    def _end_line(self) -> None:
        if self._fence:
            if self._closing:
                self._fence = ""
        elif self._may_open:
            self._fence, self._fence_length = "`", self._may_open
        self.open.clear()
        self._may_open, self._closing, self.escaped = 0, False, False
        self._head = self.bare = True
