"""Says how sure a mean of paired differences is: bootstrap interval, detectable difference, several tests at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from statistics import NormalDist
from typing import Any

from afterturn.errors import UsageError
from afterturn.evals.compare._records import LEVEL, POWER

RESAMPLES = 10_000
CONFIDENCE = 0.95

_HALVINGS = 60


def bootstrap(differences: Sequence[float], *, seed: int) -> tuple[float, float] | None:
    """Gives the percentile bootstrap interval of the mean; None where all differences are the same.

    B. Efron: Bootstrap methods: another look at the jackknife. Annals of Statistics 7 (1979) 1-26. How often each value
    is drawn is multinomial, so that 100,000 rows of scores cost as little as 100.

    Raises:
        UsageError: NumPy is not installed.
    """
    counts = sorted(Counter(differences).items())
    if len(counts) < 2:
        return None
    numpy = _numpy()
    values = numpy.array([value for value, _ in counts])
    shares = numpy.array([count for _, count in counts]) / len(differences)
    rng = numpy.random.default_rng(seed)
    means: list[Any] = []
    step = max(1, 2_000_000 // len(counts))
    for start in range(0, RESAMPLES, step):
        drawn = rng.multinomial(len(differences), shares, size=min(step, RESAMPLES - start))
        means.append(drawn @ values / len(differences))
    tail = (1 - CONFIDENCE) / 2
    low, high = numpy.quantile(numpy.concatenate(means), [tail, 1 - tail])
    return round(float(low), 9), round(float(high), 9)


def detectable_rate(differences: Sequence[float]) -> float | None:
    """Gives the smallest difference of two pass rates that a paired test would have found with the wanted power.

    R. J. Connor: Sample size for testing differences in proportions for the paired-sample design. Biometrics 43 (1987)
    207-211, solved for the difference. The share of rows that differ is taken as it was seen, or as the difference
    itself where that is larger.

    Example:
        >>> round(detectable_rate([1] * 10 + [-1] * 10 + [0] * 80), 3)
        0.124
    """
    rows = len(differences)
    if not rows:
        return None
    apart = math.fsum(one * one for one in differences) / rows
    alpha, beta = _quantiles()

    def power(difference: float) -> float:
        spread = max(apart, difference)
        rest = math.sqrt(max(0.0, spread - difference**2))
        return difference * math.sqrt(rows) - alpha * math.sqrt(spread) - beta * rest

    return None if power(1.0) < 0 else _root(power)


def detectable_mean(differences: Sequence[float]) -> float | None:
    """Gives the smallest mean difference that a paired test would have found with the wanted power.

    By the normal distribution; Wilcoxon's test needs at most 16 % more rows than that (J. L. Hodges, E. L. Lehmann: The
    efficiency of some nonparametric competitors of the t-test. Annals of Mathematical Statistics 27 (1956) 324-335).
    None where the differences have no spread.

    Example:
        >>> detectable_mean([10, -10] * 50)
        2.815699
    """
    rows = len(differences)
    if rows < 2:
        return None
    mean = math.fsum(differences) / rows
    spread = math.fsum((one - mean) ** 2 for one in differences) / (rows - 1)
    return round(sum(_quantiles()) * math.sqrt(spread / rows), 6) if spread else None


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Corrects p-values for how many there are.

    S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6 (1979) 65-70.

    Example:
        >>> holm([0.04, None, 0.01])
        [0.04, None, 0.02]
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for done, (p, place) in enumerate(known):
        largest = max(largest, min(1.0, p * (len(known) - done)))
        adjusted[place] = largest
    return adjusted


def _quantiles() -> tuple[float, float]:
    normal = NormalDist()
    return normal.inv_cdf(1 - LEVEL / 2), normal.inv_cdf(POWER)


def _root(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return round(high, 9)


def _numpy() -> Any:
    try:
        return import_module("numpy")
    except ModuleNotFoundError:
        raise UsageError("comparing runs needs NumPy; install it with: pip install 'afterturn[data]'") from None
