"""Bounds the total of a stratified population from a sample of it; valid for any number of labels and any rates.

The bound is Chernoff's, with the moment generating function that W. Hoeffding gave for sums of bounded variables, drawn
with or without replacement (Probability inequalities for sums of bounded random variables. J. Am. Stat. Assoc. 58
(1963) 13-30, theorems 1 and 4). A stratified claim is about one total, while each cell has a share of its own that
nobody knows; so the bound takes the worst shares that the claim allows, as stratified audits of elections do (K.
Ottoboni, P. B. Stark, M. Lindeman, N. McBurnett: Risk-limiting audits by stratified union-intersection tests of
elections, 2018). For one cell without a hit it is the exact binomial tail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

_FEW = 10
_STEPS = 12
_HALVINGS = 28
_GOLDEN = (math.sqrt(5) - 1) / 2
_MOST = 500.0
"""Is the largest exponent, far from where numbers end."""


class Cell(NamedTuple):
    """Is a part of the population that is sampled by itself.

    Attributes:
        weight: How many turns of the population it has, times what a hit adds to the total; may be negative.
        hits: Hits in the sample.
        trials: Turns in the sample; of a cell without one, anything is possible.
    """

    weight: float
    hits: float
    trials: float


def log_p_value(cells: Sequence[Cell], limit: float, *, enough: float = -math.inf) -> float:
    """Gives the log of a p-value for "the total is at least the limit", small where the sample's total is far below.

    Args:
        cells: The cells; the total is the sum of weight times the cell's true share of hits.
        limit: The least total of the claim.
        enough: A log at or under which the search for a smaller one may end; what is given then is an upper bound.

    Example:
        >>> round(math.exp(log_p_value([Cell(1.0, 0, 29)], 0.1)), 4)
        0.0471
    """
    cells, scale = _scaled(cells)
    limit /= scale
    if sum(cell.weight for cell in cells if cell.weight > 0) < limit:
        return -math.inf  # no shares reach it
    total = _seen(cells)
    if total is None or sum(cell.weight for cell in cells if cell.weight < 0) >= limit:
        return 0.0

    def at(slope: float) -> float:
        low, high = _prices(cells)
        for _ in range(_HALVINGS):  # the worst shares are those that just reach the limit
            middle = (low + high) / 2
            if _worst(cells, slope, math.exp(middle))[0] < limit:
                low = middle
            else:
                high = middle
        return slope * total + _worst(cells, slope, math.exp(low))[1]

    return min(0.0, _least(at, cells, enough))


def most(cells: Sequence[Cell], error: float) -> float:
    """Gives an upper bound on the total: it is above it with at most this probability.

    Args:
        cells: The cells, none with a negative weight.
        error: The probability.

    Example:
        >>> round(most([Cell(100.0, 0, 29)], 0.05), 1)
        9.8
    """
    cells, scale = _scaled(cells)
    total, target = _seen(cells), math.log(error)
    everything = sum(cell.weight for cell in cells)
    if total is None:
        return everything * scale

    def at(slope: float) -> float:
        low, high = _prices(cells)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if slope * total + _worst(cells, slope, math.exp(middle))[1] >= target:
                low = middle
            else:
                high = middle
        return _worst(cells, slope, math.exp(high))[0]

    return scale * min(everything, _least(at, cells))


def least(cells: Sequence[Cell], error: float) -> float:
    """Gives a lower bound on the total: it is below it with at most this probability.

    Example:
        >>> round(least([Cell(100.0, 29, 29)], 0.05), 1)
        90.2
    """
    misses = [Cell(cell.weight, cell.trials - cell.hits, cell.trials) for cell in cells]
    return sum(cell.weight for cell in cells) - most(misses, error)


def _scaled(cells: Sequence[Cell]) -> tuple[list[Cell], float]:
    scale = sum(abs(cell.weight) for cell in cells) or 1.0
    return [Cell(weight / scale, hits, trials) for weight, hits, trials in cells if weight], scale


def _seen(cells: Sequence[Cell]) -> float | None:
    """Gives the sample's total; None where nothing was sampled."""
    sampled = [weight * hits / trials for weight, hits, trials in cells if trials]
    return sum(sampled) if sampled else None


def _sizes(cells: Sequence[Cell]) -> tuple[float, float]:
    """Gives the least and the greatest that one sampled turn stands for."""
    each = [abs(weight) / trials for weight, _, trials in cells if trials]
    return min(each), max(each)


def _prices(cells: Sequence[Cell]) -> tuple[float, float]:
    """Gives the range (as logs) in which the price of the limit is looked for."""
    lowest, highest = _sizes(cells)
    return -math.log(highest) - 40, -math.log(lowest) + 40


def _worst(cells: Sequence[Cell], slope: float, price: float) -> tuple[float, float]:
    """Gives the total of the worst shares at a price for it, and the log of their moment generating function."""
    total = loss = 0.0
    for weight, _, trials in cells:
        if not trials:
            total += max(weight, 0.0)
            continue
        exponent = -slope * weight / trials
        gain = math.expm1(max(-_MOST, min(_MOST, exponent)))
        share = min(1.0, max(0.0, -trials / (price * weight) - 1 / gain)) if gain else 1.0
        total += weight * share
        loss += trials * _log_mgf(share, exponent)
    return total, loss


def _log_mgf(share: float, exponent: float) -> float:
    """Gives the log of 1 + share * (e^exponent - 1), never less than it is: a bound would prove what is not so."""
    if exponent <= _MOST:
        value = share * math.expm1(max(-_MOST, exponent))
        return math.log1p(value) if value > -1 else -_MOST
    if share <= 0:
        return 0.0
    log = exponent + math.log(share)  # e^exponent is beyond what a number holds, and the 1 beside it is nothing
    return log + math.log1p(math.exp(-log)) if log > 0 else math.log1p(math.exp(log))


def _least(at: Callable[[float], float], cells: Sequence[Cell], enough: float = -math.inf) -> float:
    """Finds the least value over all slopes: the best of a few, then golden sections of their logs about it.

    Any slope gives a valid bound; at both ends a bound says nothing, so that the few must not be left out.
    """
    lowest, highest = _sizes(cells)
    start, end = math.log(1e-2 / highest), math.log(60 / lowest)
    step = (end - start) / (_FEW - 1)
    tried: dict[int, float] = {}
    for place in sorted(range(_FEW), key=lambda one: abs(start + one * step + math.log(highest))):  # the likely first
        tried[place] = at(math.exp(start + place * step))
        if tried[place] <= enough:
            return tried[place]
    best = min(tried, key=lambda place: tried[place])
    low, high = start + (best - 1) * step, start + (best + 1) * step
    one, two = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_one, at_two = at(math.exp(one)), at(math.exp(two))
    for _ in range(_STEPS):
        if min(tried[best], at_one, at_two) <= enough:
            break
        if at_one <= at_two:
            high, two, at_two = two, one, at_one
            one = high - _GOLDEN * (high - low)
            at_one = at(math.exp(one))
        else:
            low, one, at_one = one, two, at_two
            two = low + _GOLDEN * (high - low)
            at_two = at(math.exp(two))
    return min(tried[best], at_one, at_two)
