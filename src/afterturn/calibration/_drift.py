"""Says whether the scores of a recent period are still those that a threshold was chosen on.

The population stability index (PSI) compares shares by band: sum of (recent - then) * ln(recent / then) over ten bands
of ten scores. Half a verdict is added to each band, so that an empty one is not infinite. The usual marks are 0.1 and
0.25. Without any drift it is about chi-square(9) * (1/n + 1/m) (B. Yurdakul: Statistical properties of population
stability index, 2018), so 200 verdicts in each period keep chance under 0.25 in 99 of 100 cases.

The Kolmogorov-Smirnov distance D is the largest difference between the two cumulative shares. Scores are integers with
many ties, where the usual table does not hold. The p-value here does, for any distribution and any number of verdicts:
it is the sum of two bounds of Dvoretzky, Kiefer and Wolfowitz, one for each period, with P. Massart's constant (The
tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality. Ann. Probab. 18 (1990) 1269-1283). It is cautious. With
very many verdicts the smallest difference is proven, so an alarm needs a D that matters besides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from afterturn.calibration._histogram import TOP, DayHistogram, Histogram, merged
from afterturn.calibration._scores import scores_by_day

_BAND = 10
_BANDS = 10
_ADDED = 0.5

State = Literal["steady", "watch", "alarm", "not_enough"]
Why = Literal["psi", "ks", "no_verdicts_then", "no_verdicts_now", "few_verdicts_then", "few_verdicts_now"]


By = Literal["agent", "tenant"]


class Group(NamedTuple):
    """Is whose scores are compared; the agent is None where all of a tenant's are taken together."""

    tenant: str
    agent: str | None
    classifier: str
    version: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """Are the marks from which drift is told.

    Attributes:
        watch: PSI from which a group is to be watched.
        alarm: PSI from which an alarm rings.
        distance: D from which an alarm rings, if it is proven.
        p_value: Highest p-value of that proof; it is shared among the groups (Bonferroni).
        least: Fewest answered verdicts in each period.
    """

    watch: float = 0.1
    alarm: float = 0.25
    distance: float = 0.1
    p_value: float = 0.01
    least: int = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """Is what became of the scores of one group.

    Attributes:
        group: Whose scores.
        then: Answered verdicts in the calibration period.
        now: Answered verdicts in the recent period.
        mean_then: Their mean score; None without any.
        mean_now: The same now.
        psi: The population stability index; None where there are not enough.
        distance: D; None where there are not enough.
        p_value: Bound on its p-value, for this group alone; None where there are not enough.
        state: steady, watch, alarm, or not_enough.
        why: What rang or what is missing; None where all is steady.
    """

    group: Group
    then: int
    now: int
    mean_then: float | None
    mean_now: float | None
    psi: float | None
    distance: float | None
    p_value: float | None
    state: State
    why: Why | None


_USUAL = Marks()


def drift(
    then: Iterable[DayHistogram], now: Iterable[DayHistogram], marks: Marks = _USUAL, *, by: By = "agent"
) -> tuple[Drift, ...]:
    """Compares the scores of two periods, by tenant, agent, classifier and version.

    Args:
        then: Histograms of the calibration period.
        now: Histograms of the recent period.
        marks: From where on drift is told.
        by: Whether each agent is compared by itself, or all of a tenant's together.
    """
    before, after = _grouped(then, by), _grouped(now, by)
    groups = sorted({*before, *after})
    enough = [
        group
        for group in groups
        if min(before.get(group, Histogram()).scored, after.get(group, Histogram()).scored) >= max(1, marks.least)
    ]
    proof = marks.p_value / max(1, len(enough))
    return tuple(
        _compared(group, before.get(group, Histogram()), after.get(group, Histogram()), marks, proof)
        for group in groups
    )


def psi(then: Histogram, now: Histogram) -> float:
    """Gives the population stability index of two histograms of scores.

    Example:
        >>> same = Histogram(counts={5: 100, 95: 20})
        >>> psi(same, same), round(psi(same, Histogram(counts={5: 60, 95: 60})), 2)
        (0.0, 0.51)
    """
    first, second = _shares(then), _shares(now)
    return sum((new - old) * math.log(new / old) for old, new in zip(first, second, strict=True))


def ks(then: Histogram, now: Histogram) -> tuple[float, float]:
    """Gives the Kolmogorov-Smirnov distance of two histograms of scores and a bound on its p-value.

    Example:
        >>> distance, p_value = ks(Histogram(counts={5: 500}), Histogram(counts={5: 350, 95: 150}))
        >>> round(distance, 3), p_value < 1e-9
        (0.3, True)
    """
    number, other = then.scored, now.scored
    distance = max(abs(then.at_least(score) / number - now.at_least(score) / other) for score in range(TOP + 1))
    both = number * other / (math.sqrt(number) + math.sqrt(other)) ** 2
    return distance, min(1.0, 4 * math.exp(-2 * both * distance**2))


def far_from(sample: Histogram, traffic: Histogram) -> tuple[float, float]:
    """Gives the greatest distance of a sample's scores from those of its traffic, and a bound on the p-value.

    The bound (Dvoretzky, Kiefer, Wolfowitz; Massart 1990) is for a sample drawn at random, each turn with the same
    chance: a small one says that it was not drawn so, or not from this traffic.

    Example:
        >>> distance, p_value = far_from(Histogram(counts={90: 40}), Histogram(counts={10: 900, 90: 100}))
        >>> distance, p_value < 1e-9
        (0.9, True)
    """
    number, every = sample.scored, traffic.scored
    if not number or not every:
        return 0.0, 1.0
    distance = max(abs(sample.at_least(score) / number - traffic.at_least(score) / every) for score in range(TOP + 1))
    return distance, min(1.0, 2 * math.exp(-2 * number * distance**2))


def _grouped(days: Iterable[DayHistogram], by: By) -> Mapping[Group, Histogram]:
    found: dict[Group, list[DayHistogram]] = {}
    for one in days:
        series = one.series
        agent = series.agent if by == "agent" else None
        group = Group(series.tenant, agent, series.classifier, series.version)
        found.setdefault(group, []).append(one)
    return {group: merged(scores_by_day(some).values()) for group, some in found.items()}


def _compared(group: Group, then: Histogram, now: Histogram, marks: Marks, proof: float) -> Drift:
    missing = _missing(then, now, marks)
    index = distance = p_value = None
    state: State = "not_enough"
    why: Why | None = missing
    if missing is None:
        index = psi(then, now)
        distance, p_value = ks(then, now)
        moved = distance >= marks.distance and p_value <= proof
        state = "alarm" if index >= marks.alarm or moved else "watch" if index >= marks.watch else "steady"
        why = None if state == "steady" else "ks" if moved and index < marks.alarm else "psi"
    return Drift(
        group=group,
        then=then.scored,
        now=now.scored,
        mean_then=_mean(then),
        mean_now=_mean(now),
        psi=index,
        distance=distance,
        p_value=p_value,
        state=state,
        why=why,
    )


def _missing(then: Histogram, now: Histogram, marks: Marks) -> Why | None:
    if not then.scored or not now.scored:
        return "no_verdicts_now" if then.scored else "no_verdicts_then"
    if min(then.scored, now.scored) >= marks.least:
        return None
    return "few_verdicts_then" if then.scored < marks.least else "few_verdicts_now"


def _mean(scores: Histogram) -> float | None:
    total = sum(score * count for score, count in scores.counts.items())
    return total / scores.scored if scores.scored else None


def _shares(scores: Histogram) -> list[float]:
    counts = [_ADDED] * _BANDS
    for score, count in scores.counts.items():
        counts[min(score // _BAND, _BANDS - 1)] += count
    return [count / (scores.scored + _ADDED * _BANDS) for count in counts]
