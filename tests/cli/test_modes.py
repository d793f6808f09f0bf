"""`afterturn modes` decides what verdicts lead to, on evidence or explicitly without, and keeps the trail."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from afterturn.calibration import ModeRule
from afterturn.cli._app import app
from afterturn.cli._evidence import with_digest
from afterturn.cli.modes import history_command
from afterturn.errors import UsageError
from afterturn.store import open_store

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERTURN_DB", str(tmp_path / "a.db"))
    open_store(tmp_path / "a.db", clock=lambda: datetime(2026, 11, 30, tzinfo=UTC)).close()
    return lambda *arguments: CliRunner().invoke(app, ["modes", *map(str, arguments)])


def _calibration(path: Path, **changed: Any) -> Path:
    """Writes what `afterturn calibrate --json` writes, as far as evidence needs it."""
    rate = [0.5, 0.4, 0.6]
    report: dict[str, Any] = {
        "classifier": "safety",
        "version": "1",
        "tenant": None,
        "agent": None,
        "from": "2026-11-01",
        "to": "2026-11-30",
        "answered": 3000,
        "labels": {"source": "review", "used": 300},
        "target": {"kind": "false_positive_rate", "value": 0.01, "confidence": 0.95},
        "threshold": 83,
        "guarantee": "With probability at least 0.95 …",
        "at_threshold": {"threshold": 83, "recall": rate, "false_alarms": rate, "precision": rate},
        "alerts": {"days": 30, "a_day": 4.5, "most": 9},
    }
    path.write_text(json.dumps(with_digest(report | changed)))
    return path


def _lines(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_from_shadow_to_enforce_with_a_trail(run: Run, tmp_path: Path) -> None:
    evidence = _calibration(tmp_path / "c.json")
    assert run("set", "safety", "shadow", "--by", "anna").exit_code == 0
    assert run("set", "safety", "advise", "--by", "anna", "--threshold", 83).exit_code == 0
    (done,) = _lines(run("set", "safety", "enforce", "--by", "ben", "--evidence", evidence))
    assert (done["mode"], done["threshold"], done["version"], done["by"]) == ("enforce", 83, "1", "ben")
    assert done["before"] == {"mode": "advise", "threshold": 83}
    digest = json.loads(evidence.read_text())["digest"]
    assert (done["evidence"]["digest"], done["without_evidence"]) == (digest, False)
    assert done["evidence"]["target"]["value"] == 0.01
    assert done["evidence"]["alerts_a_day"] == 4.5
    assert [line["mode"] for line in _lines(run("history"))] == ["shadow", "advise", "enforce"]
    assert _lines(run("list")) == [done]
    run("set", "safety", "inherit", "--by", "anna")
    assert _lines(run("list")) == []
    assert len(_lines(run("history", "--classifier", "safety"))) == 4
    assert _lines(run("history", "--tenant", "acme")) == []


def test_enforcing_without_evidence_needs_the_word_and_is_recorded(run: Run) -> None:
    refused = run("set", "safety", "enforce", "--by", "anna", "--threshold", 90)
    assert "--without-evidence" in str(refused.exception)
    assert _lines(run("history")) == []
    (done,) = _lines(run("set", "safety", "enforce", "--by", "anna", "--threshold", 90, "--without-evidence"))
    assert (done["evidence"], done["without_evidence"]) == (None, True)


@pytest.mark.parametrize(
    ("changed", "options", "told"),
    [
        ({"classifier": "scope_drift"}, (), "about scope_drift, not about safety"),
        ({"tenant": "acme"}, (), "about tenant acme alone"),
        ({"tenant": "acme"}, ("--tenant", "other"), "about tenant acme alone"),
        ({"guarantee": None}, (), "proves nothing"),
        ({"labels": {"looks_random": {"distance": 0.9, "p_value": 0.01}}}, (), "not drawn at random"),
        ({}, ("--threshold", 84), "for a threshold of 83"),
        ({}, ("--without-evidence",), "leave it out"),
    ],
)
def test_evidence_must_be_about_what_is_decided(
    run: Run, tmp_path: Path, changed: dict[str, Any], options: tuple[object, ...], told: str
) -> None:
    evidence = _calibration(tmp_path / "c.json", **changed)
    result = run("set", "safety", "enforce", "--by", "anna", "--evidence", evidence, *options)
    assert told in str(result.exception)
    assert _lines(run("history")) == []


def test_of_labels_that_were_picked_the_threshold_alone_is_enforced_and_only_explicitly(
    run: Run, tmp_path: Path
) -> None:
    evidence = _calibration(tmp_path / "c.json", labels={"looks_random": {"distance": 0.9, "p_value": 5.6e-49}})
    result = run("set", "safety", "enforce", "--by", "anna", "--evidence", evidence, "--without-evidence")
    (done,) = _lines(result)
    assert (done["threshold"], done["evidence"], done["without_evidence"]) == (83, None, True)
    assert "enforced without evidence" in result.stderr


def test_evidence_that_was_changed_is_refused(run: Run, tmp_path: Path) -> None:
    evidence = _calibration(tmp_path / "c.json")
    evidence.write_text(evidence.read_text().replace("83", "60"))
    told = str(run("set", "safety", "enforce", "--by", "anna", "--evidence", evidence).exception)
    assert "changed after" in told
    for text in ("[]", "no JSON", '{"digest": 7}'):
        evidence.write_text(text)
        told = str(run("set", "safety", "enforce", "--by", "anna", "--evidence", evidence).exception)
        assert "no calibration" in told
    told = str(run("set", "safety", "enforce", "--by", "anna", "--evidence", tmp_path / "none").exception)
    assert "cannot be read" in told


def test_evidence_about_all_tenants_is_taken_for_one_with_a_word(run: Run, tmp_path: Path) -> None:
    evidence = _calibration(tmp_path / "c.json")
    result = run("set", "safety", "enforce", "--by", "anna", "--tenant", "acme", "--evidence", evidence)
    assert (result.exit_code, _lines(result)[0]["tenant"]) == (0, "acme")
    assert "about all tenants together" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("safety", "block", "--by", "anna"), "block"),
        (("safety", "advise"), "--by"),
        (("safety", "advise", "--by", ""), "--by is no name"),
        (("safety", "advise", "--by", "anna", "--threshold", "0"), "greater than or equal to 1"),
        (("safety", "advise", "--by", "anna", "--agent", "support"), "give the tenant"),
        (("safety", "advise", "--by", "anna", "--without-evidence"), "leave it out"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments: tuple[str, ...], told: str) -> None:
    result = run("set", *arguments)
    assert result.exit_code != 0
    assert told in f"{result.output} {result.exception}"


def test_a_name_without_a_verdict_is_told(run: Run) -> None:
    result = run("set", "safety", "shadow", "--by", "anna")
    assert (result.exit_code, "there is no verdict of safety yet" in result.stderr) == (0, True)


def test_a_name_that_nobody_knows_is_refused_unless_a_decision_about_it_is_to_be_taken_back(
    run: Run, tmp_path: Path
) -> None:
    result = run("set", "saftey", "shadow", "--by", "anna")
    assert isinstance(result.exception, UsageError)
    assert "there is no verdict of saftey yet; check the name: built in are ai_frustration" in str(result.exception)
    assert _lines(run("history")) == []
    with open_store(tmp_path / "a.db") as store:
        store.modes.set(ModeRule(classifier="saftey", mode="shadow"), by="anna")
    assert run("set", "saftey", "inherit", "--by", "anna").exit_code == 0


def test_a_person_at_a_terminal_reads_who_decided_what(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("set", "safety", "advise", "--by", "anna", "--threshold", 70)
    run("set", "safety", "enforce", "--by", "ben", "--without-evidence")

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr("sys.stdout", screen)
    history_command()
    for part in ("advise from 70", "anna", "ben", "NONE, explicitly", "all / all"):
        assert part in screen.getvalue()
