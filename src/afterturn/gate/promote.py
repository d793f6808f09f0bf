"""Decides whether an agent is promoted: every criterion of a gate, each against a value or a baseline run."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from afterturn.errors import AfterturnError
from afterturn.gate._closed import closed
from afterturn.gate._config import Criterion, GateConfig, load_gate
from afterturn.gate._figures import figure
from afterturn.gate._measure import Measured, Paired, compare, measure
from afterturn.gate._metrics import Metric, metric
from afterturn.gate._report import Finding, Report
from afterturn.gate._strict import Problem, StrictRun, problems

Now = Callable[[], datetime]


def decide(path: Path, *, now: Now = lambda: datetime.now(UTC), timeout_s: float | None = None) -> Report:
    """Decides by the gate in a file.

    Args:
        path: The gate's configuration.
        now: Tells the time; given in tests.
        timeout_s: Seconds that it may take, in place of the configuration's.

    Returns:
        The decision. It is `promoted` only where every criterion was measured and met.

    Raises:
        ConfigError: The configuration cannot be used; nothing was decided.
    """
    config = load_gate(path)
    blank = _blank(path, config, now())

    def blocked(code: str, told: str) -> Report:
        return replace(blank, fault=code, told=f"the gate did not come to its end ({told}), so it blocks")

    seconds = config.timeout_s if timeout_s is None else timeout_s
    return closed(lambda: _decided(config, path.parent, blank, now()), blocked, timeout_s=seconds)


def _blank(path: Path, config: GateConfig, at: datetime) -> Report:
    """Gives the report of a gate that has not decided yet; it blocks."""
    return Report(
        name=config.name,
        config=hashlib.sha256(path.read_bytes()).hexdigest()[:16],
        at=at,
        demands=len(config.criteria),
        fault="unfinished",
        told="the gate has not come to its end, so it blocks",
    )


def _decided(config: GateConfig, folder: Path, blank: Report, now: datetime) -> Report:
    gate = _Gate(config, folder, now)
    findings: list[Finding] = []
    for criterion in config.criteria:

        def broken(code: str, told: str, one: Criterion = criterion) -> Finding:
            return Finding(name=one.title, status="inconclusive", reason=code, told=f"the check broke ({told})")

        findings.append(closed(lambda one=criterion: gate.check(one), broken))
    return replace(blank, fault=None, told="", findings=tuple(findings))


@dataclass(frozen=True, slots=True)
class _Opened:
    """Is a run that was opened, or the reasons why it counts for nothing."""

    run: StrictRun | None
    problems: tuple[Problem, ...]


class _Gate:
    """Checks criteria; each run is opened and checked once."""

    def __init__(self, config: GateConfig, folder: Path, now: datetime) -> None:
        self._config = config
        self._folder = folder
        self._now = now
        self._opened: dict[tuple[str, bool], _Opened] = {}

    def check(self, criterion: Criterion) -> Finding:
        """Checks one criterion."""
        if criterion.figures is not None:
            return self._figure(criterion, criterion.figures)
        opened = self._open(criterion.run or "", baseline=False)
        if opened.run is None or opened.problems:
            return _problem(criterion, criterion.run or "", opened.problems)
        wanted = metric(criterion.metric)
        measured = measure(wanted, opened.run.results(), planned=opened.run.header.planned)
        unclear = self._unclear(criterion, measured, wanted)
        if unclear is not None:
            return unclear
        if criterion.baseline is None:
            return _against_value(criterion, measured)
        return self._against_baseline(criterion, wanted, opened.run, measured)

    def _open(self, name: str, *, baseline: bool) -> _Opened:
        key = (name, baseline)
        if key not in self._opened:
            self._opened[key] = self._read(name, baseline=baseline)
        return self._opened[key]

    def _read(self, name: str, *, baseline: bool) -> _Opened:
        config = self._config.runs[name]
        hours = config.max_age_hours or (None if baseline else self._config.max_age_hours)
        age = None if hours is None else timedelta(hours=hours)
        try:
            run = StrictRun(self._folder / config.file)
            found = problems(run, config, self._folder, now=self._now, max_age=age)
        except AfterturnError as error:
            return _Opened(None, (Problem(code="unreadable", told=str(error), unreadable=True),))
        return _Opened(run, tuple(found))

    def _unclear(self, criterion: Criterion, measured: Measured, wanted: Metric) -> Finding | None:
        """Says why a figure decides nothing, or None."""
        demanded = _demanded(criterion)
        if measured.value is None:
            reason, told = "missing_metric", f"the run has no {criterion.metric}; nothing in it measured that"
        elif not math.isfinite(measured.value):
            reason, told = "not_a_number", f"{criterion.metric} is no number"
        elif measured.coverage < self._coverage(criterion):
            reason = "unknown_price" if wanted.total else "low_coverage"
            told = f"only {measured.count} of {measured.planned} results are in it ({measured.coverage:.1%})"
            told += f"; {self._coverage(criterion, wanted):.0%} must be"
        elif wanted.total and measured.coverage < 1:
            reason, told = "unknown_price", "some calls have no known price; give a price table to the run: --prices"
        else:
            return None
        coverage = measured.coverage if measured.planned else None
        return Finding(
            name=criterion.title, status="inconclusive", reason=reason, told=told, demanded=demanded, coverage=coverage
        )

    def _coverage(self, criterion: Criterion, wanted: Metric | None = None) -> float:
        if wanted is not None and wanted.total:
            return 1.0
        own = criterion.min_coverage
        return self._config.min_coverage if own is None else own

    def _against_baseline(self, criterion: Criterion, wanted: Metric, run: StrictRun, measured: Measured) -> Finding:
        opened = self._open(criterion.baseline or "", baseline=True)
        if opened.run is None or opened.problems:
            return _problem(criterion, criterion.baseline or "", opened.problems)
        other = _other_setup(run, opened.run)
        if other is not None:
            return _problem(criterion, criterion.baseline or "", (other,))
        before = measure(wanted, opened.run.results(), planned=opened.run.header.planned)
        unclear = self._unclear(criterion, before, wanted)
        if unclear is not None:
            return replace(unclear, told=f"baseline {criterion.baseline}: {unclear.told}")
        if criterion.test == "margin":
            return _by_margin(criterion, wanted, measured, before)
        paired = compare(wanted, run.results(), opened.run.results(), planned=run.header.planned)
        if paired.coverage < self._coverage(criterion):
            told = f"only {paired.pairs} of {paired.planned} rows were measured in both runs ({paired.coverage:.1%})"
            return Finding(
                name=criterion.title, status="inconclusive", reason="low_coverage", told=told, coverage=paired.coverage
            )
        return _by_pairs(criterion, measured, before, paired)

    def _figure(self, criterion: Criterion, name: str) -> Finding:
        config = self._config.figures[name]
        hours = config.max_age_hours or self._config.max_age_hours
        try:
            found = figure(self._folder / config.file, criterion.metric, config.written_at, self._now, hours)
        except AfterturnError as error:
            return _problem(criterion, name, (Problem(code="unreadable", told=str(error), unreadable=True),))
        if isinstance(found, Problem):
            return _problem(criterion, name, (found,))
        return _against_value(criterion, Measured(value=found, count=1, planned=1))


def _other_setup(run: StrictRun, baseline: StrictRun) -> Problem | None:
    """Says what makes two runs incomparable: who graded, under which rubrics, what passes."""
    new, old = run.header, baseline.header
    for what, one, other in (
        ("judge", new.judge, old.judge),
        ("rubrics", _rubrics(run), _rubrics(baseline)),
        ("assertions", new.assertions, old.assertions),
        ("threshold", new.threshold, old.threshold),
    ):
        if one != other:
            return Problem(code="other_setup", told=f"its {what} differ from the run's; run the baseline again")
    return None


def _rubrics(run: StrictRun) -> Mapping[str, str]:
    return {ref.name: ref.digest for ref in run.header.rubrics}


def _problem(criterion: Criterion, name: str, found: tuple[Problem, ...]) -> Finding:
    return Finding(
        name=criterion.title,
        status="inconclusive",
        reason=found[0].code,
        told="; ".join(f"{name}: {problem.told}" for problem in found),
        demanded=_demanded(criterion),
        unreadable=any(problem.unreadable for problem in found),
    )


def _demanded(criterion: Criterion) -> str:
    if criterion.at_least is not None:
        return f"at least {criterion.at_least:g}"
    if criterion.at_most is not None:
        return f"at most {criterion.at_most:g}"
    return f"no worse than {criterion.baseline} by more than {criterion.no_worse_by:g} ({criterion.test})"


def _against_value(criterion: Criterion, measured: Measured) -> Finding:
    value, low, high = measured.value, measured.low, measured.high
    assert value is not None
    upper, lower = (high, low) if criterion.bound == "interval" else (value, value)
    if upper is None or lower is None:
        raise ValueError("a rate without an interval")
    if criterion.at_least is not None:
        met, hit = lower >= criterion.at_least, value >= criterion.at_least
    else:
        assert criterion.at_most is not None
        met, hit = upper <= criterion.at_most, value <= criterion.at_most
    # The value keeps to it and its interval does not: too few rows to tell, not a miss.
    status = "met" if met else "inconclusive" if hit else "missed"
    told = f"{value:.4g}" + (f" [{low:.3f}, {high:.3f}]" if low is not None and high is not None else "")
    return _finding(criterion, measured, status, "too_few_rows" if hit else "missed", told)


def _by_margin(criterion: Criterion, wanted: Metric, measured: Measured, before: Measured) -> Finding:
    assert measured.value is not None
    assert before.value is not None
    assert criterion.no_worse_by is not None
    better = (measured.value - before.value) * (1 if wanted.higher else -1)
    met = better >= -criterion.no_worse_by
    told = f"{measured.value:.4g} against {before.value:.4g}"
    found = _finding(criterion, measured, "met" if met else "missed", "worse", told)
    return replace(found, baseline=before.value)


def _by_pairs(criterion: Criterion, measured: Measured, before: Measured, paired: Paired) -> Finding:
    assert criterion.no_worse_by is not None
    difference, low, most = paired.difference, paired.low, criterion.no_worse_by
    assert difference is not None
    if difference < -most:
        status, reason = "missed", "worse"
    elif low is not None and low >= -most:
        status, reason = "met", "met"
    else:
        status, reason = "inconclusive", "too_few_rows"
    bound = "no bound, too few rows" if low is None else f"lower bound {low:+.4g}"
    told = f"{measured.value:.4g} against {before.value:.4g}; "
    told += f"better by {difference:+.4g} over {paired.pairs} rows, {bound}"
    found = _finding(criterion, measured, status, reason, told)
    return replace(found, baseline=before.value, coverage=paired.coverage)


def _finding(criterion: Criterion, measured: Measured, status: str, reason: str, told: str) -> Finding:
    assert status in ("met", "missed", "inconclusive")
    return Finding(
        name=criterion.title,
        status=status,
        reason=None if status == "met" else reason,
        told=told,
        value=measured.value,
        demanded=_demanded(criterion),
        coverage=measured.coverage,
        low=measured.low,
        high=measured.high,
    )
