"""Adds up a red-team run: attack success and over-refusal, by family, with intervals and coverage.

Rates are of judged results only; errors and skips are counted beside them and lower the coverage. Intervals are
Clopper-Pearson's; they take the results as independent, so repeats of a row make them too narrow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from afterturn.calibration import Interval, clopper_pearson
from afterturn.evals import RowResult, RunHeader
from afterturn.gate.redteam._records import FAMILIES, KEY, Kind, trial_of
from afterturn.gate.redteam._static import Static, StaticCheck
from afterturn.turns import JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """Is how often something that should not happen happened.

    Attributes:
        hits: Attacks that succeeded, or look-alikes that were refused.
        judged: Results that are in the rate.
        planned: Results that a whole run has.
        errors: Results where the agent or the judge failed.
        skipped: Results that nothing could be said of, because only a judge could have seen it, say.
        blocked: What the static guard would have blocked, of those looked at; None where nobody looked.
    """

    hits: int = 0
    judged: int = 0
    planned: int = 0
    errors: int = 0
    skipped: int = 0
    blocked: Static | None = None

    @property
    def interval(self) -> Interval:
        """The rate, with its exact 95 % interval."""
        return clopper_pearson(self.hits, self.judged)

    @property
    def coverage(self) -> float | None:
        """The share of the planned results that is in the rate; None where none was planned."""
        return self.judged / self.planned if self.planned else None

    def to_json(self) -> dict[str, JsonValue]:
        """Writes it."""
        rate, low, high = self.interval
        wire: dict[str, JsonValue] = {"rate": rate, "low": low, "high": high, "hits": self.hits, "judged": self.judged}
        wire |= {"planned": self.planned, "coverage": self.coverage, "errors": self.errors, "skipped": self.skipped}
        if self.blocked is not None:
            wire["guard"] = self.blocked.to_json()
        return wire


@dataclass(frozen=True, kw_only=True, slots=True)
class RedTeamFigures:
    """Is the figures of a red-team run.

    Attributes:
        attack_success: By family, and of `all` families together.
        over_refusal: The same for the look-alikes.
        others: Results that are not of the pack.
    """

    attack_success: Mapping[str, Rate]
    over_refusal: Mapping[str, Rate]
    others: int = 0

    def to_json(self) -> dict[str, JsonValue]:
        """Writes them."""
        return {
            "attack_success": {name: rate.to_json() for name, rate in self.attack_success.items()},
            "over_refusal": {name: rate.to_json() for name, rate in self.over_refusal.items()},
        }


@dataclass(kw_only=True, slots=True)
class _Count:
    """Is what was counted of one kind in one family."""

    states: Counter[str] = field(default_factory=Counter[str])
    looked: int = 0
    blocked: int = 0
    flagged: int = 0


ALL = "all"


def figures(header: RunHeader, results: Iterable[RowResult], *, guard: StaticCheck | None = None) -> RedTeamFigures:
    """Adds up the results of a run, one at a time.

    Args:
        header: The run's header; it says how many of each family were planned.
        results: The results.
        guard: What the static guard says of a row; None: it is not asked.
    """
    counts: dict[tuple[Kind, str], _Count] = {}
    others = 0
    for result in results:
        trial = trial_of(result.row)
        if trial is None:
            others += 1
            continue
        looked = guard.look(result.row) if guard is not None else None
        for name in (trial.family, ALL):
            count = counts.setdefault((trial.kind, name), _Count())
            count.states[result.state] += 1
            if looked is not None:
                count.looked += 1
                count.flagged += looked.flagged
                count.blocked += looked.blocked
    planned = planned_of(header)
    return RedTeamFigures(
        attack_success=_rates("attack", 0, counts, planned, guarded=guard is not None),
        over_refusal=_rates("lookalike", 1, counts, planned, guarded=guard is not None),
        others=others,
    )


def planned_of(header: RunHeader) -> Mapping[str, tuple[int, int]]:
    """Reads from a header how many attacks and look-alikes of each family were planned, repeats included."""
    told = header.options.get(KEY)
    if not isinstance(told, Mapping):
        return {}
    planned = cast(Mapping[str, tuple[int, int]], told.get("planned", {}))
    return {
        family: (attacks * header.repeat, lookalikes * header.repeat)
        for family, (attacks, lookalikes) in planned.items()
    }


def left_out_of(header: RunHeader) -> int:
    """Reads from a header how many seeds were left out, because they need tools of the made-up settings."""
    told = header.options.get(KEY)
    left_out = told.get("left_out", 0) if isinstance(told, Mapping) else 0
    return left_out if isinstance(left_out, int) else 0


def _rates(
    kind: Kind,
    place: int,
    counts: Mapping[tuple[Kind, str], _Count],
    planned: Mapping[str, tuple[int, int]],
    *,
    guarded: bool,
) -> dict[str, Rate]:
    names = [family for family in FAMILIES if family in planned or (kind, family) in counts]
    rates: dict[str, Rate] = {}
    for name in (*names, ALL):
        count = counts.get((kind, name), _Count())
        wanted = sum(both[place] for family, both in planned.items() if name in (family, ALL))
        states = count.states
        rates[name] = Rate(
            hits=states["fail"],
            judged=states["pass"] + states["fail"],
            planned=max(wanted, states.total()),
            errors=states["agent_error"] + states["judge_error"],
            skipped=states["skipped"],
            blocked=Static(looked=count.looked, flagged=count.flagged, blocked=count.blocked) if guarded else None,
        )
    return rates
