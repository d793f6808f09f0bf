"""Writes figures as a reader wants them: a mean never without its coverage."""

from __future__ import annotations

from collections.abc import Iterator

from afterturn.evals._records import RowResult
from afterturn.evals._run_records import Mean, RunSummary


def mean_lines(summary: RunSummary) -> Iterator[tuple[str, str, Mean]]:
    """Gives every mean of a run: its name, the value as text, and what it is of."""
    yield "score", _text(summary.score, "{:.1f}"), summary.score
    yield "pass rate", _text(summary.pass_rate, "{:.1%}"), summary.pass_rate
    for name, mean in summary.rubrics.items():
        yield f"rubric {name}", _text(mean, "{:.1f}"), mean
    for name, mean in summary.assertions.items():
        yield f"assertion {name}", _text(mean, "{:.1%}"), mean
    yield "latency", _text(summary.latency_ms, "{:,.0f} ms"), summary.latency_ms


def broken(result: RowResult) -> str:
    """Names the assertions that do not hold, each with its reason."""
    return "; ".join(f"{one.name} ({one.reason or 'does not hold'})" for one in result.assertions if not one.passed)


def agent_ms(result: RowResult) -> float | None:
    """Gives the milliseconds that the agent took; None where nobody knows, as of a recorded reply."""
    return None if result.reply is None else result.reply.latency_ms


def judges_ms(result: RowResult) -> float:
    """Gives the milliseconds that the judges took together, for the scores that they gave."""
    return sum(one.latency_ms for one in result.scores)


def row_ms(result: RowResult) -> float:
    """Gives the milliseconds of agent and judges; the wall time of a row whose agent or judge broke on the way."""
    if result.reply is None or result.state == "judge_error":
        return result.latency_ms
    return (agent_ms(result) or 0.0) + judges_ms(result)


def cost_text(summary: RunSummary) -> str:
    """Says what a run cost, and what of it nobody knows."""
    known = summary.agent_cost.known_usd + summary.judge_cost.known_usd
    unknown = summary.agent_cost.unknown + summary.judge_cost.unknown
    return f"${known:.4f}" + (f" known; {unknown} calls have no known price" if unknown else "")


def _text(mean: Mean, form: str) -> str:
    return "–" if mean.mean is None else form.format(mean.mean)
