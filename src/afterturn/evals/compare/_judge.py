"""Measures how far the judge of a run and people say the same of the same replies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from afterturn.calibration import Agreement, Interval, agreement, clopper_pearson, mcnemar
from afterturn.evals._records import RowResult
from afterturn.evals._storage import RunFile
from afterturn.evals.compare._labels import HumanLabel
from afterturn.evals.compare._records import FEWEST_ROWS

BANDS = ((0, 39), (40, 69), (70, 89), (90, 100))
"""The bands of the rubrics (SPEC D3)."""


class BandAgreement(NamedTuple):
    """Is the replies that the judge gave a score of one band: how many people pass, and how often they agree."""

    low: int
    high: int
    replies: int
    people_pass: Interval
    agree: Interval


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeAgreement:
    """Is how far a judge and people agree.

    Attributes:
        rubric: The rubric, or None for each row's lowest score.
        threshold: The score from which a reply passes.
        labels: Labels that were read; of two by one rater for one reply the last counts.
        replies: Replies that judge and people have judged.
        unknown: Labelled replies that the run does not have.
        unscored: Labelled replies that the judge gave no score.
        tied: Replies on which people are split evenly; they are left out.
        judge: The judge against the majority of people; of the two, the judge is the first.
        people: People against each other, over all pairs of raters; `turns` is 0 where nobody labelled the same reply.
        bands: The same by band of the judge's score.
        bias_p_value: Of McNemar's test that the judge is as often too kind as too strict; None where they never differ.
        score_bias: Mean of the judge's score minus people's mean score; None where nobody gave scores.
        score_error: Mean size of that difference.
        scored: Replies that people gave scores.
    """

    rubric: str | None
    threshold: int
    labels: int
    replies: int
    unknown: int
    unscored: int
    tied: int
    judge: Agreement
    people: Agreement
    bands: tuple[BandAgreement, ...]
    bias_p_value: float | None
    score_bias: float | None
    score_error: float | None
    scored: int

    @property
    def enough(self) -> bool:
        """Whether there are enough replies to say anything."""
        return self.replies >= FEWEST_ROWS


class _Reply(NamedTuple):
    score: int
    people: bool
    people_score: float | None


def judge_agreement(run: RunFile, labels: Iterable[HumanLabel], *, rubric: str | None = None) -> JudgeAgreement:
    """Compares the judge's scores with what people say.

    Args:
        run: The run.
        labels: What people say.
        rubric: The rubric whose scores are compared; by default each row's lowest.
    """
    threshold = run.header.threshold
    by_reply: dict[tuple[str, int], dict[str, HumanLabel]] = {}
    count = 0
    for label in labels:
        count += 1
        by_reply.setdefault((label.row, label.repeat), {})[label.rater] = label
    known, unscored, tied = 0, 0, 0
    replies: list[_Reply] = []
    for result in run.results():
        given = by_reply.get((result.row.id, result.repeat))
        if given is None:
            continue
        known += 1
        score, people = _score(result, rubric), _majority(given.values(), threshold)
        unscored += score is None
        tied += people is None
        if score is not None and people is not None:
            replies.append(_Reply(score, people, _mean(given.values())))
    judge = agreement((one.score >= threshold, one.people) for one in replies)
    apart = [one.score - one.people_score for one in replies if one.people_score is not None]
    return JudgeAgreement(
        rubric=rubric,
        threshold=threshold,
        labels=count,
        replies=len(replies),
        unknown=len(by_reply) - known,
        unscored=unscored,
        tied=tied,
        judge=judge,
        people=agreement(_between(by_reply.values(), threshold)),
        bands=tuple(_band(low, high, replies, threshold) for low, high in BANDS),
        bias_p_value=mcnemar(judge.first_only, judge.second_only),
        score_bias=math.fsum(apart) / len(apart) if apart else None,
        score_error=math.fsum(map(abs, apart)) / len(apart) if apart else None,
        scored=len(apart),
    )


def _band(low: int, high: int, replies: list[_Reply], threshold: int) -> BandAgreement:
    inside = [one for one in replies if low <= one.score <= high]
    passes = sum(one.people for one in inside)
    agree = sum(one.people == (one.score >= threshold) for one in inside)
    return BandAgreement(
        low, high, len(inside), clopper_pearson(passes, len(inside)), clopper_pearson(agree, len(inside))
    )


def _between(replies: Iterable[dict[str, HumanLabel]], threshold: int) -> Iterator[tuple[bool, bool]]:
    for given in replies:
        for first, second in combinations(sorted(given), 2):
            yield given[first].passes(threshold), given[second].passes(threshold)


def _majority(labels: Iterable[HumanLabel], threshold: int) -> bool | None:
    votes = [label.passes(threshold) for label in labels]
    return None if sum(votes) * 2 == len(votes) else sum(votes) * 2 > len(votes)


def _mean(labels: Iterable[HumanLabel]) -> float | None:
    scores = [label.score for label in labels if label.score is not None]
    return math.fsum(scores) / len(scores) if scores else None


def _score(result: RowResult, rubric: str | None) -> int | None:
    if rubric is None:
        return result.score
    return next((one.score for one in result.scores if one.rubric == rubric), None)
