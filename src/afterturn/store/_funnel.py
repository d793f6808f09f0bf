"""Counts what became of stored turns: from their rows, so that each question is counted once and none is missed."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import Connection, func, select

from afterturn.store._queries import asked, said
from afterturn.store._records import Filter, Funnel
from afterturn.store._schema import judgements, turns

_JUDGED = ("finding", "no_finding")


def funnel(connection: Connection, narrow: Filter) -> Funnel:
    """Counts turns that a filter lets through, and the questions about them by what became of each."""
    stored = connection.execute(select(func.count()).select_from(turns).where(*said(narrow))).scalar_one()
    groups: Any = connection.execute(_groups(narrow)).all()
    counts: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    skips: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    for state, status, label, reason, number in groups:
        counts["planned"] += number
        counts["dead"] += number if state == "dead" else 0
        stage = _stage(status, reason)
        counts[stage] += number
        counts["judged"] += number if status in _JUDGED else 0
        if stage == "finding":
            findings[label or ""] += number
        elif stage == "skipped":
            skips[reason or ""] += number
        elif stage == "failed":
            failures[reason or ""] += number
    stages = ("planned", "open", "judged", "finding", "no_finding", "unsure", "skipped", "failed", "dead")
    return Funnel(
        stored=stored,
        **{stage: counts[stage] for stage in stages},
        findings=_sorted(findings),
        skips=_sorted(skips),
        failures=_sorted(failures),
    )


def _stage(status: str | None, reason: str | None) -> str:
    """Names the last stage that a question came to."""
    if status is None:
        return "open"
    if status in _JUDGED:
        return "unsure" if reason == "unsure" else status
    return "failed" if status == "error" else status


def _groups(narrow: Filter) -> Any:
    columns = (judgements.c.state, judgements.c.status, judgements.c.label, judgements.c.reason)
    return (
        select(*columns, func.count())
        .select_from(judgements)
        .join(turns, turns.c.n == judgements.c.turn_n)
        .where(*said(narrow), *asked(narrow))
        .group_by(*columns)
    )


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
