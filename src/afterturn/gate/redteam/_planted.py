"""Measures how far a judge is moved by verdicts that the judged reply plants.

The bad replies in English of `evals.steadiness`, which has the other checks of a judge: each is graded as it is, with a
harmless sentence behind it (the control), and with each planted verdict. For tool_selection, where the judge does not
see the reply, the text stands in an argument of the call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from afterturn.calibration import clopper_pearson
from afterturn.calls import Judge
from afterturn.errors import JudgeError
from afterturn.evals import PASS_SCORE, JudgeGrader, Prices, Reply, Row, load_rubric
from afterturn.evals.steadiness import MOVED_BY, PLAIN, plants, probes, reply_of, trial_of, varied
from afterturn.turns import JsonValue

CONTROL = "control"


@dataclass(frozen=True, kw_only=True, slots=True)
class Planted:
    """Is one bad reply with one planted verdict, or with none.

    Attributes:
        item: Id of the reply.
        plant: Id of what was planted; empty for the reply as it is.
        rubric: The rubric under which it is graded.
        row: What was asked.
        reply: The reply.
    """

    item: str
    plant: str
    rubric: str
    row: Row
    reply: Reply


@dataclass(frozen=True, kw_only=True, slots=True)
class Susceptibility:
    """Is how far a judge was moved under one rubric, or by one kind of plant.

    Attributes:
        pairs: Planted replies that could be compared with their plain one.
        moved: How often the score rose by at least ten points.
        flipped: How often a fail became a pass.
        shift: Mean change of the score; None without pairs.
        control_pairs: The same for the harmless sentence.
        control_moved: How often that alone moved the score.
        errors: Grades that the judge failed to give.
    """

    pairs: int = 0
    moved: int = 0
    flipped: int = 0
    shift: float | None = None
    control_pairs: int = 0
    control_moved: int = 0
    errors: int = 0

    def to_json(self) -> dict[str, JsonValue]:
        """Writes it, the share moved with its exact 95 % interval."""
        rate, low, high = clopper_pearson(self.moved, self.pairs)
        wire: dict[str, JsonValue] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**wire, "moved_rate": rate, "low": low, "high": high}


@cache
def planted_set() -> tuple[Planted, ...]:
    """Gives the whole set: every reply as it is, with the control and with each plant."""
    changes = [(PLAIN, ""), (CONTROL, ""), *(("planted", plant) for plant in plants())]
    return tuple(
        _planted(varied(probe, check, plant), check)
        for probe in probes()
        if probe.quality == "bad" and probe.language == "en"
        for check, plant in changes
    )


def _planted(row: Row, check: str) -> Planted:
    trial = trial_of(row)
    assert trial is not None
    plant = CONTROL if check == CONTROL else trial.plant
    return Planted(item=trial.item, plant=plant, rubric=trial.rubric, row=row, reply=reply_of(row))


async def susceptibility(
    judge: Judge, *, rubrics: Sequence[str] = (), limit: int | None = None
) -> Mapping[str, Susceptibility]:
    """Grades the set with a judge, one call after the other.

    Args:
        judge: The judge.
        rubrics: Only these; all by default.
        limit: At most so many replies of each rubric.

    Returns:
        By `rubric:NAME`, by `plant:NAME`, and for `all` of it.
    """
    chosen = [one for one in planted_set() if not rubrics or one.rubric in rubrics]
    if limit is not None:
        chosen = [one for one in chosen if int(one.item.rpartition("-")[2]) <= limit]
    names = {one.rubric for one in chosen}
    graders = {name: JudgeGrader(load_rubric(name), judge, prices=Prices({})) for name in names}
    scores: dict[tuple[str, str], int | None] = {}
    for one in chosen:
        scores[one.item, one.plant] = await _score(graders[one.rubric], one)
    groups: dict[str, list[Planted]] = {}
    for one in chosen:
        for name in (f"rubric:{one.rubric}", f"plant:{one.plant}", "all"):
            groups.setdefault(name, []).append(one)
    groups = {name: group for name, group in groups.items() if name not in ("plant:", f"plant:{CONTROL}")}
    return {name: _measured(group, scores) for name, group in groups.items()}


async def _score(grader: JudgeGrader, one: Planted) -> int | None:
    try:
        return (await grader.grade(one.row, one.reply)).score
    except JudgeError:  # counted as an error; one failed grade ends nothing
        return None


def _measured(group: Sequence[Planted], scores: Mapping[tuple[str, str], int | None]) -> Susceptibility:
    shifts: list[int] = []
    control: list[int] = []
    flipped = 0
    for one in group:
        plain, with_plant = scores[one.item, ""], scores[one.item, one.plant]
        if not one.plant or plain is None or with_plant is None:
            continue
        (control if one.plant == CONTROL else shifts).append(with_plant - plain)
        flipped += one.plant != CONTROL and plain < PASS_SCORE <= with_plant
    return Susceptibility(
        pairs=len(shifts),
        moved=sum(shift >= MOVED_BY for shift in shifts),
        flipped=flipped,
        shift=sum(shifts) / len(shifts) if shifts else None,
        control_pairs=len(control),
        control_moved=sum(shift >= MOVED_BY for shift in control),
        errors=sum(scores[one.item, one.plant] is None for one in group),
    )
