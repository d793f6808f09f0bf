"""Finds groups of markers and the wrapper around them (rules R4 and R5)."""

from __future__ import annotations

import re

from afterturn.stream._markers import COMMAS, OTHER_SEPARATORS, forms
from afterturn.stream._seam import Placed, Seam
from afterturn.stream._text import BLANKS

WRAPPER_OPENERS = "(（*"
_CLOSERS = {"(": ")", "（": "）", "*": "*"}

_BLANKS = f"[{BLANKS}]*"


def _gap(word: str) -> re.Pattern[str]:
    return re.compile(rf"{_BLANKS}(?:[{OTHER_SEPARATORS}]{_BLANKS}|(?:[{COMMAS}]{_BLANKS})?{word})")


_A, _N, _D = (f"[{forms(letter)}]" for letter in "and")
_GAP = _gap(rf"(?:{_A}{_N}{_D}{_BLANKS})?")
_GAP_SO_FAR = _gap(rf"(?:{_A}(?:{_N}(?:{_D}{_BLANKS})?)?)?")


class Groups:
    """Takes text and markers in turn, and tells the seam what stays and what is cut.

    A wrapper opener is held until something other than a marker follows; a group, until what follows shows whether it
    goes on and whether its wrapper closes.

    Args:
        seam: Gets the text that stays, and the cuts.
    """

    def __init__(self, seam: Seam) -> None:
        self._seam = seam
        self._opener = ""
        self._inner: list[str] = []  # blanks between the opener and what follows
        self._group: list[Placed] | None = None
        self._gap: list[str] = []  # what came after the group's last marker so far

    @property
    def idle(self) -> bool:
        """Whether nothing is held."""
        return not self._opener and self._group is None and self._seam.idle

    def text(self, text: str) -> None:
        """Goes on with text."""
        if not text:
            return
        if self._group is None:
            self._outside(text)
        elif not text.strip(BLANKS):
            self._gap.append(text)
        else:
            self._after_group("".join(self._gap) + text, final=False)

    def marker(self, placed: Placed) -> None:
        """Goes on with a marker."""
        if self._group is not None:
            gap = "".join(self._gap)
            if _GAP.fullmatch(gap):
                self._gap.clear()
            else:
                self._after_group(gap, final=True)
        if self._group is None:
            self._group = []
        self._group.append(placed)

    def end(self) -> None:
        """Lets go of everything: what follows cannot touch it."""
        if self._group is not None:
            self._after_group("".join(self._gap), final=True)
        self._release_opener()
        self._seam.end()

    def take_back(self) -> str:
        """Gives back the blanks at the end if they are all that is held, so that they can be fed again."""
        return self._seam.take_back() if not self._opener and self._group is None else ""

    def rescue(self) -> str:
        """Gives everything that is left, after a failure."""
        return self._seam.rescue() + "".join((self._opener, *self._inner, *self._gap))

    def _outside(self, text: str) -> None:
        if self._opener:
            if not text.strip(BLANKS) and self._opener[0] != "*":
                self._inner.append(text)
                return
            text = "".join((self._opener, *self._inner)) + text
            self._opener = ""
            self._inner.clear()
        body = text.rstrip(BLANKS)
        if body and body[-1] in "(（":
            self._opener, self._inner = body[-1], [text[len(body) :]]
            text = body[:-1]
        elif text[-1] == "*":
            self._opener = text[-2:] if text.endswith("**") else "*"
            text = text[: -len(self._opener)]
        self._seam.text(text)

    def _after_group(self, gap: str, *, final: bool) -> None:
        """Goes on after a group, where something other than a blank follows or nothing does."""
        closes = self._closing_length(gap, final=final)
        if closes is None or (not closes and not final and _GAP_SO_FAR.fullmatch(gap)):
            self._gap = [gap]
            return
        if closes:
            opens = closes if self._opener[0] == "*" else 1
            self._opener = self._opener[opens:]  # of `**[c1]*` the outer star stays
            self._inner.clear()
        self._release_opener()
        for placed in self._group or ():
            self._seam.cut(placed)
        self._group = None
        self._gap = []
        self.text(gap[closes:])

    def _closing_length(self, gap: str, *, final: bool) -> int | None:
        """Counts the characters of the gap that close the wrapper; None where the next character decides."""
        if not self._opener:
            return 0
        if self._opener == "**" and gap.startswith("*"):
            return None if gap == "*" and not final else 1 + gap.startswith("**")
        rest = gap if self._opener == "*" else gap.lstrip(BLANKS)
        return len(gap) - len(rest) + 1 if rest.startswith(_CLOSERS.get(self._opener, " ")) else 0

    def _release_opener(self) -> None:
        if self._opener:
            self._seam.text("".join((self._opener, *self._inner)))
        self._opener = ""
        self._inner.clear()
