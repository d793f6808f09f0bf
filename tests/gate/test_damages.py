"""What is damaged, old, of something else or broken inside blocks the gate; what is not understood decides nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from gate_bench import Bench, found, gate_of

from afterturn.errors import AfterturnError, ConfigError
from afterturn.gate import decide, promote
from afterturn.gate._measure import Measured

NOW = datetime.now(UTC)


class OwnBaseError(BaseException):
    """As some client libraries raise it."""


# ------------------------------------------------------------------------------------------ the files of the gate


@dataclass(frozen=True)
class Damage:
    """Is what is done to a sound run, and what the gate then says."""

    name: str
    do: Callable[[Any], None]
    code: int
    reason: str


def _line(bench: Bench, place: int, **changes: object) -> None:
    lines = bench.lines()
    lines[place] |= changes
    bench.write_lines(lines)


def _text(bench: Bench, text: str) -> None:
    bench.run.write_text(text, encoding="utf-8")


def _instead(bench: Bench, place: int, line: str) -> None:
    lines: list[object] = list(bench.lines())
    lines[place] = line
    bench.write_lines(lines)


def _old(hours: float) -> str:
    return (NOW - timedelta(hours=hours)).isoformat()


def _folder(bench: Bench) -> None:
    bench.run.unlink()
    bench.run.mkdir()


def _resumed_with_more(bench: Bench) -> None:
    rows = [*map(json.loads, bench.rows.read_text().splitlines()), {"id": "r9", "input": "New?"}]
    bench.write_rows(rows)


def _passed_with_a_failed_assertion(bench: Bench) -> None:
    _line(bench, 1, assertions=[{"name": "contains:fine", "passed": False, "reason": "fails_contains"}])


DAMAGES = [
    Damage("no_file", lambda b: b.run.unlink(), 2, "unreadable"),
    Damage("a_folder", _folder, 2, "unreadable"),
    Damage("an_empty_file", lambda b: _text(b, ""), 2, "unreadable"),
    Damage("no_header", lambda b: b.write_lines(b.lines()[1:]), 2, "unreadable"),
    Damage("half_a_header", lambda b: _text(b, '{"type": "run", "run"'), 2, "unreadable"),
    Damage("a_header_of_nothing", lambda b: _instead(b, 0, '{"type": "run"}'), 2, "unreadable"),
    Damage("binary", lambda b: b.run.write_bytes(b"\x00\xff" * 50), 2, "unreadable"),
    Damage("a_turns_file", lambda b: _text(b, '{"messages": []}\n'), 2, "unreadable"),
    Damage("no_summary", lambda b: b.write_lines(b.lines()[:-1]), 3, "unfinished"),
    Damage("a_result_missing", lambda b: b.write_lines([*b.lines()[:2], *b.lines()[3:]]), 3, "unfinished"),
    Damage("a_half_written_line", lambda b: _text(b, b.run.read_text()[:-400]), 3, "damaged"),
    Damage("a_damaged_line", lambda b: _instead(b, 2, '{"type": "result", "content"'), 3, "damaged"),
    Damage("a_line_of_no_kind", lambda b: _instead(b, 2, '{"type": "other"}'), 3, "damaged"),
    Damage("nan_as_a_score", lambda b: _line(b, 1, score=float("nan")), 3, "damaged"),
    Damage("a_score_of_101", lambda b: _line(b, 1, score=101), 3, "damaged"),
    Damage("a_score_of_nobody", lambda b: _line(b, 1, score=100), 3, "damaged"),
    Damage("a_negative_cost", lambda b: _line(b, 1, agent_cost_usd=-1), 3, "damaged"),
    Damage("an_unknown_state", lambda b: _line(b, 1, state="great"), 3, "damaged"),
    Damage("a_pass_with_a_reason", lambda b: _line(b, 1, reason="score"), 3, "damaged"),
    Damage("a_pass_with_a_failed_assertion", _passed_with_a_failed_assertion, 3, "damaged"),
    Damage("a_result_twice", lambda b: b.write_lines([*b.lines()[:2], *b.lines()[1:]]), 3, "duplicates"),
    Damage("another_target", lambda b: _line(b, 0, target="app:other"), 3, "other_target"),
    Damage("more_rows_in_the_dataset", _resumed_with_more, 3, "other_dataset"),
    Damage("other_rows", lambda b: b.write_rows([{"id": "x", "input": "Other?"}]), 3, "other_dataset"),
    Damage("no_dataset", lambda b: b.rows.unlink(), 2, "unreadable"),
    Damage("fewer_planned_than_done", lambda b: _line(b, 0, rows=3), 3, "too_many"),
    Damage("stale", lambda b: _line(b, 0, started_at=_old(169)), 3, "stale"),
    Damage("from_the_future", lambda b: _line(b, 0, started_at=_old(-2)), 3, "future"),
    Damage("no_time_zone", lambda b: _line(b, 0, started_at="2026-11-30T10:00:00"), 3, "no_time_zone"),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_a_damaged_run_blocks_the_gate(good: Bench, damage: Damage) -> None:
    assert decide(good.gate).exit_code == 0
    damage.do(good)
    assert found(decide(good.gate)) == (damage.code, damage.reason)


# ------------------------------------------------------------------------------------------ the gate itself


@pytest.mark.parametrize("error", [RuntimeError, MemoryError, SystemExit, OwnBaseError, AssertionError, AfterturnError])
def test_whatever_is_raised_inside_blocks(
    good: Bench, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(promote, "measure", broken)
    report = decide(good.gate)
    assert found(report) == (3, "crashed")
    assert error.__name__ in report.findings[0].told


def test_a_crash_outside_of_all_checks_blocks(good: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(promote, "_Gate", broken)
    assert found(decide(good.gate)) == (3, "crashed")


def test_a_gate_that_takes_too_long_blocks(good: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def hung(*_: object, **__: object) -> None:
        asyncio.run(asyncio.Event().wait())

    monkeypatch.setattr(promote, "measure", hung)
    assert found(decide(good.gate, timeout_s=0.05)) == (3, "timeout")


def test_a_figure_that_is_no_number_blocks(good: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(*_: object, **__: object) -> Measured:
        return Measured(value=float("nan"), count=4, planned=4)

    monkeypatch.setattr(promote, "measure", measured)
    assert found(decide(good.gate)) == (3, "not_a_number")


@pytest.mark.parametrize("metric", ["score", "rubric:correctness", "assertion:other", "attack_success", "cost_usd"])
def test_a_metric_that_nobody_measured_blocks(good: Bench, metric: str) -> None:
    assert gate_of(good, {"run": "answers", "metric": metric, "at_most": 1000}) == (3, "missing_metric")


def test_a_value_that_is_not_reached_is_refused(good: Bench) -> None:
    assert gate_of(good, {"run": "answers", "metric": "error_rate", "at_least": 0.5}) == (1, "missed")


def test_a_value_that_is_reached_by_chance_alone_is_inconclusive(good: Bench) -> None:
    wanted = {"run": "answers", "metric": "pass_rate", "at_least": 0.9, "bound": "interval"}
    assert gate_of(good, wanted) == (3, "too_few_rows")


def test_one_refusal_outweighs_what_is_unclear(good: Bench) -> None:
    missed = {"run": "answers", "metric": "error_rate", "at_least": 0.5}
    unclear = {"run": "answers", "metric": "score", "at_least": 0}
    assert decide(good.write_gate(unclear, missed)).exit_code == 1


CONFIGS = [
    ("no_criteria", "criteria: []", "criteria"),
    ("nothing", "", "holds no gate"),
    ("no_yaml", "criteria: [", "no valid YAML"),
    ("an_unknown_key", "criteria: [{run: a, metric: score, at_least: 1}]\nstrict: true", "there is no such key"),
    ("an_unknown_key_inside", "criteria: [{run: a, metric: score, at_leats: 1}]", "at_leats: there is no such key"),
    ("a_key_twice", "criteria: [{run: a, metric: score, at_least: 90, at_least: 1}]", "at_least: stands twice"),
    ("nan", "criteria: [{run: a, metric: score, at_least: .nan}]", "at_least: "),
    ("a_word_for_a_number", "criteria: [{run: a, metric: score, at_least: high}]", "at_least: "),
    ("true_for_a_number", "criteria: [{run: a, metric: score, at_least: true}]", "at_least: "),
    ("an_unknown_metric", "criteria: [{run: a, metric: scor, at_least: 1}]", "no metric is called 'scor'"),
    ("no_demand", "criteria: [{run: a, metric: score}]", "exactly one of"),
    ("two_demands", "criteria: [{run: a, metric: score, at_least: 1, at_most: 2}]", "exactly one of"),
    ("an_unknown_run", "criteria: [{run: b, metric: score, at_least: 1}]", "nothing is called 'b'"),
    ("its_own_baseline", "criteria: [{run: a, metric: score, baseline: a, no_worse_by: 1}]", "its own baseline"),
    ("a_margin_of_nothing", "criteria: [{run: a, metric: score, baseline: a}]", "go together"),
    ("an_unpaired_metric", "criteria: [{run: a, metric: cost_usd, baseline: a, no_worse_by: 1}]", "row by row"),
    ("an_interval_of_a_mean", "criteria: [{run: a, metric: score, at_least: 1, bound: interval}]", "is for rates"),
    ("the_same_twice", "criteria: [{run: a, metric: score, at_least: 1}, {run: a, metric: score, at_most: 2}]", "same"),
]


@pytest.mark.parametrize(("name", "text", "told"), CONFIGS, ids=[name for name, _, _ in CONFIGS])
def test_a_gate_that_is_not_understood_decides_nothing(tmp_path: Path, name: str, text: str, told: str) -> None:
    path = tmp_path / "gate.yaml"
    runs = "runs: {a: {file: r.jsonl, target: t, dataset: d.jsonl}}\n" if text.startswith("criteria: [{") else ""
    path.write_text(runs + text)
    with pytest.raises(ConfigError) as error:
        decide(path)
    assert told in str(error.value), name
    assert str(path) in str(error.value)
