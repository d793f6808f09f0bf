"""Pairs expected calls with calls that were made, by index, so that A, A, B is not A, B, B.

Where the order counts, the pairs are a longest common subsequence; where it does not, a maximum matching of the two
sides: a call is never given to one expected call while another, which no other call fits, goes without.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

Fits = Callable[[int, int], bool]
"""Whether the call of an index (second) is the expected one of an index (first)."""


def in_order(expected: int, actual: int, fits: Fits) -> dict[int, int]:
    """Pairs as many as possible without crossing; of equal choices the earliest calls.

    Args:
        expected: How many calls are expected.
        actual: How many were made.
        fits: Whether two may be paired.

    Returns:
        The index of a call for each index of an expected one that has one.
    """
    longest = [[0] * (actual + 1) for _ in range(expected + 1)]
    for i in range(expected - 1, -1, -1):
        for j in range(actual - 1, -1, -1):
            skipped = max(longest[i + 1][j], longest[i][j + 1])
            longest[i][j] = max(skipped, longest[i + 1][j + 1] + 1) if fits(i, j) else skipped
    pairs: dict[int, int] = {}
    i = j = 0
    while i < expected and j < actual:
        if fits(i, j) and longest[i][j] == longest[i + 1][j + 1] + 1:
            pairs[i] = j
            i, j = i + 1, j + 1
        elif longest[i][j + 1] == longest[i][j]:
            j += 1
        else:
            i += 1
    return pairs


def in_any_order(expected: int, actual: int, fits: Fits) -> dict[int, int]:
    """Pairs as many as possible in any order (augmenting paths, breadth first).

    Args:
        expected: How many calls are expected.
        actual: How many were made.
        fits: Whether two may be paired.

    Returns:
        The index of a call for each index of an expected one that has one.

    Example:
        >>> in_any_order(2, 2, lambda wanted, made: made == 0 or wanted == 0)
        {0: 1, 1: 0}
    """
    near = [[j for j in range(actual) if fits(i, j)] for i in range(expected)]
    taken_by: dict[int, int] = {}
    pairs: dict[int, int] = {}
    for start in range(expected):
        _augment(start, near, pairs, taken_by)
    return dict(sorted(pairs.items()))


def _augment(start: int, near: list[list[int]], pairs: dict[int, int], taken_by: dict[int, int]) -> None:
    """Finds a call for one more expected call, moving others where that frees one."""
    came_from: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        i = waiting.popleft()
        for j in near[i]:
            if j in came_from:
                continue
            came_from[j] = i
            if j not in taken_by:
                _flip(j, came_from, pairs, taken_by)
                return
            waiting.append(taken_by[j])


def _flip(free: int, came_from: dict[int, int], pairs: dict[int, int], taken_by: dict[int, int]) -> None:
    j: int | None = free
    while j is not None:
        i = came_from[j]
        before = pairs.get(i)
        pairs[i], taken_by[j] = j, i
        j = before
