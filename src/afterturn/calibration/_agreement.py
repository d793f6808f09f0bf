"""Measures how far people, and the judge and people, say the same: Cohen's kappa.

J. Cohen: A coefficient of agreement for nominal scales. Educ. Psychol. Meas. 20 (1960) 37-46. The interval is on each
side the wider of two. One is that of J. L. Fleiss, J. Cohen, B. S. Everitt: Large sample standard errors of kappa and
weighted kappa. Psychol. Bull. 72 (1969) 323-327. It has no width where all agree, however few they are; so the other is
the exact interval of the raw agreement, with the agreement by chance taken as it was seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from afterturn.calibration._binomial import Interval, clopper_pearson

Undefined = Literal["no_common_turns", "one_answer_only"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Is how far two raters agree on the turns that both have answered with yes or no.

    Attributes:
        turns: How many turns both answered.
        both_yes: Turns to which both said yes.
        both_no: Turns to which both said no.
        first_only: Turns to which the first alone said yes.
        second_only: Turns to which the second alone said yes.
        agreement: Share of the turns on which they say the same.
        kappa: Agreement beyond chance: 1 is full, 0 what chance gives. It is that of these turns, and other than that
            of the traffic where rare scores were sampled more often.
        undefined: Why there is no kappa: no turns in common, or both always gave the same one answer, so that chance
            alone would agree as well.
    """

    turns: int
    both_yes: int
    both_no: int
    first_only: int
    second_only: int
    agreement: Interval
    kappa: Interval
    undefined: Undefined | None


def agreement(pairs: Iterable[tuple[bool, bool]], *, confidence: float = 0.95) -> Agreement:
    """Compares the answers of two raters to the same turns.

    Example:
        >>> found = agreement([(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15)
        >>> found.agreement.rate, round(found.kappa.rate, 2)
        (0.7, 0.4)
    """
    counts = Counter(pairs)
    turns = counts.total()
    same = counts[True, True] + counts[False, False]
    seen = clopper_pearson(same, turns, confidence=confidence)
    kappa = _kappa(counts, turns, seen, confidence)
    undefined: Undefined | None = None
    if kappa.rate is None:
        undefined = "one_answer_only" if turns else "no_common_turns"
    return Agreement(
        turns=turns,
        both_yes=counts[True, True],
        both_no=counts[False, False],
        first_only=counts[True, False],
        second_only=counts[False, True],
        agreement=seen,
        kappa=kappa,
        undefined=undefined,
    )


def _kappa(counts: Counter[tuple[bool, bool]], turns: int, seen: Interval, confidence: float) -> Interval:
    if not turns or seen.rate is None or seen.low is None or seen.high is None:
        return Interval(None, None, None)
    first = (counts[True, True] + counts[True, False]) / turns
    second = (counts[True, True] + counts[False, True]) / turns
    chance = first * second + (1 - first) * (1 - second)
    if chance == 1.0:
        return Interval(None, None, None)
    from statistics import NormalDist  # here: it imports half a dozen modules more

    kappa = (seen.rate - chance) / (1 - chance)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * _standard_error(counts, turns, first, second, chance)
    low, high = ((bound - chance) / (1 - chance) for bound in (seen.low, seen.high))
    return Interval(kappa, max(-1.0, min(low, kappa - reach)), min(1.0, max(high, kappa + reach)))


def _standard_error(
    counts: Counter[tuple[bool, bool]], turns: int, first: float, second: float, chance: float
) -> float:
    """Gives the standard error of Fleiss, Cohen and Everitt (1969), equation 13."""
    share = {pair: counts[pair] / turns for pair in ((True, True), (True, False), (False, True), (False, False))}
    margins = {True: (first, second), False: (1 - first, 1 - second)}
    seen = share[True, True] + share[False, False]
    alike = sum(share[one, one] * ((1 - chance) - (sum(margins[one]) * (1 - seen))) ** 2 for one in (True, False))
    apart = (1 - seen) ** 2 * sum(
        share[one, not one] * (margins[one][1] + margins[not one][0]) ** 2 for one in (True, False)
    )
    variance = alike + apart - (seen * chance - 2 * chance + seen) ** 2
    return math.sqrt(max(0.0, variance) / turns) / (1 - chance) ** 2
