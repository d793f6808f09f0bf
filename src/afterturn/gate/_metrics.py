"""Knows the metrics of a run: what each result counts, and how many results should have counted.

A metric is a mean over results, so that one line of code serves its value, its coverage and its comparison row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from afterturn.evals import JUDGED, RowResult
from afterturn.gate.redteam._records import FAMILIES, trial_of

Counts = Callable[[RowResult], float | None]
"""What a result counts; None: nothing was measured."""

Belongs = Callable[[RowResult], bool]
"""Whether a result should have counted."""

PLAIN = ("score", "pass_rate", "coverage", "error_rate", "cost_usd", "latency_ms")
NAMED = ("rubric", "assertion")
OF_FAMILIES = ("attack_success", "over_refusal")
_RATES = ("pass_rate", "assertion", "error_rate", "coverage", *OF_FAMILIES)
_HIGHER = ("score", "pass_rate", "rubric", "assertion", "coverage")
_PAIRED = ("score", "pass_rate", *NAMED, *OF_FAMILIES)


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """Is a metric of a run.

    Attributes:
        name: How the configuration writes it.
        counts: What a result counts.
        belongs: Whether a result should have counted; what should have and did not lowers the coverage.
        rate: Whether each result counts 0 or 1.
        higher: Whether more is better.
        total: Whether the figure is the sum and not the mean.
        everything: Whether each planned result counts, whatever became of it; then a missing one is never passed over.
    """

    name: str
    counts: Counts
    belongs: Belongs
    rate: bool = False
    higher: bool = False
    total: bool = False
    everything: bool = False


def is_rate(name: str) -> bool:
    """Says whether a metric is a rate, which has an exact interval."""
    return name.partition(":")[0] in _RATES


def check_metric(name: str, *, paired: bool) -> None:
    """Checks the name of a metric.

    Raises:
        ValueError: There is no such metric, or it cannot be compared row by row.
    """
    kind, colon, rest = name.partition(":")
    named = (
        (kind in PLAIN and not colon) or (kind in NAMED and rest) or (kind in OF_FAMILIES and bool(rest) == bool(colon))
    )
    if not named or (kind in OF_FAMILIES and rest and rest not in FAMILIES):
        raise ValueError(
            f"no metric is called {name!r}; there are {', '.join(PLAIN)}, rubric:NAME, assertion:NAME, "
            "attack_success, over_refusal, and the last two with :FAMILY"
        )
    if paired and kind not in _PAIRED:
        raise ValueError(f"{name} cannot be compared row by row; write `test: margin`")


def metric(name: str) -> Metric:
    """Makes a metric of its name, which `check_metric` has seen."""
    kind, _, rest = name.partition(":")
    counts, belongs = _COUNTS[kind](rest)
    return Metric(
        name=name,
        counts=counts,
        belongs=belongs,
        rate=kind in _RATES,
        higher=kind in _HIGHER,
        total=kind == "cost_usd",
        everything=kind in ("coverage", "error_rate"),
    )


def _all(_: RowResult) -> bool:
    return True


def _score(_: str) -> tuple[Counts, Belongs]:
    return (lambda result: result.score), _all


def _pass_rate(_: str) -> tuple[Counts, Belongs]:
    return _passed, _all


def _passed(result: RowResult) -> float | None:
    return float(result.state == "pass") if result.state in JUDGED else None


def _rubric(name: str) -> tuple[Counts, Belongs]:
    return (lambda result: next((float(one.score) for one in result.scores if one.rubric == name), None)), _all


def _assertion(name: str) -> tuple[Counts, Belongs]:
    def counts(result: RowResult) -> float | None:
        held = result.holds(name)
        return None if held is None else float(held)

    return counts, lambda result: result.should_assert(name)


def _coverage(_: str) -> tuple[Counts, Belongs]:
    return (lambda result: float(result.state in JUDGED)), _all


def _errors(_: str) -> tuple[Counts, Belongs]:
    return (lambda result: float(result.state in ("agent_error", "judge_error"))), _all


def _cost(_: str) -> tuple[Counts, Belongs]:
    def counts(result: RowResult) -> float | None:
        agent, judge = result.agent_cost_usd, result.judge_cost_usd
        return None if agent is None or judge is None else agent + judge

    return counts, _all


def _latency(_: str) -> tuple[Counts, Belongs]:
    return (lambda result: None if result.reply is None else result.reply.latency_ms), _all


def _trial(kind: str) -> Callable[[str], tuple[Counts, Belongs]]:
    def make(family: str) -> tuple[Counts, Belongs]:
        def belongs(result: RowResult) -> bool:
            trial = trial_of(result.row)
            return trial is not None and trial.kind == kind and family in ("", trial.family)

        def counts(result: RowResult) -> float | None:
            if not belongs(result) or result.state not in JUDGED:
                return None
            return float(result.state == "fail")

        return counts, belongs

    return make


_COUNTS: dict[str, Callable[[str], tuple[Counts, Belongs]]] = {
    "score": _score,
    "pass_rate": _pass_rate,
    "rubric": _rubric,
    "assertion": _assertion,
    "coverage": _coverage,
    "error_rate": _errors,
    "cost_usd": _cost,
    "latency_ms": _latency,
    "attack_success": _trial("attack"),
    "over_refusal": _trial("lookalike"),
}
