"""Says which of two sides is right more often on a whole traffic, from turns on which people said who is right.

A turn on which both are right, or both wrong, tells neither for nor against. So what counts is two totals: the turns
on which only the new side is right, less those on which only the old one is. Each is bounded by itself, as `_bound`
does for samples drawn by stratum, and the errors are added up: that holds for any number of labels, and for strata
whose turns weigh differently, where McNemar's test counts all the same.

Of a stratum whose labels all contradict each other it is known how many turns the two sides answer differently, so
that one of them is right, and not which one. Any of these turns may count for either: the gain counts none of them,
the middle, and the interval holds both ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from afterturn.calibration._binomial import Interval
from afterturn.calibration._bound import Cell, least, most


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairs:
    """Is a stratum in which turns are labelled that two sides answered.

    Attributes:
        turns: How many it has.
        labelled: How many of them are labelled, drawn with the same chance.
        only_old: On how many of these only the old side is right.
        only_new: On how many only the new side is.
        torn: Of a stratum without a label because all contradict each other: on how many of its turns the sides
            differ; None of any other.
    """

    turns: int
    labelled: int
    only_old: int
    only_new: int
    torn: int | None = None


def gain(strata: Iterable[Pairs], *, confidence: float = 0.95) -> Interval:
    """Gives the share of all turns by which the new side is right more often; below 0, the old one is.

    Example:
        >>> gain([Pairs(turns=1000, labelled=100, only_old=1, only_new=21)]).rate
        0.2
    """
    known = [one for one in strata if one.turns]
    turns = sum(one.turns for one in known)
    told = [one for one in known if one.labelled]
    either = [one.torn for one in known if not one.labelled]
    if not turns or None in either:
        return Interval(None, None, None)
    rate = sum(one.turns * (one.only_new - one.only_old) / one.labelled for one in told) / turns
    error, open_turns = (1 - confidence) / 4, sum(filter(None, either))
    low, high = _margin(told, error) - open_turns, open_turns - _margin(_turned(told), error)
    return Interval(rate, max(-1.0, min(rate, low / turns)), min(1.0, max(rate, high / turns)))


def _margin(strata: Sequence[Pairs], error: float) -> float:
    """Gives the turns by which the new side is ahead at least; each of the two totals gets this error."""
    ahead = [(one, one.only_new) for one in strata]
    behind = [(one, one.only_old) for one in strata]
    return _total(ahead, error, lower=True) - _total(behind, error, lower=False)


def _turned(strata: Iterable[Pairs]) -> list[Pairs]:
    return [
        Pairs(turns=one.turns, labelled=one.labelled, only_old=one.only_new, only_new=one.only_old) for one in strata
    ]


def _total(of: Sequence[tuple[Pairs, int]], error: float, *, lower: bool) -> float:
    """Bounds how many turns there are of a kind; what is labelled to the last turn is known."""
    known = sum(hits for one, hits in of if one.labelled == one.turns)
    cells = [Cell(one.turns, hits, one.labelled) for one, hits in of if one.labelled < one.turns]
    if not cells:
        return known
    return known + (max(0.0, least(cells, error)) if lower else most(cells, error))
