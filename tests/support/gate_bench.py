"""Holds a folder with a dataset, runs of it and a gate, for the tests of gates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from afterturn.calls import Judge
from afterturn.evals import Parts, Prices, RunFile, RunSummary, load_rubric, new_header, open_dataset, start_run
from afterturn.evals.targets import Target
from afterturn.evals.targets.python import PythonTarget
from afterturn.gate import Report, decide

TARGET = "app:agent"

Agent = Callable[[Any], object]


class Bench:
    """Is a folder with a dataset, runs of it and a gate."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = folder / "rows.jsonl"
        self.run = folder / "run.jsonl"
        self.gate = folder / "gate.yaml"

    def write_rows(self, rows: Iterable[dict[str, Any]]) -> None:
        """Writes the dataset."""
        self.rows.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    async def go(
        self,
        agent: Agent | Target,
        *,
        judge: Judge | None = None,
        path: Path | None = None,
        prices: Prices | None = None,
        **settings: object,
    ) -> RunSummary:
        """Runs an agent over the dataset, correctness graded where there is a judge."""
        target = PythonTarget(agent, name=TARGET) if callable(agent) else agent
        parts = Parts(
            target=target,
            rubrics=(load_rubric("correctness"),) if judge is not None else (),
            judge=judge,
            prices=prices or Prices({}),
        )
        dataset = open_dataset(self.rows)
        header = new_header(parts, dataset, **{"deadline_s": 600.0, **settings})
        try:
            return await start_run(header, parts, dataset, path or self.run)
        finally:
            await parts.close()

    def write_gate(self, *criteria: dict[str, Any], runs: dict[str, Any] | None = None, **more: Any) -> Path:
        """Writes a gate (JSON is YAML); by default one run of the dataset whose pass rate must be 0.7."""
        given = {"answers": {"file": "run.jsonl", "target": TARGET, "dataset": "rows.jsonl"}} | (runs or {})
        wanted = list(criteria) or [{"run": "answers", "metric": "pass_rate", "at_least": 0.7}]
        self.gate.write_text(json.dumps({"runs": given, "criteria": wanted, **more}), encoding="utf-8")
        return self.gate

    def lines(self) -> list[dict[str, Any]]:
        """The lines of the run, for damaging them."""
        return [json.loads(line) for line in self.run.read_text(encoding="utf-8").splitlines()]

    def write_lines(self, lines: Iterable[object]) -> None:
        """Writes the lines of the run back; a string is written as it is."""
        texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        self.run.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")

    def states(self) -> list[tuple[str, str | None]]:
        """States and reasons of the run's rows, sorted by row."""
        results = sorted(RunFile(self.run).results(), key=lambda result: result.row.id)
        return [(result.state, result.reason) for result in results]


def gate_of(bench: Bench, *criteria: dict[str, Any]) -> tuple[int, str | None]:
    """Writes a gate, has it decide, and gives exit code and reason."""
    return found(decide(bench.write_gate(*criteria)))


def found(report: Report) -> tuple[int, str | None]:
    """Gives exit code and first reason of a report."""
    assert report.passes == (report.exit_code == 0)
    return report.exit_code, report.findings[0].reason if report.findings else report.fault
