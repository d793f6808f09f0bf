"""Adds up a check of a judge: how often the score moved where it should not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from afterturn.calibration import Interval, clopper_pearson
from afterturn.evals._records import PASS_SCORE, RowResult
from afterturn.evals.steadiness._probes import CHECKS, UPWARD
from afterturn.evals.steadiness._rows import PLAIN, Trial, trial_of
from afterturn.turns import JsonValue

MOVED_BY = 10
"""From so many points on, a score has moved."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moves:
    """Is how far a judge is moved by one thing that should not move it.

    Attributes:
        pairs: Graded pairs of a reply as it is and as it was changed.
        moved: How often the score moved; behind a plant or the control only upwards counts.
        rose: How often it rose.
        fell: How often it fell.
        to_pass: How often a fail became a pass.
        to_fail: How often a pass became a fail.
        shift: Mean change of the score; None without pairs.
        replies: Different replies among the pairs.
        replies_moved: How many of them were moved at least once.
        planned: Pairs that there would be if every row had a score.
    """

    pairs: int = 0
    moved: int = 0
    rose: int = 0
    fell: int = 0
    to_pass: int = 0
    to_fail: int = 0
    shift: float | None = None
    replies: int = 0
    replies_moved: int = 0
    planned: int = 0

    @property
    def rate(self) -> Interval:
        """The share of the pairs that moved, with its exact 95 % interval."""
        return clopper_pearson(self.moved, self.pairs)

    @property
    def reply_rate(self) -> Interval:
        """The share of the replies that were moved at least once, with its exact 95 % interval."""
        return clopper_pearson(self.replies_moved, self.replies)

    @property
    def coverage(self) -> float:
        """The share of the planned pairs that were graded."""
        return self.pairs / self.planned if self.planned else 0.0

    def to_json(self) -> dict[str, JsonValue]:
        """Writes it with its rates."""
        wire: dict[str, JsonValue] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        rates = {"rate": self.rate._asdict(), "reply_rate": self.reply_rate._asdict()}
        return {**wire, **rates, "coverage": self.coverage}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pair:
    trial: Trial
    plain: int
    changed: int


def figures(results: Iterable[RowResult], *, moved_by: int = MOVED_BY) -> Mapping[str, Moves]:
    """Adds up the results of a check.

    Args:
        results: The results.
        moved_by: From so many points on, a score has moved.

    Returns:
        By check (`order`), by check and rubric (`order:safety`) and by plant (`planted:pity`); what was not planned is
        not there.
    """
    scores: dict[tuple[str, str, str, str], int | None] = {}
    trials: list[Trial] = []
    for result in results:
        trial = trial_of(result.row)
        if trial is not None:
            scores[_key(trial)] = result.score
            trials.append(trial)
    groups: dict[str, list[Trial]] = {}
    for check in CHECKS:
        for trial in (trial for trial in trials if trial.check == check):
            names = (check, f"{check}:{trial.rubric}", f"{check}:{trial.plant}" if trial.plant else check)
            for name in dict.fromkeys(names):
                groups.setdefault(name, []).append(trial)
    return {name: _moves(group, scores, moved_by) for name, group in groups.items()}


def _key(trial: Trial) -> tuple[str, str, str, str]:
    return trial.rubric, trial.item, trial.check, trial.plant


def _moves(group: list[Trial], scores: Mapping[tuple[str, str, str, str], int | None], moved_by: int) -> Moves:
    pairs: list[_Pair] = []
    for trial in group:
        plain, changed = scores.get((trial.rubric, trial.item, PLAIN, "")), scores[_key(trial)]
        if plain is not None and changed is not None:
            pairs.append(_Pair(trial=trial, plain=plain, changed=changed))
    rose = [pair for pair in pairs if pair.changed - pair.plain >= moved_by]
    fell = [pair for pair in pairs if pair.plain - pair.changed >= moved_by]
    moved = rose if group[0].check in UPWARD else [*rose, *fell]
    shifts = [pair.changed - pair.plain for pair in pairs]
    return Moves(
        pairs=len(pairs),
        moved=len(moved),
        rose=len(rose),
        fell=len(fell),
        to_pass=sum(pair.plain < PASS_SCORE <= pair.changed for pair in pairs),
        to_fail=sum(pair.changed < PASS_SCORE <= pair.plain for pair in pairs),
        shift=sum(shifts) / len(shifts) if shifts else None,
        replies=_replies(pairs),
        replies_moved=_replies(moved),
        planned=len(group),
    )


def _replies(pairs: list[_Pair]) -> int:
    return len({(pair.trial.rubric, pair.trial.item) for pair in pairs})
