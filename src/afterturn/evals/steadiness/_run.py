"""Runs a check of a judge on the eval runner: the run's file is an eval run whose agent is the prepared replies."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from afterturn.calls import Judge
from afterturn.errors import UsageError
from afterturn.evals._dataset import Dataset
from afterturn.evals._grading import Grader
from afterturn.evals._judging import ENCODER, ENCODER_RUBRICS
from afterturn.evals._prices import Prices
from afterturn.evals._records import Reply, Row, Score
from afterturn.evals._row import Setup
from afterturn.evals._rubric import load_rubric
from afterturn.evals._run import Parts, new_header
from afterturn.evals._run_records import RunHeader
from afterturn.evals.steadiness._probes import CHECKS, Check, probes
from afterturn.evals.steadiness._rows import KEY, reply_of, rows_of, trial_of
from afterturn.turns import JsonObject, JsonValue

DATASET = "check-judge"


class PreparedReplies:
    """Is the agent of such a run: each row holds its reply."""

    name = "prepared replies"
    free = True

    @property
    def options(self) -> JsonObject:
        """There are none."""
        return {}

    async def ask(self, row: Row) -> Reply:
        """Gives the reply that stands in the row."""
        return replace(reply_of(row), latency_ms=None)

    async def aclose(self) -> None:
        """Holds nothing."""


class OneRubric:
    """Is a grader of the rows of its own rubric alone.

    Args:
        inner: Who grades.
    """

    def __init__(self, inner: Grader) -> None:
        self._inner = inner
        self.rubric, self.free, self.priced = inner.rubric, inner.free, inner.priced

    def skips(self, row: Row, reply: Reply | None) -> str | None:
        """Gives the code of the reason why it does not score a row, or None."""
        trial = trial_of(row)
        return "other_rubric" if trial is None or trial.rubric != self.rubric else self._inner.skips(row, reply)

    async def grade(self, row: Row, reply: Reply) -> Score:
        """Scores a reply.

        Raises:
            JudgeError: With the code of what went wrong.
        """
        return await self._inner.grade(row, reply)


@dataclass(frozen=True, kw_only=True)
class SteadinessParts(Parts):
    """Are the live parts of a check; `open_check` makes them."""

    def setup(self, header: RunHeader) -> Setup:
        """What every row goes through.

        Raises:
            UsageError: A rubric has no judge, or a cap has no prices to go by.
        """
        setup = super().setup(header)
        return replace(setup, graders=tuple(map(OneRubric, setup.graders)))


def open_check(judge: Judge, rubrics: Sequence[str] = (), *, prices: Prices | None = None) -> SteadinessParts:
    """Puts the parts of a check together.

    Args:
        judge: The judge.
        rubrics: Names of rubrics, or files; by default all that there are replies for and that it can apply.
        prices: What it costs.

    Raises:
        UsageError: There is no such rubric, or two have the same name.
    """
    known = tuple(dict.fromkeys(probe.rubric for probe in probes()))
    names = rubrics or (ENCODER_RUBRICS if judge.name == ENCODER else known)
    loaded = tuple(load_rubric(name) for name in names)
    if len({rubric.name for rubric in loaded}) < len(loaded):
        raise UsageError("two rubrics have the same name; give each once, or rename one")
    return SteadinessParts(target=PreparedReplies(), rubrics=loaded, judge=judge, prices=prices or Prices({}))


def dataset_of(parts: Parts, *, checks: Collection[Check] = CHECKS, limit: int | None = None) -> Dataset:
    """Makes the rows for the rubrics of some parts.

    Args:
        parts: The parts.
        checks: What is done to each reply.
        limit: At most so many replies of each rubric.
    """
    rows = tuple(rows_of(parts.rubrics, checks=checks, limit=limit))
    return Dataset(path=Path(DATASET), format=DATASET, count=len(rows), bad_lines=0, _kept=rows)


def header_of(parts: Parts, dataset: Dataset, **settings: object) -> RunHeader:
    """Writes the header of a new run; it says that this is a check of a judge, where no score is too low to pass.

    Args:
        parts: The live parts.
        dataset: The rows.
        **settings: Any of concurrency, deadline_s, max_cost_usd, command.
    """
    told: dict[str, JsonValue] = {"rubrics": [rubric.name for rubric in parts.rubrics]}
    header = new_header(parts, dataset, threshold=0, **settings)
    return replace(header, options={**header.options, KEY: told})
