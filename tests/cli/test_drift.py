"""`afterturn drift` compares the scores of two periods by their counts, and rings where they differ."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.cli._evidence import with_digest
from afterturn.cli.drift import drift_command
from afterturn.store import open_store

Run = Callable[..., Result]

_EPOCH = date(1970, 1, 1)


def _count(path: Path, tenant: str, day: date, counts: dict[int, int], *, agent: str = "support") -> None:
    """Adds counts of findings, as verdicts would: drift reads counts alone."""
    with sqlite3.connect(path) as raw:
        values = (tenant, agent, "safety", "1", "finding", "", "", "")
        raw.execute(
            "INSERT OR IGNORE INTO histogram_series (tenant, agent, classifier, version, status, label, reason, "
            "replayed_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        series = "SELECT n FROM histogram_series WHERE (tenant, agent) = (?, ?)"
        (number,) = raw.execute(series, (tenant, agent)).fetchone()
        rows = [(number, (day - _EPOCH).days, score, count) for score, count in counts.items()]
        raw.executemany("INSERT INTO histogram_bins VALUES (?, ?, ?, ?)", rows)
    raw.close()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Acme drifts in December, the other tenant does not, a third has few verdicts."""
    path = tmp_path / "a.db"
    open_store(path).close()
    for tenant, then, now in (
        ("acme", {80: 500, 20: 500}, {80: 900, 20: 100}),
        ("other", {80: 500}, {80: 600}),
        ("few", {80: 50}, {80: 600}),
    ):
        _count(path, tenant, date(2026, 11, 10), then)
        _count(path, tenant, date(2026, 12, 10), now)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERTURN_DB", str(path))
    return lambda *arguments: CliRunner().invoke(app, ["drift", *map(str, arguments)])


_PERIODS = ("--then-until", "2026-12-01", "--since", "2026-12-01", "--until", "2027-01-01")


def _states(result: Result) -> dict[str, tuple[str, str | None]]:
    lines: list[dict[str, Any]] = [json.loads(line) for line in result.stdout.splitlines()]
    return {line["tenant"]: (line["state"], line["why"]) for line in lines}


def test_an_alarm_rings_for_the_tenant_that_drifts(run: Run) -> None:
    result = run(*_PERIODS)
    assert (result.exit_code, _states(result)) == (
        1,
        {"acme": ("alarm", "psi"), "few": ("not_enough", "few_verdicts_then"), "other": ("steady", None)},
    )
    assert "2 compared, 1 ring, 1 without enough verdicts" in result.stderr


def test_where_all_is_steady_it_ends_well_and_where_nothing_can_be_compared_it_says_so(run: Run) -> None:
    assert run(*_PERIODS, "--tenant", "other").exit_code == 0
    few = run(*_PERIODS, "--tenant", "few")
    assert (few.exit_code, _states(few)) == (3, {"few": ("not_enough", "few_verdicts_then")})
    assert run(*_PERIODS, "--tenant", "few", "--least", 50).exit_code == 0
    nobody = run(*_PERIODS, "--tenant", "nobody")
    assert (nobody.exit_code, "no verdict in either period" in nobody.stderr) == (3, True)
    assert run("--then-since", "2026-12-02", "--then-until", "2026-12-01").exit_code == 2


def test_small_agents_of_a_tenant_are_compared_together_where_the_operator_says_so(run: Run, tmp_path: Path) -> None:
    for agent in ("sales", "billing"):
        _count(tmp_path / "a.db", "small", date(2026, 11, 10), {80: 150}, agent=agent)
        _count(tmp_path / "a.db", "small", date(2026, 12, 10), {20: 150}, agent=agent)
    alone = run(*_PERIODS, "--tenant", "small")
    assert (alone.exit_code, [json.loads(line)["agent"] for line in alone.stdout.splitlines()]) == (
        3,
        ["billing", "sales"],
    )
    assert "--by tenant takes those of a tenant together" in alone.stderr
    together = run(*_PERIODS, "--tenant", "small", "--by", "tenant")
    (line,) = map(json.loads, together.stdout.splitlines())
    assert (together.exit_code, line["agent"], line["state"], line["then"], line["now"]) == (1, None, "alarm", 300, 300)


def test_marks_are_the_operators(run: Run) -> None:
    quiet = run(*_PERIODS, "--psi", 2, "--ks", 0.9, "--tenant", "acme")
    assert (quiet.exit_code, _states(quiet)) == (0, {"acme": ("watch", "psi")})


def _calibration(path: Path, **changed: Any) -> Path:
    names = {"classifier": "safety", "version": "1", "tenant": "acme", "agent": None}
    path.write_text(json.dumps(with_digest(names | {"from": "2026-11-10", "to": "2026-11-10"} | changed)))
    return path


def test_a_calibration_says_what_is_compared_with_what(run: Run, tmp_path: Path) -> None:
    path = _calibration(tmp_path / "c.json")
    result = run("--calibration", path, "--since", "2026-12-01", "--until", "2027-01-01")
    assert (result.exit_code, _states(result)) == (1, {"acme": ("alarm", "psi")})
    steady = run("--calibration", _calibration(path, tenant="other"), "--since", "2026-12-01")
    assert steady.exit_code in (0, 3)  # up to today: December may be to come


def test_days_that_are_in_both_periods_are_told(run: Run, tmp_path: Path) -> None:
    path = _calibration(tmp_path / "c.json", to="2026-12-10")
    result = run("--calibration", path, "--since", "2026-12-05", "--until", "2027-01-01")
    assert [json.loads(line)["overlap"] for line in result.stdout.splitlines()] == [
        {"from": "2026-12-05", "to": "2026-12-10"}
    ]
    assert "the periods overlap: 2026-12-05 to 2026-12-10 is in both" in result.stderr
    apart = run(*_PERIODS)
    assert {str(json.loads(line)["overlap"]) for line in apart.stdout.splitlines()} == {"None"}
    assert "overlap" not in apart.stderr


@pytest.mark.parametrize(("since", "until"), [("2026-12-01", "2026-12-11"), ("2026-11-10", "2026-11-11")])
def test_a_period_is_not_compared_with_itself(run: Run, tmp_path: Path, since: str, until: str) -> None:
    path = _calibration(tmp_path / "c.json", to="2026-12-10")
    result = run("--calibration", path, "--since", since, "--until", until)
    assert "wholly in the calibration period, which ends with 2026-12-10" in str(result.exception)
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give --calibration FILE, or the period"),
        (("--calibration", "c.json", "--then-since", "7d"), "has its period"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments: tuple[str, ...], told: str) -> None:
    assert told in str(run(*arguments).exception)


def test_a_person_at_a_terminal_reads_what_shifted(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del run  # it made the database

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", screen)
    drift_command(then_until="2026-12-01", since="2026-12-01", until="2027-01-01", tenant="other")
    for part in ("other / support", "steady", "500 → 600"):
        assert part in screen.getvalue()
