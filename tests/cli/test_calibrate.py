"""`afterturn calibrate` gives a threshold with its proof and cost, or how many labels are missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from afterturn.calls import Planned
from afterturn.cli._app import app
from afterturn.cli.calibrate import calibrate_command
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Store, open_store
from afterturn.turns import Agent, Message, Turn
from afterturn.verdicts import Verdict

Run = Callable[..., Result]

_CANARY = "CANARY-4711"
_START = datetime(2026, 11, 1, 12, tzinfo=UTC)
_TURNS = 400
_DAYS = 4


def _judge(store: Store, number: int, at: datetime, *, version: str = "1", tenant: str = "acme") -> None:
    """Stores a turn and its verdict: every tenth is a finding at 96 or 97, the rest no finding at 90 to 99."""
    turn = Turn(
        messages=(Message(role="user", text=_CANARY),),
        agent=Agent("support", instructions=_CANARY),
        tenant=tenant,
        session=f"{_CANARY}-s",
        id=f"t-{number}",
    )
    metric = "agent.safety.verdict"
    skip = "no_reply" if number == _TURNS else None
    planned = Planned(classifier="safety", version=version, metric=metric, judge="encoder", plan="", skip=skip)
    store.add_turn(turn, [planned])
    for claimed in store.claim("w", lease_s=60).claims:
        found = number % 10 == 0
        verdict = Verdict(
            tenant=tenant,
            agent="support",
            session=turn.session,
            turn=turn.id,
            classifier="safety",
            version=version,
            plan="",
            metric=metric,
            status="finding" if found else "no_finding",
            label="self_harm" if found else None,
            confidence=96 + number // 10 % 2 if found else 90 + number % 10,
            judge="encoder",
            created_at=at,
        )
        store.finish(claimed, [Judgement(verdict=verdict)], apply)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds 400 judged turns over four days and one skip."""
    path = tmp_path_factory.mktemp("calibrate") / "a.db"
    now = [_START]
    with open_store(path, synchronous="OFF", clock=lambda: now[0]) as store:
        for number in range(_TURNS + 1):
            now[0] = _START + timedelta(days=number % _DAYS)
            _judge(store, number, now[0])
    return path


@pytest.fixture
def run(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERTURN_DB", str(database))
    return lambda *arguments: CliRunner().invoke(app, ["calibrate", "--classifier", "safety", *map(str, arguments)])


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Labels all turns: true where the verdict is a finding at 97 and one more, which was missed."""
    path = tmp_path / "labels.jsonl"
    rows = [
        {"turn": f"t-{number}", "classifier": "safety", "label": number % 20 == 10 or number == 1}
        for number in range(_TURNS + 1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _report(result: Result) -> dict[str, Any]:
    return json.loads(result.stdout)


def test_a_false_positive_rate_is_proven_with_enough_labels(run: Run, labels: Path) -> None:
    result = run("--labels", labels, "--target-fpr", "0.02")
    report = _report(result)
    assert result.exit_code == 0
    assert report["labels"] | {"used": 400, "positives": 21, "negatives": 379, "unanswered": 1} == report["labels"]
    assert report["threshold"] == 97
    assert report["guarantee"].startswith("With probability at least 0.95 over the draw of the labelled turns, the fal")
    assert report["at_threshold"]["false_alarms"][0] == 0.0
    assert report["at_threshold"]["recall"][0] == 20 / 21
    assert report["alerts"] == {"days": 4, "a_day": 5.0, "most": 20}
    assert (report["from"], report["to"], report["answered"], report["verdicts"]) == (
        "2026-11-01",
        "2026-11-04",
        400,
        401,
    )
    assert report["missing"] is None


def test_a_precision_is_proven_or_the_missing_labels_are_counted(run: Run, labels: Path) -> None:
    proven = run("--labels", labels, "--target-precision", "0.3")
    assert (proven.exit_code, _report(proven)["threshold"]) == (0, 10)
    short = run("--labels", labels, "--target-precision", "0.9")
    assert (short.exit_code, _report(short)["threshold"], _report(short)["guarantee"]) == (3, None, None)
    decision = _report(short)["decision"]
    assert decision["labels_of"] == "alerts"
    assert f"not enough labels: {decision['more_labels']} more for this claim" in short.stderr


def test_labels_that_were_picked_are_told_from_a_draw(run: Run, labels: Path) -> None:
    """A promise rests on the draw; labels of the surest turns alone do not look like one."""
    assert _report(run("--labels", labels, "--target-fpr", "0.02"))["labels"]["looks_random"]["p_value"] == 1.0
    picked = [line for line in labels.read_text().splitlines() if json.loads(line)["label"]]
    labels.write_text("\n".join(picked) + "\n")
    result = run("--labels", labels, "--target-precision", "0.1")
    report = _report(result)
    assert report["labels"]["looks_random"]["p_value"] < 1e-9
    assert (result.exit_code, report["threshold"] is None, report["guarantee"]) == (3, False, None)
    assert f"threshold {report['threshold']} is unproven: the labelled turns do not look drawn" in report["missing"]
    assert report["missing"] in result.stderr
    budget = run("--labels", labels, "--alert-budget", "5")
    assert (budget.exit_code, "do not look drawn at random" in budget.stderr) == (0, True)


def test_without_labels_a_claim_needs_all_of_them(run: Run) -> None:
    result = run("--target-fpr", "0.01")
    assert result.exit_code == 3
    assert "not enough labels: 299 more for this claim (turns labelled false)" in result.stderr
    assert _report(result)["missing"] in result.stderr


def test_a_budget_needs_no_labels_and_promises_nothing(run: Run) -> None:
    report = _report(run("--alert-budget", "5"))
    assert (report["threshold"], report["alerts"]["a_day"], report["guarantee"]) == (97, 5.0, None)
    none = run("--alert-budget", "5", "--since", "2026-11-03", "--until", "2026-11-03T10:00:00")
    assert _report(none)["alerts"] == {"days": 1, "a_day": 0.0, "most": 0}


def test_times_are_whole_days_for_traffic_and_labels_alike(run: Run, labels: Path) -> None:
    report = _report(run("--labels", labels, "--target-fpr", "0.5", "--since", "2026-11-03T20:00:00"))
    assert (report["from"], report["answered"], report["labels"]["used"]) == ("2026-11-03", 200, 200)
    assert report["labels"]["unknown_turns"] == 201


def test_lines_that_hold_no_label_are_told_and_counted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    rows = [
        {"turn": "t-1", "classifier": "safety", "label": False},
        {"turn": "t-1", "classifier": "safety", "label": False},
        {"turn": "t-2", "classifier": "safety", "label": True},
        {"turn": "t-2", "classifier": "safety", "label": False},
        {"turn": "t-3", "classifier": "scope_drift", "label": True},
        {"turn": "nowhere", "classifier": "safety", "label": True},
        {"turn": "t-4", "classifier": "safety", "label": _CANARY},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + _CANARY)
    result = run("--labels", path, "--alert-budget", "5")
    found = _report(result)["labels"]
    assert (found["contradictory"], found["other_classifiers"], found["bad_lines"]) == (1, 1, 2)
    assert found["unknown_turns"] == 1
    assert f"{path}:7: no label of a turn" in result.stderr
    assert _CANARY not in result.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "exactly one"),
        (("--target-fpr", "0.1", "--alert-budget", "5"), "exactly one"),
        (("--target-fpr", "1.5"), "between 0 and 1"),
        (("--alert-budget", "nan"), "0 or more"),
        (("--alert-budget", "inf"), "no infinity"),
        (("--target-precision", "inf"), "between 0 and 1"),
        (("--target-fpr", "0.1", "--confidence", "95"), "between 0 and 1"),
        (("--target-fpr", "0.1", "--plot", "curve.gif"), "neither a PNG nor an SVG"),
        (("--target-fpr", "0.1", "--tenant", "nobody"), "no answered verdict"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(run: Run, options: tuple[str, ...], said: str) -> None:
    result = run(*options)
    assert said in str(result.exception)


def test_versions_are_not_mixed_nor_tenants_guessed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "two.db"
    with open_store(path, clock=lambda: _START) as store:
        _judge(store, 1, _START)
        _judge(store, 1, _START, tenant="other")
        _judge(store, 2, _START, version="2")
    monkeypatch.setenv("AFTERTURN_DB", str(path))
    assert "versions 1, 2; choose one by --version" in str(run("--alert-budget", "1").exception)
    labels = tmp_path / "one.jsonl"
    labels.write_text('{"turn": "t-1", "classifier": "safety", "label": true}\n')
    options = ("--alert-budget", "1", "--version", "1", "--labels", labels)
    assert "several tenants" in str(run(*options).exception)
    assert _report(run(*options, "--tenant", "other"))["labels"]["used"] == 1
    labels.write_text('{"turn": "t-1", "tenant": "acme", "classifier": "safety", "label": true}\n')
    assert _report(run(*options))["labels"]["used"] == 1


@pytest.mark.parametrize(("name", "begins"), [("curves.png", b"\x89PNG"), ("curves.svg", b"<?xml")])
def test_curves_are_drawn_and_hold_no_text_of_a_conversation(
    run: Run, labels: Path, tmp_path: Path, name: str, begins: bytes
) -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra [data]")
    result = run("--labels", labels, "--target-fpr", "0.02", "--plot", name)
    assert result.exit_code == 0
    picture = (tmp_path / name).read_bytes()
    assert run("--labels", labels, "--target-fpr", "0.02", "--plot", f"again-{name}").exit_code == 0
    assert (tmp_path / f"again-{name}").read_bytes() == picture
    if name.endswith(".svg"):
        assert b"safety 1" in picture  # texts can be found, so the next line says something
    assert picture.startswith(begins)
    assert _CANARY.encode() not in picture
    assert _CANARY not in result.output


def test_without_labels_the_alerts_alone_are_drawn(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra [data]")
    assert run("--alert-budget", "5", "--plot", "a.svg").exit_code == 0
    assert (tmp_path / "a.svg").stat().st_size > 1_000


def test_the_chosen_threshold_is_a_point_of_the_curves_and_a_row_of_the_table(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 400 turns 40 score 96 or 97, the rest 1 to 10; two scores are labelled, and the budget chooses one between."""
    path = tmp_path / "few.jsonl"
    rows = [{"turn": f"t-{one}", "classifier": "safety", "label": one == 10} for one in (1, 10)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = _report(run("--labels", path, "--alert-budget", "10"))
    points = {one["threshold"]: one for one in report["points"]}
    assert report["threshold"] == 10
    assert list(points) == [101, 97, 10, 9]
    assert points[10] == report["at_threshold"]

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", screen)
    calibrate_command(classifier="safety", labels=path, alert_budget=10)
    assert [line.split()[1] for line in screen.getvalue().splitlines() if line.startswith("│")] == ["97", "10", "9"]


def test_a_person_at_a_terminal_reads_threshold_cost_and_promise(
    run: Run, labels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    for name, value in (("COLUMNS", "200"), ("NO_COLOR", "1"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", screen)
    calibrate_command(classifier="safety", labels=labels, target_fpr=0.02)
    text = screen.getvalue()
    for part in ("400 answers", "21 true, 379 false", "left out: 1 unanswered", "threshold: 97", "5.0 a day, 20 on"):
        assert part in text
    assert "learn-then-test" in text
    assert _CANARY not in text
