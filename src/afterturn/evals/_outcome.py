"""Says what a run comes to: passed, failed, or inconclusive. Nothing that was not measured passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from afterturn.evals._run_records import RunSummary

Verdict = Literal["passed", "failed", "inconclusive"]
EXIT_CODES: dict[Verdict, int] = {"passed": 0, "failed": 1, "inconclusive": 3}

MIN_COVERAGE = 0.9
"""The share of the planned results that must be judged, unless the run says otherwise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Is what a run comes to.

    Attributes:
        verdict: passed, failed or inconclusive.
        reason: Why, as a code; None where it passed.
        told: The same in words, with the figures.
    """

    verdict: Verdict
    reason: str | None
    told: str

    @property
    def exit_code(self) -> int:
        """The exit code of the contract."""
        return EXIT_CODES[self.verdict]


_HINTS = {
    "unknown_price": "; give the price of agent and judge by --prices FILE",
    "judge_missing": "; the judge cannot be asked: see the last row's message, mend it, resume with --retry-errors",
}
_MOST_REASONS = 3


def outcome(
    summary: RunSummary, *, threshold: int, min_coverage: float = MIN_COVERAGE, min_pass_rate: float | None = None
) -> Outcome:
    """Decides what a run comes to.

    It fails where the mean score is below the threshold, or where an assertion does not hold somewhere; with
    `min_pass_rate` that share of the judged rows must pass instead.

    Args:
        summary: The run's figures.
        threshold: The score that the mean must reach.
        min_coverage: The least share of the planned results that must be judged, 0 to 1.
        min_pass_rate: The least pass rate, 0 to 1, or None.
    """
    unclear = _unclear(summary, min_coverage)
    if unclear is not None:
        return Outcome(verdict="inconclusive", reason=unclear[0], told=unclear[1])
    failed = _failed(summary, threshold, min_pass_rate)
    if failed is not None:
        return Outcome(verdict="failed", reason=failed[0], told=failed[1])
    return Outcome(verdict="passed", reason=None, told="the run passed")


def _unclear(summary: RunSummary, min_coverage: float) -> tuple[str, str] | None:
    if not summary.planned:
        return "empty", "the dataset has no row, so nothing was measured"
    if summary.stop is not None:
        done = f"{summary.done} of {summary.planned} done"
        hint = _HINTS.get(summary.stop, "")
        return summary.stop, f"the run stopped before its end ({summary.stop}): {done}{hint}"
    if summary.pass_rate.mean is None:
        return "nothing_judged", f"no row was judged: {_why(summary)}"
    if summary.pass_rate.coverage < min_coverage:
        told = f"only {summary.pass_rate.coverage:.1%} of the results were judged, and {min_coverage:.0%} must be"
        return "low_coverage", f"{told}: {_why(summary)}"
    return None


def _why(summary: RunSummary) -> str:
    """Names what kept rows from being judged, the most frequent first."""
    found = [f"{reason} {count}" for reason, count in summary.reasons.items() if not reason.startswith("fail:")]
    return ", ".join(found[:_MOST_REASONS]) or f"{summary.planned - summary.done} results are missing"


def _failed(summary: RunSummary, threshold: int, min_pass_rate: float | None) -> tuple[str, str] | None:
    mean, rate = summary.score.mean, summary.pass_rate.mean or 0.0
    if min_pass_rate is not None:
        if rate < min_pass_rate:
            return "pass_rate", f"{rate:.1%} of the judged rows passed, and {min_pass_rate:.0%} must"
        return None
    if mean is not None and mean < threshold:
        return "mean_score", f"the mean score {mean:.1f} is below {threshold}"
    broken = [name for name, held in summary.assertions.items() if held.mean is not None and held.mean < 1]
    return ("assertion", f"assertions do not hold everywhere: {', '.join(broken)}") if broken else None
