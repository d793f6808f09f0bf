from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from typer import Exit
from typer.testing import CliRunner, Result

from afterturn.calls import Planned
from afterturn.cli._app import app
from afterturn.cli.forget import forget_command
from afterturn.store import open_store
from afterturn.turns import Agent, Message, Turn

Run = Callable[..., Result]

_CANARY = "zebraquartz"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, database: Path) -> Run:
    """Runs `afterturn` over a store of two sessions, each with a turn whose question is open."""
    planned = Planned(classifier="safety", version="1", metric="agent.safety.verdict", judge="encoder", plan="")
    with open_store(database, clock=lambda: datetime(2020, 1, 1, tzinfo=UTC)) as store:
        for tenant in ("acme", "other"):
            said = (Message(role="user", text=f"{_CANARY} of {tenant}"), Message(role="assistant", text="Thank you."))
            turn = Turn(messages=said, agent=Agent("support"), tenant=tenant, session="s-1", id="t-1")
            store.add_turn(turn, [planned])
    monkeypatch.setenv("AFTERTURN_DB", str(database))
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_a_session_is_forgotten_and_that_is_proved(run: Run, database: Path) -> None:
    result = run("forget", "--session", "s-1", "--tenant", "acme")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["turns"], told["closed"], told["gone"]) == (0, 1, 1, True)
    assert (told["proof"]["own"], told["proof"]["residue"], told["proof"]["texts"]) == ([], 0, 2)
    assert told["proof"]["elsewhere"] == [
        {"table": "turns", "column": "body", "tenant": "other", "session": "s-1"}  # it says "Thank you." too
    ]
    assert _CANARY not in result.output
    assert f"{_CANARY} of acme".encode() not in database.read_bytes()
    assert f"{_CANARY} of other".encode() in database.read_bytes()
    verdicts = [json.loads(line) for line in run("verdicts").stdout.splitlines()]
    assert [(one["tenant"], one["status"], one["reason"]) for one in verdicts] == [("acme", "skipped", "forgotten")]


def test_what_is_left_in_free_space_fails_the_check(run: Run, database: Path) -> None:
    reader = sqlite3.connect(database)  # holds on to the write-ahead log, where the text still stands
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM turns").fetchall()
    with open_store(database, busy_timeout_s=0.05) as store:
        forgotten = store.forget("acme", "s-1")
        assert forgotten is not None
        held = store.prove(forgotten, tenant="acme", session="s-1")
        assert (held.gone, held.own, held.residue > 0) == (False, (), True)
        reader.close()
        assert store.prove(forgotten, tenant="acme", session="s-1").gone


@pytest.fixture
def reader(run: Run, database: Path) -> Iterator[sqlite3.Connection]:
    """Holds on to the log, as another process does that reads for long."""
    del run  # it made the database
    opened = sqlite3.connect(database)
    opened.execute("BEGIN")
    opened.execute("SELECT count(*) FROM turns").fetchone()
    yield opened
    opened.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("afterturn.store.open_store", partial(open_store, busy_timeout_s=0.05))


@pytest.mark.usefixtures("impatient")
def test_a_repeated_run_has_nothing_to_search_for_and_claims_no_proof(
    run: Run, database: Path, reader: sqlite3.Connection
) -> None:
    arguments = ("forget", "--session", "s-1", "--tenant", "acme")
    for turns, texts in ((1, 2), (0, 0)):
        result = run(*arguments)
        told = json.loads(result.stdout)
        proof = told["proof"]
        assert (result.exit_code, told["turns"], proof["texts"]) == (1, turns, texts)
        assert (told["gone"], proof["emptied"], proof["residue"] > 0) == (False, False, texts > 0)
    reader.close()
    result = run(*arguments)
    told = json.loads(result.stdout)
    assert (result.exit_code, told["gone"], told["proof"]["emptied"]) == (0, None, True)
    with open_store(database):  # keeps the log from being removed, not from being empty
        assert f"{_CANARY} of acme".encode() not in b"".join(file.read_bytes() for file in database.parent.iterdir())


@pytest.mark.usefixtures("impatient")
def test_expired_text_that_another_process_keeps_in_the_log_fails_the_run(
    run: Run, reader: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AFTERTURN_RETENTION_DAYS", "30")
    results = [run("forget", "--expired"), run("forget", "--expired")]
    reader.close()
    results.append(run("forget", "--expired"))
    assert [(result.exit_code, json.loads(result.stdout)) for result in results] == [
        (1, {"turns": 2, "closed": 2, "emptied": False}),
        (1, {"turns": 0, "closed": 0, "emptied": False}),
        (0, {"turns": 0, "closed": 0, "emptied": True}),
    ]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "give one of"),
        (("--session", "s-1", "--expired"), "give one of"),
        (("--expired",), "no text expires"),
        (("--session", "gone", "--tenant", "acme"), "has no session gone"),
        (("--session", "s-1"), "tenant default has no session s-1"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments: tuple[str, ...], told: str) -> None:
    result = run("forget", *arguments)
    assert result.exit_code != 0
    assert told in f"{result.output} {result.exception}"


def test_expired_text_is_removed_by_the_rule_of_each_tenant(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AFTERTURN_TENANTS", '{"acme": {"retention_days": 30}}')
    result = run("forget", "--expired", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"turns": 1, "closed": 1, "emptied": True})
    with open_store(database) as store:
        assert [turn.tenant for turn in store.turns()] == ["other"]
    monkeypatch.setenv("AFTERTURN_RETENTION_DAYS", "10000")
    assert json.loads(run("forget", "--expired").stdout) == {"turns": 0, "closed": 0, "emptied": True}


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_person_at_a_terminal_reads_what_was_searched_and_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    del run  # it made the database
    screen = _Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    forget_command(session="s-1", tenant="acme")
    first, searched, elsewhere, last = screen.getvalue().splitlines()
    assert first == "text of 1 turns removed, 1 open questions closed"
    assert searched.startswith("searched for 2 removed texts in ")
    assert elsewhere == "the same words elsewhere: turns.body, tenant other, session s-1"
    assert last == "none is left in the session or in free space"
    screen.truncate(screen.seek(0))
    forget_command(session="s-1", tenant="acme")
    assert screen.getvalue().splitlines() == [
        "text of 0 turns removed, 0 open questions closed",
        "nothing to search for: this run proves nothing",
        "the log was emptied and the file written anew: text that was removed earlier is in neither",
    ]


@pytest.mark.usefixtures("impatient", "reader")
def test_a_person_at_a_terminal_reads_that_the_files_could_not_be_emptied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = _Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    held = "the files could NOT be emptied, another process uses the database; stop it and run this again"
    with pytest.raises(Exit):
        forget_command(session="s-1", tenant="acme")
    assert screen.getvalue().splitlines()[-2:] == [held, "NOT all is gone, or it cannot be told"]
    monkeypatch.setenv("AFTERTURN_RETENTION_DAYS", "30")
    with pytest.raises(Exit):
        forget_command(expired=True)
    assert screen.getvalue().splitlines()[-1] == held
