"""Adds up the results of a run, one at a time, into figures that no NaN and no missing row can bend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from afterturn.evals._keys import hash_of
from afterturn.evals._records import JUDGED, STATES, RowResult
from afterturn.evals._run_records import Agreement, Cost, Mean, RunSummary
from afterturn.turns import JsonValue


class Tally:
    """Adds up results.

    Args:
        planned: Results that a whole run has; coverage is measured against it.
        repeat: How often each row runs; agreement is only kept where it is more than once.
    """

    def __init__(self, *, planned: int, repeat: int = 1) -> None:
        self._planned = planned
        self._repeat = repeat
        self._states: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._scores = _Sum()
        self._rubrics: dict[str, _Sum] = {}
        self._assertions: dict[str, _Sum] = {}
        self._unchecked = 0
        self._partly: Counter[str] = Counter()
        self._latency = _Sum()
        self._agent, self._judge = _Money(), _Money()
        self._repeats: dict[int, list[int]] = {}

    def add(self, result: RowResult) -> None:
        """Adds one result."""
        self._states[result.state] += 1
        if result.reason is not None:
            self._reasons[f"{result.state}:{result.reason}"] += 1
        if result.score is not None:
            self._scores.add(result.score)
        for score in result.scores:
            self._rubrics.setdefault(score.rubric, _Sum()).add(score.score)
        for name in {one.name: None for one in result.assertions}:
            self._assertions.setdefault(name, _Sum()).add(bool(result.holds(name)))
            self._partly[name] += result.unchecked
        self._unchecked += result.unchecked
        if result.reply is not None and result.reply.latency_ms is not None:
            self._latency.add(result.reply.latency_ms)
        self._agent.add(result.agent_cost_usd)
        self._judge.add(result.judge_cost_usd)
        if self._repeat > 1 and result.state in JUDGED:
            counts = self._repeats.setdefault(hash_of(result.row.content), [0, 0])
            counts[result.state == "pass"] += 1

    @property
    def passed(self) -> Mean:
        """The pass rate so far."""
        judged = sum(self._states[state] for state in JUDGED)
        return Mean(
            mean=self._states["pass"] / judged if judged else None, count=judged, coverage=self._coverage(judged)
        )

    def summary(self, *, stop: str | None = None) -> RunSummary:
        """The figures so far.

        Args:
            stop: Why the run stopped before its end, or None.
        """
        return RunSummary(
            planned=self._planned,
            states={state: self._states[state] for state in STATES},
            reasons=dict(self._reasons.most_common()),
            score=self._mean(self._scores),
            pass_rate=self.passed,
            rubrics={name: self._mean(total) for name, total in self._rubrics.items()},
            assertions={name: self._held(name, total) for name, total in self._assertions.items()},
            agent_cost=self._agent.cost,
            judge_cost=self._judge.cost,
            latency_ms=self._mean(self._latency),
            agreement=_agreement(self._repeats.values()) if self._repeat > 1 else None,
            stop=stop,
        )

    def _mean(self, total: _Sum) -> Mean:
        return Mean(mean=total.mean, count=total.count, coverage=self._coverage(total.count))

    def _held(self, name: str, total: _Sum) -> Mean:
        """Gives the mean of an assertion, its coverage being of the results that should have it (`should_assert`)."""
        missing = max(self._planned - sum(self._states.values()), 0)
        wanted = total.count + self._unchecked - self._partly[name] + missing
        return Mean(mean=total.mean, count=total.count, coverage=total.count / wanted)

    def _coverage(self, count: int) -> float:
        return count / self._planned if self._planned else 0.0


def summarize(results: Iterable[RowResult], *, planned: int, repeat: int = 1, stop: str | None = None) -> RunSummary:
    """Adds up the results of a run, in constant memory where each row ran once."""
    tally = Tally(planned=planned, repeat=repeat)
    for result in results:
        tally.add(result)
    return tally.summary(stop=stop)


def summary_to_json(summary: RunSummary) -> dict[str, JsonValue]:
    """Writes the figures of a run."""
    agreement = summary.agreement
    return {
        "planned": summary.planned,
        "done": summary.done,
        "states": {str(state): count for state, count in summary.states.items()},
        "reasons": dict(summary.reasons),
        "score": _mean_to_json(summary.score),
        "pass_rate": _mean_to_json(summary.pass_rate),
        "rubrics": {name: _mean_to_json(mean) for name, mean in summary.rubrics.items()},
        "assertions": {name: _mean_to_json(mean) for name, mean in summary.assertions.items()},
        "cost_usd": summary.cost_usd,
        "agent_cost": {"known_usd": summary.agent_cost.known_usd, "unknown": summary.agent_cost.unknown},
        "judge_cost": {"known_usd": summary.judge_cost.known_usd, "unknown": summary.judge_cost.unknown},
        "latency_ms": _mean_to_json(summary.latency_ms),
        "agreement": None
        if agreement is None
        else {"rows": agreement.rows, "unanimous": agreement.unanimous, "pairwise": agreement.pairwise},
        "stop": summary.stop,
    }


def _mean_to_json(mean: Mean) -> dict[str, JsonValue]:
    return {"mean": mean.mean, "count": mean.count, "coverage": mean.coverage}


def _agreement(repeats: Iterable[list[int]]) -> Agreement:
    rows = unanimous = 0
    pairs = 0.0
    for failed, passed in repeats:
        total = failed + passed
        if total < 2:
            continue
        rows += 1
        unanimous += failed == 0 or passed == 0
        pairs += (failed * (failed - 1) + passed * (passed - 1)) / (total * (total - 1))
    if not rows:
        return Agreement(rows=0, unanimous=None, pairwise=None)
    return Agreement(rows=rows, unanimous=unanimous / rows, pairwise=pairs / rows)


class _Sum:
    """Is a sum and how many it is of."""

    __slots__ = ("_total", "count")

    def __init__(self) -> None:
        self._total = 0.0
        self.count = 0

    def add(self, value: float) -> None:
        self._total += value
        self.count += 1

    @property
    def mean(self) -> float | None:
        return self._total / self.count if self.count else None


class _Money:
    """Is a sum of which parts may be unknown."""

    __slots__ = ("_known_usd", "_unknown")

    def __init__(self) -> None:
        self._known_usd = 0.0
        self._unknown = 0

    def add(self, amount: float | None) -> None:
        if amount is None:
            self._unknown += 1
        else:
            self._known_usd += amount

    @property
    def cost(self) -> Cost:
        return Cost(known_usd=self._known_usd, unknown=self._unknown)
