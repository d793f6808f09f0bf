"""Pairs the results of two runs by row and repeat."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from afterturn.evals._records import JUDGED, RowResult
from afterturn.evals._storage import RunFile
from afterturn.evals.compare._records import Flip

Key = tuple[str, int]


class Seen(NamedTuple):
    """Is what a comparison needs of a result; `passed` is None where it is not judged."""

    row: str
    passed: bool | None
    score: int | None
    rubrics: tuple[str, ...]
    reason: str | None


@dataclass(kw_only=True, slots=True)
class Values:
    """Is a figure of both runs by row: the sum of each, and how many pairs they are of."""

    rows: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def add(self, content: str, before: float, after: float) -> None:
        """Adds a pair."""
        sums = self.rows.setdefault(content, [0.0, 0.0, 0.0])
        sums[0] += before
        sums[1] += after
        sums[2] += 1

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return int(sum(sums[2] for sums in self.rows.values()))

    def means(self) -> tuple[float | None, float | None]:
        """The means over the rows, each row counted once."""
        if not self.rows:
            return None, None
        before, after = (
            math.fsum(sums[place] / sums[2] for sums in self.rows.values()) / len(self.rows) for place in (0, 1)
        )
        return before, after

    def differences(self) -> list[float]:
        """The mean difference of each row's pairs."""
        return [round((after - before) / pairs, 9) for before, after, pairs in self.rows.values()]


@dataclass(kw_only=True, slots=True)
class Pairing:
    """Is the pairs of two runs, and what is in no pair."""

    paired: int = 0
    unpaired: tuple[int, int] = (0, 0)
    unjudged: tuple[int, int] = (0, 0)
    passed: Values = field(default_factory=Values)
    scores: Values = field(default_factory=Values)
    now_fails: list[Flip] = field(default_factory=list[Flip])
    now_passes: list[Flip] = field(default_factory=list[Flip])


def read_seen(run: RunFile, rubric: str | None) -> dict[Key, Seen]:
    """Reads a run; of a row and repeat that stand in it twice, the last counts."""
    return {(result.row.content, result.repeat): _seen(result, rubric) for result in run.results()}


def pair(before: Mapping[Key, Seen], after: Mapping[Key, Seen]) -> Pairing:
    """Pairs two runs. What is not judged on both sides is counted and left out."""
    found = Pairing()
    both = [key for key in before if key in after]
    found.paired = len(both)
    found.unpaired = (len(before) - len(both), len(after) - len(both))
    found.unjudged = (
        sum(before[key].passed is None for key in both),
        sum(after[key].passed is None for key in both),
    )
    for key in both:
        _add(found, key, before[key], after[key])
    return found


def _add(found: Pairing, key: Key, old: Seen, new: Seen) -> None:
    if old.passed is None or new.passed is None:
        return
    found.passed.add(key[0], old.passed, new.passed)
    if old.score is not None and new.score is not None and old.rubrics == new.rubrics:
        found.scores.add(key[0], old.score, new.score)
    if old.passed != new.passed:
        flip = Flip(
            row=new.row,
            repeat=key[1],
            before_score=old.score,
            after_score=new.score,
            reason=old.reason if new.passed else new.reason,
        )
        (found.now_passes if new.passed else found.now_fails).append(flip)


def _seen(result: RowResult, rubric: str | None) -> Seen:
    score = result.score
    names = tuple(sorted(one.rubric for one in result.scores))
    if rubric is not None:
        score = next((one.score for one in result.scores if one.rubric == rubric), None)
        names = (rubric,)
    return Seen(
        row=result.row.id,
        passed=result.state == "pass" if result.state in JUDGED else None,
        score=score,
        rubrics=names,
        reason=result.reason,
    )
