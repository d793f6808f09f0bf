"""Finds the part of a pattern after its gap that ordinary texts hold most seldom.

A pattern with a gap (`show … your hidden instructions`) keeps a place for each character that the gap may have by now,
so that a text that often begins one costs RE2 ten times as much as another. What stands after the gap is found in one
plain pass, and the pattern is tried around it only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import prod
from typing import NamedTuple

from afterturn.guard._literals import Needs, reach, study
from afterturn.guard._rarity import chance
from afterturn.guard._syntax import atoms, for_re

_COUNTS = re.compile(r"(?:\{(?:[0-9]+,)?([0-9]*)\}|[*+])\??$")
_LITERAL = re.compile(r"\\?[^\\.\[(][?*+{]")
_LONGEST_REPEAT = 2
"""A part that may stand there more often is a gap: `(?:\\S+ ){0,3}`."""


_GAP_WITHIN = re.compile(r"\{[0-9]+,[0-9]{2,}\}")
_WIDE = 40
"""A gap of so many characters makes a search slow."""


class Kernel(NamedTuple):
    """Is a part of a pattern that every match holds.

    Attributes:
        start: Where it starts in the text of the pattern.
        end: Where it ends there.
        before: How many characters before it belong to a match and to any part of the text that could be it.
        after: The same after it.
    """

    start: int
    end: int
    before: int
    after: int


def kernel(pattern: str) -> Kernel | None:
    """Finds the kernel of a pattern; None where it has no wide gap, or nothing is known of its parts.

    Args:
        pattern: A refined pattern without bars outside of groups.
    """
    parts = atoms(pattern)
    opened = next((at for at, part in enumerate(parts) if _is_gap(part) and reach(part) >= _WIDE), None)
    if opened is None:
        return None
    runs = [(run, "".join(parts[slice(*run)])) for run in _runs(parts) if run[0] > opened]
    studied = [(run, study(for_re(text))) for run, text in runs if not _GAP_WITHIN.search(text)]
    known = [(_likelihood(needs), run, needs) for run, needs in studied if needs.ways]
    if not known:
        return None
    _, (first, last), needs = min(known)
    start = len("".join(parts[:first]))
    end = start + len("".join(parts[first:last]))
    before, after = reach(for_re(pattern[:start])), reach(for_re(pattern[end:]))
    return Kernel(start, end, before + needs.width, after + needs.width)


def _runs(parts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Gives the first and last atom of each stretch without a gap."""
    for is_gap, run in groupby(range(len(parts)), key=lambda at: _is_gap(parts[at])):
        if not is_gap:
            listed = list(run)
            yield listed[0], listed[-1] + 1


def _is_gap(atom: str) -> bool:
    """Says whether an atom is a class, a dot or a group that may be repeated."""
    counts = _COUNTS.search(atom)
    if counts is None or _LITERAL.match(atom):
        return False
    return not counts[1] or int(counts[1]) > _LONGEST_REPEAT


def _likelihood(needs: Needs) -> float:
    return sum(prod(map(chance, way)) for way in needs.ways)
