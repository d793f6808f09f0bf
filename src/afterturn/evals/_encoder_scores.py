"""Puts a probability of the encoder on a rubric's scale."""

from __future__ import annotations

from afterturn.evals._records import PASS_SCORE


def on_scale(probability: float, cut: float) -> int:
    """Gives a score from 0 to 100: at the cut it is the score from which a row passes by default.

    Args:
        probability: 0 to 1.
        cut: From which probability on the answer is yes; more than 0 and less than 1.

    Example:
        >>> on_scale(0.5, cut=0.5), on_scale(0.25, cut=0.5), on_scale(1.0, cut=0.5)
        (70, 35, 100)
    """
    if probability >= cut:
        return round(PASS_SCORE + (100 - PASS_SCORE) * (probability - cut) / (1 - cut))
    return min(round(PASS_SCORE * probability / cut), PASS_SCORE - 1)
