"""`afterturn replay` judges stored turns anew beside the old verdicts and shows what would change."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from afterturn.calls import Planned
from afterturn.cli._app import app
from afterturn.cli.replay import replay_command
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Filter, open_store
from afterturn.turns import Agent, Message, Turn
from afterturn.verdicts import Verdict

Run = Callable[..., Result]

_CANARY = "CANARY-4711"
_START = datetime(2026, 11, 2, 9, tzinfo=UTC)
_OWN = """
import os
import signal
from dataclasses import replace
from afterturn.classifiers import SAFETY, Reading

def _read(answer, turn):
    return Reading(status="finding", label="self_harm")

def _interrupted(answer, turn):
    if turn.id == "t-2":
        os.kill(os.getpid(), signal.SIGINT)  # the person presses Ctrl-C
    return _read(answer, turn)

BY_RULE = replace(SAFETY, version="2", fields=lambda turn: {}, read=_read)
INTERRUPTED = replace(BY_RULE, read=_interrupted)
OTHER = 7
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Holds five judged turns, of which the first has a finding."""
    path = tmp_path / "a.db"
    with open_store(path, synchronous="OFF", clock=lambda: _START) as store:
        for number in range(5):
            said = (
                Message(role="user", text=_CANARY),
                Message(role="assistant", text=f"{_CANARY}, that is the answer."),
            )
            turn = Turn(
                messages=said,
                agent=Agent("support", instructions=_CANARY),
                tenant="acme",
                session="s",
                id=f"t-{number}",
                created_at=_START + timedelta(hours=number),
            )
            planned = Planned(classifier="safety", version="1", metric="m", judge="old", plan="")
            store.add_turn(turn, [planned])
            verdict = Verdict(
                tenant="acme",
                agent="support",
                session="s",
                turn=turn.id,
                classifier="safety",
                version="1",
                plan="",
                metric="m",
                judge="old",
                status="no_finding" if number else "finding",
                label=None if number else "self_harm",
                confidence=80,
                created_at=_START,
            )
            store.finish(store.claim("w", lease_s=9).claims[0], [Judgement(verdict=verdict)], apply)
    return path


@pytest.fixture
def run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    (tmp_path / "own_questions.py").write_text(_OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERTURN_DB", str(path))
    return lambda *arguments: CliRunner().invoke(app, ["replay", *map(str, arguments)])


def _report(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


BY_RULE = ("--classifier", "own_questions:BY_RULE")


def test_turns_are_judged_anew_and_the_change_is_shown(run: Run, path: Path) -> None:
    report = _report(run(*BY_RULE, "--since", "2026-11-02", "--version", "2"))
    assert report["replay"] == {
        "turns": 5,
        "known": 0,
        "judged": 5,
        "skips": {},
        "failures": {},
        "stopped": False,
    }
    (diff,) = report["diffs"]
    assert diff["change"] == {
        "classifier": "safety",
        "old_version": "1",
        "old_judge": "old",
        "version": "2",
        "judge": "encoder",
    }
    assert (diff["compared"], diff["raised"], diff["agreement"][0]) == (5, 4, 0.2)
    assert diff["answers"][0] == {"old": "no_finding", "new": "self_harm", "turns": 4}
    again = run(*BY_RULE, "--since", "2026-11-02")
    assert _report(again)["replay"] | {"known": 5, "judged": 0} == _report(again)["replay"]
    assert "5 questions had their verdict before" in again.stderr
    with open_store(path) as store:
        assert len(list(store.verdicts())) == len(list(store.verdicts(Filter(replayed=True)))) == 5


def test_one_that_is_interrupted_says_how_to_go_on(run: Run) -> None:
    stopped = run("--classifier", "own_questions:INTERRUPTED", "--since", "2026-11-02")
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert stopped.stderr.splitlines()[-1] == (
        "afterturn: stopped early; what was judged until then is stored: run the same again, and it goes on from there"
    )
    again = _report(run(*BY_RULE, "--since", "2026-11-02"))["replay"]
    assert again["known"] + again["judged"] == 5


@pytest.mark.parametrize("narrow", [("--since", "2999-01-01"), ("--since", "2026-11-02", "--tenant", "nobody")])
def test_that_no_turn_matches_is_said(run: Run, narrow: tuple[str, ...]) -> None:
    result = run(*BY_RULE, *narrow)
    assert _report(result)["replay"]["turns"] == 0
    assert "no stored turn matches: check --since" in result.stderr


def test_the_difference_alone_judges_nothing(run: Run) -> None:
    assert run(*BY_RULE, "--diff").exit_code == 3
    run(*BY_RULE, "--since", "2026-11-02", "--limit", "3")
    report = _report(run("--classifier", "safety", "--diff", "--judge", "encoder"))
    assert report["diffs"][0]["turns"] == 3
    for other in (("--version", "1"), ("--judge", "nobody")):
        nothing = run("--classifier", "safety", "--diff", *other)
        assert (nothing.exit_code, json.loads(nothing.stdout)["diffs"]) == (3, [])
    assert _report(run("--classifier", "safety", "--diff", "--until", "2026-11-02T12:00:00"))["diffs"][0]["turns"] == 1


def test_labels_say_which_side_is_right(run: Run, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    rows = [{"turn": f"t-{number}", "classifier": "safety", "label": number < 2} for number in range(4)]
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = _report(run(*BY_RULE, "--since", "2026-11-02", "--labels", labels))
    labelled = report["diffs"][0]["labelled"]
    assert (labelled["turns"], labelled["only_old"], labelled["only_new"]) == (4, 2, 1)
    assert (labelled["precision_old"][0], labelled["precision_new"][0], labelled["p_value"]) == (1.0, 0.5, 1.0)


def test_nothing_that_replays_print_holds_text(run: Run) -> None:
    result = run(*BY_RULE, "--since", "2026-11-02")
    assert _CANARY not in result.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--classifier", "safety"), "say from when on"),
        (("--classifier", "nothing", "--diff"), "classifier nothing unknown"),
        (("--classifier", "safety", "--version", "9", "--since", "1d"), "safety has version 1 here"),
        (("--classifier", "no.such:THING", "--diff"), "cannot be imported"),
        (("--classifier", "own_questions:NOTHING", "--diff"), "cannot be imported"),
        (("--classifier", "own_questions:OTHER", "--diff"), "is no Classifier"),
        (("--classifier", "safety", "--diff", "--rate", "0"), "--rate is a number"),
        (("--classifier", "safety", "--diff", "--confidence", "95"), "between 0 and 1"),
        (("--classifier", "safety", "--since", "1d", "--judge", "wonder:"), "judge"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(run: Run, options: tuple[str, ...], said: str) -> None:
    assert said in str(run(*options).exception)


def test_a_person_at_a_terminal_reads_tables(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    for name, value in (("COLUMNS", "200"), ("NO_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", screen)
    with pytest.raises(typer.Exit, match="3"):
        replay_command(classifier=["safety"], diff=True)
    assert "nothing was replayed under these filters" in screen.getvalue()
    replay_command(classifier=["own_questions:BY_RULE"], since="2026-11-02")
    text = screen.getvalue()
    for part in ("safety: version 1 by old → version 2 by encoder", "4 raised, 0 dropped", "80-89", "review some"):
        assert part in text


def test_replayed_verdicts_are_listed_exported_and_calibrated_apart(run: Run, tmp_path: Path) -> None:
    run(*BY_RULE, "--since", "2026-11-02")

    def out(*arguments: str) -> str:
        return CliRunner().invoke(app, arguments).stdout

    assert len(out("verdicts").splitlines()) == len(out("verdicts", "--replayed").splitlines()) == 5
    assert {
        json.loads(line)["version"] for line in out("verdicts", "--replayed", "--judge", "encoder").splitlines()
    } == {"2"}
    report = json.loads(out("calibrate", "--classifier", "safety", "--alert-budget", "9", "--replayed"))
    assert (report["version"], report["replayed_by"], report["from"]) == ("2", "encoder", "2026-11-02")
    assert json.loads(out("calibrate", "--classifier", "safety", "--alert-budget", "9"))["version"] == "1"


def test_labels_of_a_review_choose_the_threshold_of_the_new_version(run: Run, path: Path) -> None:
    run(*BY_RULE, "--since", "2026-11-02")
    calibrate = ["calibrate", "--classifier", "safety", "--target-fpr", "0.9", "--replayed"]
    without = CliRunner().invoke(app, calibrate)
    assert "no reviewed sample of the version that was live" in without.stderr
    with open_store(path, clock=lambda: _START) as store:
        drawn = store.reviews.draw(Filter(classifier="safety", version="1"), size=5, seed=1, reviewer="ada")
        keys = [one.key for one in store.reviews.turns(drawn)]
        store.reviews.label(dict.fromkeys(keys, "no"), "safety", reviewer="ada")
    told = json.loads(CliRunner().invoke(app, calibrate).stdout)
    assert (told["version"], told["labels"]["source"], told["labels"]["used"]) == ("2", "review", 5)
    assert (told["labels"]["sample"]["version"], told["labels"]["sample"]["turns"]) == ("1", 5)


def test_a_tie_of_reviewers_is_told_and_leaves_the_rates(run: Run, path: Path) -> None:
    with open_store(path, clock=lambda: _START) as store:
        drawn = store.reviews.draw(Filter(classifier="safety", version="1"), size=5, seed=1, reviewer="ada")
        keys = [one.key for one in store.reviews.turns(drawn)]
        store.reviews.label(dict.fromkeys(keys, "no"), "safety", reviewer="ada")
        tied = [one.key for one in store.reviews.turns(drawn) if one.status == "finding"]
        store.reviews.label(dict.fromkeys(tied, "yes"), "safety", reviewer="bo")
    labelled = _report(run(*BY_RULE, "--since", "2026-11-02"))["diffs"][0]["labelled"]
    assert (labelled["strata_contradictory"], labelled["precision_old"]) == (1, [0.5, 0.0, 1.0])
    assert labelled["precision_new"] == [0.1, 0.0, 0.2]
    result = CliRunner().invoke(app, ["calibrate", "--classifier", "safety", "--target-fpr", "0.9", "--replayed"])
    left_out = json.loads(result.stdout)["labels"]
    assert (left_out["contradictory"], left_out["strata_contradictory"]) == (1, 1)
    assert (left_out["sample"]["drawn"], left_out["sample"]["labelled"]) == (5, 4)
    assert "all labels of 1 strata contradict each other" in result.stderr


def test_where_there_is_nothing_to_compare_it_ends_inconclusive(run: Run) -> None:
    result = run("--classifier", "safety", "--diff")
    assert (result.exit_code, json.loads(result.stdout)) == (3, {"replay": None, "diffs": []})
    assert run(*BY_RULE, "--since", "2026-11-09", "--until", "2026-11-02").exit_code == 2


def test_that_live_traffic_was_judged_the_same_way_is_said(run: Run, tmp_path: Path) -> None:
    with open_store(tmp_path / "a.db") as store:
        store.add_turn(
            Turn(messages=(Message(role="user", text=_CANARY),), tenant="solo", session="s", id="x", created_at=_START),
            [Planned(classifier="safety", version="1", metric="m", judge="encoder", plan="", skip="no_reply")],
        )
    result = run("--classifier", "safety", "--since", "2026-11-02", "--tenant", "solo")
    assert _report(result)["diffs"] == []
    assert "nothing to compare: give another --judge" in result.stderr
