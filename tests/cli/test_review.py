"""`afterturn review` shows turns to a person, stores what they say, and reports what follows; text stays there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import structlog
from typer.testing import CliRunner, Result

from afterturn.calls import Planned
from afterturn.cli import _review_report
from afterturn.cli._app import app
from afterturn.outcomes import Judgement
from afterturn.session import apply
from afterturn.store import Answer, Filter, Store, open_store
from afterturn.turns import Agent, Message, Turn
from afterturn.verdicts import Verdict

Run = Callable[..., Result]

_CANARY = "zebraquartz"
_START = datetime(2026, 11, 1, 12, tzinfo=UTC)
_TURNS = 120
_NARROW = Filter(classifier="safety", version="1")


def _judge(store: Store, number: int, tenant: str = "acme") -> None:
    said = (
        Message(role="user", text=f"{_CANARY} before"),
        Message(role="assistant", text="Yes?"),
        Message(role="user", text=f"{_CANARY} [b]{number}[/b]\x1b[31m\nsecond line"),
        Message(role="assistant", text=f"{_CANARY} reply"),
    )
    agent = Agent("support", instructions=f"{_CANARY} scope")
    turn = Turn(messages=said, agent=agent, tenant=tenant, session=f"s-{number}", id=f"t-{number}")
    metric = "agent.safety.verdict"
    store.add_turn(turn, [Planned(classifier="safety", version="1", metric=metric, judge="encoder", plan="")])
    (claimed,) = store.claim("w", lease_s=60).claims
    verdict = Verdict(
        tenant=tenant,
        agent="support",
        session=turn.session,
        turn=turn.id,
        classifier="safety",
        version="1",
        plan="",
        metric=metric,
        status="no_finding" if number % 6 else "finding",
        confidence=80 + number % 10,
        judge="encoder",
        created_at=_START + timedelta(days=number % 4),
    )
    store.finish(claimed, [Judgement(verdict=verdict)], apply)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("review") / "a.db"
    with open_store(path, synchronous="OFF", clock=lambda: _START) as store:
        for number in range(_TURNS):
            _judge(store, number)
    return path


@pytest.fixture
def database(judged: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(judged, tmp_path / "a.db"))


@pytest.fixture
def run(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERTURN_DB", str(database))

    def ran(*arguments: object, typed: str = "") -> Result:
        return CliRunner().invoke(app, ["review", *map(str, arguments)], input=typed)

    yield ran
    structlog.reset_defaults()


_ANNA = ("--classifier", "safety", "--reviewer", "anna", "--size", "30")


def _last(result: Result) -> dict[str, Any]:
    return json.loads(result.stdout[result.stdout.index('{"') :])


def _labels(database: Path) -> list[tuple[str, str, str]]:
    with open_store(database) as store:
        return [(label.turn, label.reviewer, label.answer) for label in store.reviews.labels()]


def test_answers_are_stored_at_once_and_not_asked_for_again(run: Run, database: Path) -> None:
    first = run(*_ANNA, typed="y\nno\nwhat\nu\ns\nq\n")
    told = _last(first)
    assert (first.exit_code, told["drawn"], told["answered"], told["left"], told["turns"]) == (0, 30, 3, 27, 120)
    assert [answer for *_, answer in sorted(_labels(database))].count("unsure") == 1
    assert "type y, n, u, s or q" in first.stdout
    second = _last(run(*_ANNA, typed="y\n" * 27))
    assert (second["sample"], second["answered"], second["left"]) == (told["sample"], 27, 0)
    assert len(_labels(database)) == 30
    assert _last(run(*_ANNA))["left"] == 0
    other = _last(run("--classifier", "safety", "--reviewer", "ben", "--size", "30", typed="y\n"))
    assert (other["sample"], other["left"]) == (told["sample"], 29)


def test_an_interruption_loses_nothing(run: Run, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["y", "n"])

    def types() -> str:
        for text in typed:
            return text
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", types)
    result = run(*_ANNA)
    assert (result.exit_code, _last(result)["answered"]) == (0, 2)
    assert len(_labels(database)) == 2


def test_a_person_sees_the_turn_and_the_question_but_not_the_judges_answer(run: Run) -> None:
    text = run(*_ANNA, typed="q\n").stdout
    for part in (f"{_CANARY} before", "second line", f"{_CANARY} reply", "turn 1 of 30", "Is there self-harm"):
        assert part in text
    assert "[b]" in text  # text of a conversation is no markup
    assert "\x1b" not in text  # and gives the terminal no orders
    shown = text[: text.index('{"')]
    assert "finding" not in shown
    assert f"{_CANARY} scope" not in shown  # this question does not need it


def test_the_same_seed_draws_the_same_turns_and_a_larger_sample_keeps_the_answers(run: Run, database: Path) -> None:
    run(*_ANNA, typed="y\n" * 30)
    more = _last(run("--classifier", "safety", "--reviewer", "anna", "--size", "50", typed="q\n"))
    assert (more["sample"], more["drawn"], more["left"]) == (2, 50, 20)
    again = _last(run(*_ANNA, "--again", typed="q\n"))
    assert (again["sample"], again["left"]) == (3, 0)
    with open_store(database) as store:
        third, _, first = (store.reviews.turns(one) for one in store.reviews.samples(_NARROW))
    assert third == first
    assert _last(run(*_ANNA, "--seed", "9", typed="q\n"))["sample"] == 4


def test_a_turn_whose_text_has_gone_is_not_shown_and_is_counted(run: Run, database: Path) -> None:
    _last(run(*_ANNA, typed="q\n"))
    with open_store(database) as store:
        (drawn,) = store.reviews.samples(_NARROW)
        gone = store.reviews.turns(drawn)[0]
        store.forget("acme", gone.turn.replace("t-", "s-"))
    told = _last(run(*_ANNA, typed="q\n"))
    assert (told["left"], told["unreadable"], told["expired"]) == (29, 1, 0)
    assert _last(run(*_ANNA, "--again", typed="q\n"))["expired"] == 1
    with open_store(database) as store:
        for number in range(_TURNS):
            store.forget("acme", f"s-{number}")
    nothing = run(*_ANNA, "--again")
    assert (nothing.exit_code, _last(nothing)["expired"]) == (3, _TURNS)
    assert "the text of all of them is gone" in nothing.stderr


def test_no_text_is_told_anywhere_but_where_turns_are_shown(run: Run, tmp_path: Path) -> None:
    shown = run(*_ANNA, typed="y\nn\n")
    assert _CANARY not in shown.stderr
    for arguments in (("--classifier", "safety", "--report"), ("--export", tmp_path / "out.jsonl")):
        assert _CANARY not in run(*arguments).output
    assert _CANARY not in (tmp_path / "out.jsonl").read_text()


def test_labels_of_a_file_are_stored_and_bad_lines_are_told_with_their_number(
    run: Run, database: Path, tmp_path: Path
) -> None:
    with open_store(database, clock=lambda: _START) as store:
        _judge(store, 7, tenant="other")
    rows: list[object] = [
        {"turn": "t-1", "classifier": "safety", "label": True},
        {"turn": "t-2", "classifier": "safety", "label": False, "reviewer": "ben"},
        {"turn": "t-3", "classifier": "safety", "label": "yes"},
        {"turn": "nowhere", "classifier": "safety", "label": True},
        {"turn": "t-4", "classifier": "safety", "label": True},
        {"turn": "t-4", "classifier": "safety", "label": False},
        {"turn": "t-5", "classifier": "scope_drift", "label": True},
        {"turn": "t-7", "classifier": "safety", "label": True},
        {"turn": "t-7", "tenant": "other", "classifier": "safety", "label": True},
        {"turn": "t-8", "classifier": "safety", "label": True, "reviewer": ""},
        _CANARY,
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run("--labels", path, "--classifier", "safety")
    assert result.exit_code == 0
    assert _last(result) == {
        "imported": 3,
        "replaced": 0,
        "unknown_turns": 1,
        "contradictory": 1,
        "other_classifiers": 1,
        "bad_lines": 4,
    }
    for number, problem in ((3, "no label of a turn"), (8, "several tenants"), (10, "`reviewer` is no name"), (11, "")):
        assert f"{path}:{number}: {problem}" in result.stderr
    assert _CANARY not in result.output
    assert sorted(_labels(database)) == [("t-1", "import", "yes"), ("t-2", "ben", "no"), ("t-7", "import", "yes")]
    assert _last(run("--labels", path, "--reviewer", "carl"))["imported"] == 4


def test_answers_that_a_file_replaces_are_counted_and_told(run: Run, database: Path, tmp_path: Path) -> None:
    run(*_ANNA, typed="y\nn\nq\n")
    with open_store(database) as store:
        given = [(label.turn, label.answer) for label in store.reviews.labels()]
    path = tmp_path / "fix.jsonl"
    rows = [{"turn": turn, "classifier": "safety", "label": True, "reviewer": "anna"} for turn, _ in given]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run("--labels", path)
    assert (_last(result)["imported"], _last(result)["replaced"]) == (2, 2)
    assert "2 earlier answers of anna about safety are replaced by this file" in result.stderr
    again = run("--labels", path)
    assert (_last(again)["replaced"], "replaced by this file" in again.stderr) == (0, False)
    with open_store(database) as store:
        assert [(label.answer, label.source) for label in store.reviews.labels()] == [("yes", "file")] * 2


def test_what_is_exported_can_be_imported(run: Run, database: Path, tmp_path: Path) -> None:
    run(*_ANNA, typed="y\nn\nu\nn\nq\n")
    before = _labels(database)
    path = tmp_path / "out.jsonl"
    assert _last(run("--export", path)) == {"exported": 3, "unsure": 1}
    assert _last(run("--labels", path))["imported"] == 3
    assert _labels(database) == before
    assert {*json.loads(path.read_text().splitlines()[0])} == {
        *("tenant", "turn", "classifier", "label", "reviewer", "source", "at")
    }
    printed = run("--export", "-", "--tenant", "nobody")
    assert (printed.exit_code, printed.stdout) == (0, "")


def test_a_report_gives_rates_of_the_traffic_and_how_far_people_agree(run: Run) -> None:
    run(*_ANNA, typed="n\n" * 30)
    run("--classifier", "safety", "--reviewer", "ben", "--size", "30", typed="n\n" * 9 + "y\nu\n")
    result = run("--classifier", "safety", "--report")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["sample"]["labelled"], told["sample"]["contradictory"]) == (0, 29, 1)
    assert told["estimates"]["positives"][0] == 0.0
    assert told["estimates"]["recall"] == [None, None, None]  # nobody said yes alone
    assert told["reviewers"] == [
        {"reviewer": "anna", "yes": 0, "no": 30, "unsure": 0},
        {"reviewer": "ben", "yes": 1, "no": 9, "unsure": 1},
    ]
    (pair,) = told["agreement"]
    assert (pair["first"], pair["second"], pair["turns"], pair["agreement"][0]) == ("anna", "ben", 10, 0.9)
    assert (pair["kappa"][0], pair["undefined"]) == (0.0, None)
    assert [one["second"] for one in told["judge"]] == ["anna", "ben", "majority"]


def test_without_labels_a_report_is_inconclusive(run: Run) -> None:
    result = run("--classifier", "safety", "--report")
    assert (result.exit_code, json.loads(result.stdout)["estimates"]) == (3, None)
    assert "no labels" in result.stderr


def test_a_person_at_a_terminal_reads_the_report(run: Run, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(*_ANNA, typed="y\n" * 30)
    screen = StringIO()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", screen)
    with open_store(database) as store:
        _review_report.show(_review_report.report(store, _NARROW))
    for part in (
        "30 labelled of 30 drawn from 120 turns",
        "precision, of the findings: 100.0 %",
        "both gave one",
        "judge",
    ):
        assert (part in screen.getvalue()) is (part != "both gave one")


def test_a_report_on_a_terminal_says_why_a_rate_is_unknown(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(*_ANNA, typed="y\nq\n")
    screen = StringIO()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", screen)
    with open_store(database) as store:
        _review_report.show(_review_report.report(store, _NARROW))
    assert "positives, of all turns: -" in screen.getvalue()
    assert "2 of 3 strata have no label yet" in screen.getvalue()


def test_a_stratum_whose_labels_all_contradict_each_other_needs_a_third_reviewer(
    run: Run, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(*_ANNA, typed="n\n" * 30)
    screen = StringIO()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("sys.stdout", screen)
    with open_store(database) as store:
        (sample,) = store.reviews.samples(_NARROW)
        found: dict[int, Answer] = {one.key: "yes" for one in store.reviews.turns(sample) if one.status == "finding"}
        store.reviews.label(found, "safety", reviewer="ben")
        told = _review_report.report(store, _NARROW)
    assert (told["sample"]["strata_contradictory"], told["sample"]["strata_without_label"]) == (1, 1)
    _review_report.show(told)
    assert "all labels of 1 strata contradict each other" in screen.getvalue()
    assert "no label yet" not in screen.getvalue()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--classifier", "safety"), "give --reviewer"),
        (("--reviewer", "anna"), "give --classifier"),
        (("--reviewer", " ", "--classifier", "safety"), "--reviewer is no name"),
        (("--reviewer", "a\x1b[31m", "--classifier", "safety"), "--reviewer is no name"),
        (("--reviewer", "anna", "--classifier", "scope_drift"), "no answered verdict"),
        (("--report", "--export", "-"), "give one of"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, arguments: tuple[str, ...], told: str) -> None:
    result = run(*arguments)
    assert told in f"{result.output} {result.exception}"


# --- what calibrate makes of it ---------------------------------------------------------------------------------------


def _calibrate(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["calibrate", "--classifier", "safety", *map(str, arguments)])


def test_calibrate_weighs_a_reviewed_sample(run: Run) -> None:
    run("--classifier", "safety", "--reviewer", "anna", "--size", "60", typed="n\n" * 60)
    result = _calibrate("--target-fpr", "0.3")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["labels"]["source"], told["labels"]["used"]) == (0, "review", 60)
    assert told["labels"]["sample"] | {"turns": 120, "drawn": 60, "labelled": 60} == told["labels"]["sample"]
    assert "each stratum" in told["guarantee"]
    alerts = told["alerts"]["a_day"] * told["alerts"]["days"]  # of all turns, none of which had anything to find
    assert told["at_threshold"]["false_alarms"][0] == pytest.approx(alerts / 120)
    short = _calibrate("--target-precision", "0.9")
    assert short.exit_code == 3
    assert "no threshold keeps this promise" in short.stderr


def test_turns_that_wait_are_answered_before_a_larger_sample_is_drawn(run: Run) -> None:
    run(*_ANNA, typed="n\n" * 9 + "q\n")
    result = _calibrate("--target-fpr", "0.001")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["decision"]["labels_of"], told["decision"]["more_labels"]) == (3, "all", 111)
    assert "111 more for this claim (all turns that are left, as far as these labels tell)" in result.stderr
    assert "first answer the 21 drawn turns that are open: afterturn review" in result.stderr
    assert told["missing"] in result.stderr


def test_curves_of_a_reviewed_sample_are_drawn_without_a_word_of_a_conversation(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra [data]")
    run("--classifier", "safety", "--reviewer", "anna", "--size", "60", typed="n\ny\ny\n" * 20)
    result = _calibrate("--target-fpr", "0.9", "--plot", "curves.svg")
    picture = (tmp_path / "curves.svg").read_bytes()
    assert (result.exit_code, b"safety 1" in picture, _CANARY.encode() in picture) == (0, True, False)


def test_labels_of_a_sample_of_less_traffic_are_not_taken_and_the_sample_is_named(run: Run) -> None:
    run(*_ANNA, "--tenant", "acme", typed="n\n" * 30)
    result = _calibrate("--target-fpr", "0.1")
    told = json.loads(result.stdout)["labels"]
    assert (result.exit_code, told["source"], told["used"], told["of_other_samples"]) == (3, "none", 0, 30)
    assert "30 labelled turns are of samples of other traffic" in result.stderr
    assert "there are samples of: --tenant acme" in result.stderr
    report = json.loads(run("--classifier", "safety", "--report").stdout)
    assert (report["sample"], report["other_samples"]) == (None, "--tenant acme")
    own = run("--classifier", "safety", "--reviewer", "anna", "--size", "30", typed="q\n")
    assert _last(own)["left"] == 0  # the same turns: nothing is asked again
    assert json.loads(_calibrate("--target-fpr", "0.1").stdout)["labels"]["source"] == "review"


def test_a_tenant_is_judged_by_its_part_of_a_sample_of_all(run: Run, database: Path) -> None:
    with open_store(database, clock=lambda: _START) as store:
        for number in range(200, 240):
            _judge(store, number, "other")
    run("--classifier", "safety", "--reviewer", "anna", "--size", "80", typed="n\n" * 80)
    told = json.loads(_calibrate("--target-fpr", "0.5", "--tenant", "other").stdout)["labels"]
    assert (told["source"], told["sample"]["tenant"], told["sample"]["turns"]) == ("review", None, 40)
    assert told["used"] == told["sample"]["drawn"] < 80
    report = json.loads(run("--classifier", "safety", "--report", "--tenant", "other").stdout)
    assert report["sample"]["turns"] == 40


def test_calibrate_takes_imported_labels_as_drawn_at_random_and_a_file_before_both(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    rows = [{"turn": f"t-{number}", "classifier": "safety", "label": number % 6 == 0} for number in range(100)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("--labels", path)
    stored = json.loads(_calibrate("--target-fpr", "0.1").stdout)
    assert (stored["labels"]["source"], stored["labels"]["positives"], stored["labels"]["negatives"]) == (
        "stored",
        17,
        83,
    )
    run(*_ANNA, typed="q\n")
    reviewed = json.loads(_calibrate("--target-fpr", "0.1").stdout)
    assert reviewed["labels"]["source"] == "review"
    assert reviewed["labels"]["used"] + reviewed["labels"]["outside_the_sample"] == 100
    given = json.loads(_calibrate("--target-fpr", "0.1", "--labels", path).stdout)
    assert (given["labels"]["source"], given["labels"]["used"]) == ("file", 100)
    assert (given["threshold"], given["points"]) == (stored["threshold"], stored["points"])
