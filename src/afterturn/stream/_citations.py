"""Takes citation markers out of a reply and records what was cited where (rules R1 to R12)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import partial

from afterturn.stream._groups import WRAPPER_OPENERS, Groups
from afterturn.stream._markers import BRACKETS, read_marker
from afterturn.stream._scanner import Scanner
from afterturn.stream._seam import Seam
from afterturn.turns import Mark

_OPENER = re.compile("[" + re.escape("".join(BRACKETS)) + "]")


class Citations(Scanner):
    """Is the citation stage.

    Args:
        aliases: The aliases handed out; looked up when a marker is found, so it may grow while the reply streams.

    Attributes:
        cited: Handed-out aliases that were cited, in order of first citation.
        unknown: Other aliases that were cited, likewise.
        marks: Every item of every marker with its place in the clean reply.
    """

    name = "citations"
    specials = "".join(BRACKETS) + WRAPPER_OPENERS

    def __init__(self, aliases: Collection[str]) -> None:
        seam = Seam()
        self._groups = Groups(seam)
        super().__init__(seam, self._groups)
        self._aliases = aliases
        self._more: set[str] = set()
        self.cited: dict[str, None] = {}
        self.unknown: dict[str, None] = {}
        self.marks: list[Mark] = []

    def add_aliases(self, aliases: Iterable[str]) -> None:
        """Hands out more aliases."""
        self._more.update(aliases)

    def _find(self, buffer: str, at: int) -> int:
        found = _OPENER.search(buffer, at)
        return found.start() if found else len(buffer)

    def _candidate(self, start: int, *, final: bool) -> bool:
        marker = None if self._code.escaped else read_marker(self._buffer, start, final=final)
        if marker == "wait":
            return False
        if marker is None:
            self._pass(start + 1)
            return True
        where = "code" if marker.link else self._where(start, marker.end, final=final)
        if where == "wait":
            return False
        if where == "code":
            self._pass(marker.end)
        else:
            self._cite(marker.aliases)
            self._take_out(marker.end)
        return True

    def _cite(self, aliases: tuple[str, ...]) -> None:
        for alias in aliases:
            known = alias in self._aliases or alias in self._more
            (self.cited if known else self.unknown)[alias] = None
        self._groups.marker(partial(self._mark, aliases))

    def _mark(self, aliases: tuple[str, ...], offset_cp: int, offset_utf16: int) -> None:
        self.marks.extend(Mark(alias, offset_cp, offset_utf16) for alias in aliases)
