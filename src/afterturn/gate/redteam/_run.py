"""Runs the pack against an agent, on the eval runner: the run's file is an eval run like any other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from afterturn.errors import UsageError
from afterturn.evals import Dataset, Parts, RunHeader, Setup, new_header
from afterturn.gate.redteam._check import NAME, VERSION, RedTeamCheck, RedTeamGrader
from afterturn.gate.redteam._pack import DATASET, Pack
from afterturn.gate.redteam._records import KEY
from afterturn.turns import JsonValue


@dataclass(frozen=True, kw_only=True)
class RedTeamParts(Parts):
    """Are the live parts of a red-team run: the agent, perhaps a judge, and the pack's own assertion.

    Attributes:
        assertions: Always the pack's own.
    """

    assertions: tuple[str, ...] = field(default=(f"{NAME}:{VERSION}",), init=False)

    def setup(self, header: RunHeader) -> Setup:
        """What every row goes through.

        Raises:
            UsageError: A cap has no prices to go by.
        """
        grader = RedTeamGrader(self.judge, prices=self.prices) if self.judge is not None else None
        if header.max_cost_usd is not None and grader is not None and not grader.priced:
            raise UsageError(f"a cost cap needs the price of {header.judge}; give a price table: --prices FILE")
        return Setup(
            target=self.target,
            graders=() if grader is None else (grader,),
            assertions=(RedTeamCheck(judged=grader is not None),),
            threshold=header.threshold,
            deadline_s=header.deadline_s,
            prices=self.prices,
        )


def dataset_of(pack: Pack) -> Dataset:
    """Makes a dataset of the pack's rows."""
    return Dataset(path=Path(DATASET), format=DATASET, count=len(pack.rows), bad_lines=0, _kept=pack.rows)


def header_of(parts: RedTeamParts, pack: Pack, **settings: object) -> RunHeader:
    """Writes the header of a new run; it says what was planned of each family.

    Args:
        parts: The live parts.
        pack: The pack.
        **settings: Any of repeat, concurrency, max_cost_usd, deadline_s.
    """
    header = new_header(parts, dataset_of(pack), **settings)
    planned: dict[str, JsonValue] = {family: list(counts) for family, counts in pack.planned.items()}
    told: dict[str, JsonValue] = {"planned": planned, "left_out": pack.left_out}
    return replace(header, options={**header.options, KEY: told})
