"""Computes exact tails of the binomial distribution, and intervals and p-values from them.

The tail is a regularised incomplete beta function, evaluated by its continued fraction (W. H. Press et al., Numerical
Recipes, 3rd ed., 6.4, with Lentz's method). So a tail costs the same for ten labels as for ten million.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

_TINY = 1e-300
_EPSILON = 1e-15
_MOST_STEPS = 10_000
_HALVINGS = 60


class Interval(NamedTuple):
    """Is a rate with the bounds between which it lies; all None where nothing was seen."""

    rate: float | None
    low: float | None
    high: float | None


def at_most(hits: int, trials: int, rate: float) -> float:
    """Gives the probability of at most so many hits in so many independent trials.

    Example:
        >>> round(at_most(1, 3, 0.5), 12)
        0.5
    """
    if hits >= trials:
        return 1.0
    return 0.0 if hits < 0 else 1.0 - incomplete_beta(hits + 1, trials - hits, rate)


def at_least(hits: int, trials: int, rate: float) -> float:
    """Gives the probability of at least so many hits in so many independent trials.

    Example:
        >>> round(at_least(3, 3, 0.5), 12)
        0.125
    """
    if hits <= 0:
        return 1.0
    return 0.0 if hits > trials else incomplete_beta(hits, trials - hits + 1, rate)


def clopper_pearson(hits: int, trials: int, *, confidence: float = 0.95) -> Interval:
    """Gives the exact two-sided interval of a rate.

    C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits illustrated in the case of the binomial.
    Biometrika 26 (1934) 404-413.

    Example:
        >>> interval = clopper_pearson(0, 10)
        >>> interval.rate, interval.low, round(interval.high or 0, 4)
        (0.0, 0.0, 0.3085)
    """
    if trials == 0:
        return Interval(None, None, None)
    tail = (1.0 - confidence) / 2
    low = 0.0 if hits == 0 else _root(lambda rate: at_least(hits, trials, rate) - tail)
    high = 1.0 if hits == trials else _root(lambda rate: tail - at_most(hits, trials, rate))
    return Interval(hits / trials, low, high)


def _root(rising: Callable[[float], float]) -> float:
    """Finds where a rising function of a rate crosses zero, by halving."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Gives the regularised incomplete beta function.

    Example:
        >>> round(incomplete_beta(2, 3, 0.4), 12)
        0.5248
    """
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return min(1.0, math.exp(log_front) * _fraction(a, b, x) / a)
    return max(0.0, 1.0 - math.exp(log_front) * _fraction(b, a, 1 - x) / b)


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, _inverse(1.0 - (a + b) * x / (a + 1))
    value = d
    for step in range(1, _MOST_STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        change = 1.0
        for term in (even, odd):
            d = _inverse(1.0 + term * d)
            c = 1.0 + term / c
            c = c if abs(c) >= _TINY else _TINY
            change = c * d
            value *= change
        if abs(change - 1.0) < _EPSILON:
            break
    return value


def _inverse(value: float) -> float:
    return 1.0 / (value if abs(value) >= _TINY else _TINY)
