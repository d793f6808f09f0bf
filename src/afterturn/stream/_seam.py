"""Joins the text around what is taken out, so that no blank is left over and none is made up (rules R6 and R10)."""

from __future__ import annotations

from collections.abc import Callable

from afterturn.stream._text import BLANKS, BREAKS, CLOSING, utf16_length

_TIGHT = CLOSING | frozenset(BREAKS)

_FEW = 64  # blanks; more are not worth moving about

Placed = Callable[[int, int], None]
"""Gets the place of what was taken out: the length of the clean text there, in code points and in UTF-16 units."""


def nowhere(_offset_cp: int, _offset_utf16: int) -> None:
    """Does not care for the place."""


class Seam:
    """Takes text and cuts in turn and gives the joined text; only blanks that a cut could touch are held.

    Args:
        takes_line: Whether a cut that is alone on its line takes the line break after it along (T5).
    """

    def __init__(self, *, takes_line: bool = False) -> None:
        self._takes_line = takes_line
        self._out: list[str] = []
        self._left: list[str] = []  # blanks at the end of the text: L of the cut that may follow
        self._cuts: list[Placed] | None = None  # what was cut here, while it is open what follows
        self._right: list[str] = []  # blanks after the cut
        self._half_break = False  # a carriage return went with its line: a line feed right after it goes too
        self._at_line_start = True
        self._length_cp = 0
        self._length_utf16 = 0

    @property
    def idle(self) -> bool:
        """Whether nothing is held."""
        return not (self._left or self._half_break) and self._cuts is None

    def text(self, text: str) -> None:
        """Goes on with text."""
        if self._half_break and text:
            self._half_break = False
            text = text.removeprefix("\n")
        rest = text.lstrip(BLANKS)
        if not rest:
            self._hold(text)
            return
        if self._cuts is not None:
            self._hold(text[: len(text) - len(rest)])
            text = self._mend(rest)
        body = text.rstrip(BLANKS)
        if body:
            self._let_go()
            self._emit(body)
        self._hold(text[len(body) :])

    def cut(self, placed: Placed = nowhere) -> None:
        """Takes something out here.

        Args:
            placed: Is told the place as soon as it is settled.
        """
        self._half_break = False
        if self._cuts is not None and self._right:
            self._settle(tight=True)
        if self._cuts is None:
            self._cuts = []
        self._cuts.append(placed)

    def end(self) -> None:
        """Lets go of everything: what follows cannot touch it."""
        if self._cuts is not None:
            self._settle(tight=True)
        self._half_break = False
        self._let_go()

    def drain(self) -> str:
        """Gives the text that was joined since the last call."""
        out = "".join(self._out)
        self._out.clear()
        return out

    def advance(self, text: str) -> None:
        """Goes on over text that was given out past this seam while it was idle and that does not end in a blank."""
        self._count(text)

    def take_back(self) -> str:
        """Gives back a few blanks at the end if they are all that is held, so that they can be fed again."""
        few = self._cuts is None and not self._half_break and len(self._left) == 1 and len(self._left[0]) <= _FEW
        return self._left.pop() if few else ""

    def rescue(self) -> str:
        """Gives everything that is left, after a failure."""
        return "".join((*self._out, *self._left, *self._right))

    def _hold(self, blanks: str) -> None:
        if blanks:
            (self._left if self._cuts is None else self._right).append(blanks)

    def _mend(self, rest: str) -> str:
        """Settles the open cut before text that starts with no blank; gives what is left of that text."""
        alone = self._takes_line and self._at_line_start and rest[0] in BREAKS
        self._settle(tight=rest[0] in _TIGHT)
        if not alone:
            return rest
        self._half_break = rest == "\r"
        return rest[2:] if rest.startswith("\r\n") else rest[1:]

    def _settle(self, *, tight: bool) -> None:
        cuts = self._cuts or []
        self._cuts = None
        if self._at_line_start:
            self._right.clear()
        drops_left = not self._at_line_start and (tight or bool(self._right))
        kept = 0 if drops_left else sum(map(len, self._left))
        for placed in cuts:
            placed(self._length_cp + kept, self._length_utf16 + kept)
        if drops_left:
            self._left, self._right = self._right, []

    def _let_go(self) -> None:
        if self._left:
            self._emit("".join(self._left))
            self._left.clear()

    def _emit(self, text: str) -> None:
        self._out.append(text)
        self._count(text)

    def _count(self, text: str) -> None:
        if text:
            self._length_cp += len(text)
            self._length_utf16 += utf16_length(text)
            self._at_line_start = text[-1] in BREAKS
