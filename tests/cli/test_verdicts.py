from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from afterturn.calls import Planned
from afterturn.cli.verdicts import verdicts_command
from afterturn.store import open_store
from afterturn.turns import Agent, Message, Turn

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs `verdicts` over a store of four skips and one dead letter."""
    database = tmp_path / "a.db"
    messages = (Message(role="user", text="CANARY"),)
    with open_store(database, clock=lambda: datetime(2026, 11, 30, tzinfo=UTC), max_attempts=1) as store:
        for number in range(5):
            planned = Planned(
                classifier="safety",
                version="1",
                metric="agent.safety.verdict",
                judge="encoder",
                plan="",
                skip="greeting" if number else None,
            )
            agent = Agent(f"agent-{number % 2}")
            turn = Turn(messages=messages, agent=agent, tenant="acme", session="s", id=f"[t]\x9b{number}")
            store.add_turn(turn, [planned])
        store.fail(store.claim("w", lease_s=1).claims[0], code="timeout")
    app = typer.Typer()
    app.command()(verdicts_command)
    monkeypatch.setenv("AFTERTURN_DB", str(database))
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_filters_that_let_nothing_through_are_told(run: Run) -> None:
    for view, told in (("--json", "verdict"), ("--histogram", "verdict"), ("--funnel", "turn"), ("--csv", "verdict")):
        result = run(view, "--tenant", "nobody")
        assert (result.exit_code, f"no {told} under these filters" in result.stderr) == (0, True)
    assert "under these filters" not in run().stderr


def test_a_period_that_ends_before_it_begins_is_refused(run: Run) -> None:
    result = run("--since", "2026-12-01", "--until", "2026-11-01")
    assert result.exit_code == 2
    assert "must be later than --since" in " ".join(result.stderr.replace("│", " ").split())


def _turns(result: Result) -> list[str]:
    return [json.loads(line)["turn"][-1] for line in result.stdout.splitlines()]


def test_verdicts_come_as_json_lines_where_nobody_watches(run: Run) -> None:
    result = run()
    assert (result.exit_code, _turns(result)) == (0, ["0", "1", "2", "3", "4"])
    line = json.loads(result.stdout.splitlines()[1])
    assert (line["status"], line["reason"], line["metric"]) == ("skipped", "greeting", "agent.safety.verdict")
    assert line["created_at"] == "2026-11-30T00:00:00+00:00"
    assert "CANARY" not in result.output


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--limit", "2"), ["3", "4"]),
        (("--status", "error"), ["0"]),
        (("--dead",), ["0"]),
        (("--agent", "agent-1"), ["1", "3"]),
        (("--agent", "agent-0", "--limit", "1", "--json"), ["4"]),
        (("--tenant", "nobody"), []),
        (("--classifier", "safety", "--session", "s", "--since", "2026-11-30"), ["0", "1", "2", "3", "4"]),
    ],
)
def test_verdicts_are_narrowed_by_options(run: Run, options: tuple[str, ...], found: list[str]) -> None:
    assert _turns(run(*options)) == found


@pytest.mark.parametrize(
    "options",
    [
        ("--status", "great"),
        ("--limit", "0"),
        ("--since", "soon"),
        ("--funnel", "--status", "error"),
        ("--histogram", "--dead"),
    ],
)
def test_an_option_that_makes_no_sense_is_a_usage_error(run: Run, options: tuple[str, ...]) -> None:
    assert run(*options).exit_code == 2


def test_the_funnel_counts_all_questions(run: Run) -> None:
    expected = {"stored": 5, "planned": 5, "open": 0, "judged": 0, "skipped": 4, "failed": 1, "dead": 1}
    expected |= {"finding": 0, "no_finding": 0, "unsure": 0}
    expected |= {"findings": {}, "skips": {"greeting": 4}, "failures": {"timeout": 1}}
    assert json.loads(run("--funnel").stdout) == expected
    assert json.loads(run("--funnel", "--until", "2020-01-01").stdout)["stored"] == 0
    misspelt = run("--funnel", "--classifier", "saftey")
    assert "is the classifier called so?" in misspelt.stderr
    assert "is the classifier called so?" not in run("--funnel").stderr


def test_a_histogram_counts_verdicts_by_confidence(run: Run) -> None:
    lines = [json.loads(line) for line in run("--histogram", "--status", "skipped").stdout.splitlines()]
    assert [(line["agent"], line["reason"], line["counts"], line["unscored"]) for line in lines] == [
        ("agent-0", "greeting", {}, 2),
        ("agent-1", "greeting", {}, 2),
    ]


def test_a_person_at_a_terminal_sees_a_table_without_codes_that_a_terminal_obeys(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    del run  # it made the database

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", screen)
    verdicts_command()
    text = screen.getvalue()
    assert "skipped (greeting)" in text
    assert "[t]\N{REPLACEMENT CHARACTER}4" in text
    assert "\x9b4" not in text


def test_no_word_of_the_headings_is_cut_on_a_narrow_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    del run  # it made the database

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    for name, value in (("COLUMNS", "80"), ("NO_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", screen)
    verdicts_command()
    lines = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()
    assert max(map(len, lines)) <= 80
    heading = " ".join(lines[1:3])
    for word in ("judged", "tenant", "agent", "session", "turn", "classifier", "verdict", "judge", "conf.", "ms"):
        assert word in heading


def _table(result: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(result.stdout)))


def test_verdicts_are_exported_as_csv_with_the_names_of_their_json(run: Run) -> None:
    result = run("--csv")
    rows = _table(result)
    line = json.loads(run("--json").stdout.splitlines()[1])
    nested = {f"{name}.{key}" for name in ("params", "usage") for key in line.pop(name)}
    assert set(rows[1]) == {*line, *nested}
    assert (rows[1]["status"], rows[1]["reason"], rows[1]["confidence"]) == ("skipped", "greeting", "")
    assert [row["turn"][-1] for row in rows] == ["0", "1", "2", "3", "4"]
    assert [row["turn"][-1] for row in _table(run("--csv", "--limit", "1"))] == ["4"]
    assert "CANARY" not in result.output


def test_counts_are_exported_as_csv(run: Run) -> None:
    stages = {(row["stage"], row["detail"]): row["count"] for row in _table(run("--funnel", "--csv"))}
    assert stages["planned", ""] == "5"
    assert (stages["skips", "greeting"], stages["failures", "timeout"]) == ("4", "1")
    rows = _table(run("--histogram", "--csv"))
    assert {(row["agent"], row["status"], row["day"], row["confidence"], row["verdicts"]) for row in rows} == {
        ("agent-0", "error", "2026-11-30", "", "1"),
        ("agent-0", "skipped", "2026-11-30", "", "2"),
        ("agent-1", "skipped", "2026-11-30", "", "2"),
    }


def test_csv_and_json_are_one_or_the_other(run: Run) -> None:
    assert run("--csv", "--json").exit_code == 2


def test_a_spreadsheet_runs_no_id_as_a_formula(run: Run, tmp_path: Path) -> None:
    with open_store(tmp_path / "a.db") as store:
        turn = Turn(messages=(Message(role="user", text="x"),), tenant="=1+1", session="-s", id="@t")
        skip = Planned(classifier="safety", version="1", metric="m", judge="encoder", plan="", skip="greeting")
        store.add_turn(turn, [skip])
    row = _table(run("--csv"))[-1]
    assert (row["tenant"], row["session"], row["turn"]) == ("'=1+1", "'-s", "'@t")
