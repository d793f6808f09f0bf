"""Tests whether one of two judges is right more often on the same labelled turns."""

from __future__ import annotations

from afterturn.calibration._binomial import at_most


def mcnemar(only_old: int, only_new: int) -> float | None:
    """Gives the exact two-sided p-value that both are right equally often; None where they never differ.

    Q. McNemar: Note on the sampling error of the difference between correlated proportions or percentages.
    Psychometrika 12 (1947) 153-157; exact by the binomial distribution, for any number of turns.

    Args:
        only_old: Turns on which only the old one is right.
        only_new: Turns on which only the new one is right.

    Example:
        >>> mcnemar(0, 6), mcnemar(5, 5), mcnemar(0, 0)
        (0.03125, 1.0, None)
    """
    trials = only_old + only_new
    if trials == 0:
        return None
    return round(min(1.0, 2 * at_most(min(only_old, only_new), trials, 0.5)), 12)
