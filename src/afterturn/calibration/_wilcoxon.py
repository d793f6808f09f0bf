"""Tests whether paired differences lean to one side, by their ranks; and says how far they lean."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

_EXACT_UP_TO = 50
"""Up to so many differences the test is exact, ties included; beyond, the normal distribution is near enough."""


def wilcoxon(differences: Sequence[float]) -> float | None:
    """Gives the two-sided p-value of the signed-rank test; None where nothing differs.

    F. Wilcoxon: Individual comparisons by ranking methods. Biometrics Bulletin 1 (1945) 80-83. A difference of 0 says
    nothing and is left out; equal ones share their ranks. For many differences by the normal distribution, with the
    variance as it is with ties, and a correction for continuity.

    Example:
        >>> wilcoxon([5, 5, 10, 20, 30, 40]), wilcoxon([1, -1]), wilcoxon([0, 0])
        (0.03125, 1.0, None)
    """
    ranks = _doubled_ranks(differences)
    if not ranks:
        return None
    return round(_exact(ranks) if len(ranks) <= _EXACT_UP_TO else _normal(ranks), 12)


def rank_biserial(differences: Sequence[float]) -> float | None:
    """Gives the matched-pairs rank-biserial correlation: -1 all less, 0 balanced, 1 all more.

    It is the share of the ranks of what rose minus that of what fell. D. S. Kerby: The simple difference formula.
    Comprehensive Psychology 3 (2014) 1.

    Example:
        >>> rank_biserial([1, 1, -1, 0]), rank_biserial([3, -1, 2])
        (0.333333333333, 0.666666666667)
    """
    ranks = _doubled_ranks(differences)
    return round(sum(ranks) / sum(map(abs, ranks)), 12) if ranks else None


def _doubled_ranks(differences: Sequence[float]) -> list[int]:
    """The ranks of the sizes, twice as large so that shared ones are whole, with the signs of the differences."""
    some = [one for one in differences if one != 0]
    sizes = Counter(map(abs, some))
    rank: dict[float, int] = {}
    below = 0
    for size in sorted(sizes):
        rank[size] = 2 * below + sizes[size] + 1
        below += sizes[size]
    return [rank[abs(one)] if one > 0 else -rank[abs(one)] for one in some]


def _exact(ranks: Sequence[int]) -> float:
    """Counts how many of all the ways to give signs lie as far out."""
    total = sum(map(abs, ranks))
    ways = [1] + [0] * total
    for rank in map(abs, ranks):
        for place in range(total, rank - 1, -1):
            ways[place] += ways[place - rank]
    positive = sum(rank for rank in ranks if rank > 0)
    tail = sum(ways[: min(positive, total - positive) + 1])
    return min(1.0, 2 * tail / 2 ** len(ranks))


def _normal(ranks: Sequence[int]) -> float:
    beyond = max(0, abs(sum(ranks)) - 2) / math.sqrt(sum(rank * rank for rank in ranks))
    return math.erfc(beyond / math.sqrt(2))
