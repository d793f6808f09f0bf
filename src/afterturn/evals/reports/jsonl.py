"""Writes a run as flat JSON lines, one a result, for a table or a data frame."""

from __future__ import annotations

from typing import TextIO

from afterturn.evals._outcome import Outcome
from afterturn.evals._records import RowResult
from afterturn.evals._run_records import RunSummary
from afterturn.evals._storage import RunFile
from afterturn.evals.reports._rows import judges_ms
from afterturn.formats import clean_text, dump_json
from afterturn.turns import JsonValue


def write(run: RunFile, summary: RunSummary, found: Outcome, out: TextIO) -> None:
    """Writes a line a result, in the order in which they were done."""
    for result in run.results():
        out.write(clean_text(dump_json(_line(result))) + "\n")


def _line(result: RowResult) -> dict[str, JsonValue]:
    reply = result.reply
    line: dict[str, JsonValue] = {
        "id": result.row.id,
        "repeat": result.repeat,
        "state": result.state,
        "reason": result.reason,
        "message": result.message,
        "score": result.score,
    }
    line |= {f"rubric.{one.rubric}": one.score for one in result.scores}
    line |= {f"assertion.{one.name}": one.passed for one in result.assertions}
    line |= {
        "input": result.row.text,
        "reply": None if reply is None else reply.text,
        "tool_calls": None if reply is None else [call.name for call in reply.tool_calls],
        "latency_ms": None if reply is None or reply.latency_ms is None else round(reply.latency_ms, 3),
        "judge_latency_ms": round(judges_ms(result), 3),
        "agent_cost_usd": result.agent_cost_usd,
        "judge_cost_usd": result.judge_cost_usd,
    }
    return line
