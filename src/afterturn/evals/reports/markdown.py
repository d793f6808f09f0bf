"""Writes a run as Markdown for a pull request: ids, codes and figures, and no text of a conversation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TextIO

from afterturn.evals._outcome import Outcome
from afterturn.evals._run_records import RunSummary
from afterturn.evals._storage import RunFile
from afterturn.evals.reports._escape import words
from afterturn.evals.reports._rows import cost_text, mean_lines
from afterturn.formats import clean_text

MOST_ROWS = 50
_SIGNS = {"passed": "✅", "failed": "❌", "inconclusive": "⚠️"}


def write(run: RunFile, summary: RunSummary, found: Outcome, out: TextIO) -> None:
    """Writes the figures with their coverage, and the rows that did not pass, folded away."""
    for line in _lines(run, summary, found):
        out.write(clean_text(line) + "\n")


def _lines(run: RunFile, summary: RunSummary, found: Outcome) -> Iterator[str]:
    header = run.header
    yield f"## {_SIGNS[found.verdict]} Eval of {words(header.target)}: {found.verdict}"
    yield ""
    if found.verdict != "passed":
        yield words(found.told)
        yield ""
    yield from ("| | mean | of | coverage |", "|---|---:|---:|---:|")
    for name, value, mean in mean_lines(summary):
        yield f"| {words(name)} | {value} | {mean.count} | {mean.coverage:.1%} |"
    yield ""
    states = ", ".join(f"{words(state)} {count}" for state, count in summary.states.items() if count) or "none"
    yield f"{summary.done} of {summary.planned} results: {states}. Cost: {cost_text(summary)}."
    yield ""
    yield from _rows(run)
    judge = f", judge {words(header.judge)}" if header.judge else ""
    yield f"Run {words(header.run)} over {words(header.dataset)}{judge}, {header.started_at:%Y-%m-%d %H:%M} UTC."


def _rows(run: RunFile) -> Iterator[str]:
    others = (result for result in run.results() if result.state != "pass")
    listed = list(islice(others, MOST_ROWS))
    if not listed:
        return
    more = sum(1 for _ in others)
    told = f"{len(listed) + more} results did not pass" + (f"; the first {MOST_ROWS}" if more else "")
    yield f"<details><summary>{told}</summary>"
    yield ""
    yield from ("| row | state | reason | score |", "|---|---|---|---:|")
    for result in listed:
        name = words(result.row.id) + (f" #{result.repeat}" if run.header.repeat > 1 else "")
        score = "–" if result.score is None else str(result.score)
        yield f"| {name} | {words(result.state)} | {words(result.reason or '')} | {score} |"
    yield from ("", "</details>", "")
