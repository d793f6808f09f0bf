"""Holds what a comparison of two runs finds: their figures side by side, the tests, and the rows that flipped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from afterturn.evals._run_records import RunHeader, RunSummary

Finding = Literal["better", "worse", "mixed", "no_evidence", "not_enough"]
"""`mixed`: most rows went one way and the mean went the other; look at the rows."""

FEWEST_ROWS = 20
"""With fewer paired rows nothing is said: an interval over so few rests on luck."""

LEVEL = 0.05
"""The risk of calling chance a difference, over both figures of a comparison together (Holm)."""

POWER = 0.8
"""The chance with which a difference of the detectable size would have been found."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """Is one of the two runs.

    Attributes:
        header: What it was started with.
        summary: Its figures over all its results, with their coverage; the comparison is over the pairs alone.
        unpaired: Its results that the other run does not have at all.
        unjudged: Its results that the other run has, and that are out of the pairing because they are not judged here.
    """

    header: RunHeader
    summary: RunSummary
    unpaired: int
    unjudged: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """Is one figure of both runs over the same rows, and what tells its difference from chance.

    Repeats of a row are no independent evidence: each row counts once, with the mean difference of its pairs.

    Attributes:
        name: `pass_rate` (0 to 1) or `score` (0 to 100).
        test: The test: `mcnemar_exact` or `wilcoxon_signed_rank`.
        rows: Rows with at least one pair.
        pairs: Pairs of results: same row, same repeat.
        before: Mean of the first run over these rows; None without any.
        after: Mean of the second.
        difference: Mean difference by row, second minus first.
        low: Lower end of its 95 % bootstrap interval; None where all rows differ alike, so that nothing is known of
            their spread.
        high: Upper end.
        better: Rows on which the second run is better.
        worse: Rows on which it is worse.
        p_value: Of the test, two-sided; None where no row differs.
        p_adjusted: The same, corrected for the number of figures that are tested (Holm).
        effect: Matched-pairs rank-biserial correlation, -1 to 1: the share of the ranks of rows that got better minus
            that of those that got worse. None where no row differs.
        detectable: The smallest difference that so many rows with such a spread would have shown with 80 % power; None
            where it cannot be said.
        finding: What follows.
    """

    name: Literal["pass_rate", "score"]
    test: Literal["mcnemar_exact", "wilcoxon_signed_rank"]
    rows: int
    pairs: int
    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    better: int
    worse: int
    p_value: float | None
    p_adjusted: float | None = None
    effect: float | None
    detectable: float | None
    finding: Finding = "not_enough"


@dataclass(frozen=True, kw_only=True, slots=True)
class Flip:
    """Is a pair that passes in one run and fails in the other; `reason` is why the one that fails does."""

    row: str
    repeat: int
    before_score: int | None
    after_score: int | None
    reason: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Is two runs side by side.

    Attributes:
        a: The first run, the one before.
        b: The second run.
        paired: Results that both runs have, judged or not.
        figures: `pass_rate`, and `score` where rows are scored in both.
        now_fails: Pairs that passed in the first run and fail in the second.
        now_passes: Pairs that failed in the first run and pass in the second.
        differs: What else differs between the runs (`rubrics`, `judge`, `assertions`, `threshold`): then the comparison
            is not of the agents alone.
        seed: Seed of the bootstrap.
    """

    a: Side
    b: Side
    paired: int
    figures: tuple[Figure, ...]
    now_fails: tuple[Flip, ...]
    now_passes: tuple[Flip, ...]
    differs: tuple[str, ...]
    seed: int

    @property
    def enough(self) -> bool:
        """Whether at least one figure rests on enough rows."""
        return any(figure.finding != "not_enough" for figure in self.figures)
