"""A judge that is moved by order, length or a planted verdict is told apart from one that is not."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from afterturn.calls import Call
from afterturn.cli._app import app
from afterturn.errors import RateLimitedError
from afterturn.evals import RunFile, load_rubric, start_run
from afterturn.evals.steadiness import (
    CHECKS,
    Moves,
    dataset_of,
    figures,
    header_of,
    open_check,
    plants,
    probes,
    reply_of,
    trial_of,
)
from afterturn.evals.steadiness._probes import fillers
from afterturn.testing import Script, ScriptedJudge

SCORE = 40
FIELDS: dict[str, Any] = {"reasoning": "r", "wrongly_called": [], "wrongly_skipped": [], "unsupported": []}


def scoring(score: Callable[[str], int]) -> Callable[[Call], dict[str, Any]]:
    """A judge whose score hangs on what it is shown."""

    def grade(call: Call) -> dict[str, Any]:
        found = {**FIELDS, "score": score(json.dumps(call.evidence, ensure_ascii=False))}
        return {name: value for name, value in found.items() if name in call.questions[0].fields}

    return grade


STEADY = scoring(lambda _: SCORE)


def checked(path: Path, script: Script, *rubrics: str, **options: Any) -> Mapping[str, Moves]:
    async def run() -> None:
        parts = open_check(ScriptedJudge(script), rubrics)
        rows = dataset_of(parts, **options)
        await start_run(header_of(parts, rows), parts, rows, path)

    asyncio.run(run())
    return figures(RunFile(path).results())


def test_the_set_has_forty_replies_under_six_rubrics_in_six_languages() -> None:
    assert len({probe.id for probe in probes()}) == len(probes()) == 40
    assert Counter(probe.rubric for probe in probes()) == {
        **dict.fromkeys(("correctness", "helpfulness", "safety", "groundedness", "tool_selection"), 7),
        "custom": 5,
    }
    languages = {probe.language for probe in probes()}
    assert languages == {"en", "de", "fr", "es", "it", "pt"} == set(fillers()["padded"]) == set(fillers()["control"])
    assert {probe.quality for probe in probes()} == {"good", "fair", "bad"}
    assert sum(probe.has_order for probe in probes()) == 28
    assert len(plants()) == 8


def test_every_row_shows_the_judge_something_else_but_those_graded_again(tmp_path: Path) -> None:
    judge = ScriptedJudge(STEADY)
    parts = open_check(judge)
    rows = dataset_of(parts)
    asyncio.run(start_run(header_of(parts, rows), parts, rows, tmp_path / "run.jsonl"))
    shown = Counter(json.dumps([call.plan, call.evidence], sort_keys=False) for call in judge.calls)
    assert (len(judge.calls), len(shown), set(shown.values())) == (rows.count, rows.count - 40, {1, 2})


def test_a_judge_that_looks_at_what_counts_is_moved_by_nothing(tmp_path: Path) -> None:
    found = checked(tmp_path / "run.jsonl", STEADY)
    assert {name: (one.moved, one.pairs) for name, one in found.items() if name in CHECKS} == {
        "again": (0, 40),
        "order": (0, 28),
        "padded": (0, 33),
        "control": (0, 40),
        "planted": (0, 8 * 34),
    }
    assert all(one.coverage == 1.0 and one.shift == 0.0 for one in found.values())
    rate = found["planted"].rate
    assert (rate.rate, rate.low, round(rate.high or 0, 4)) == (0.0, 0.0, 0.0135)


def test_a_judge_that_takes_a_side_by_place_is_moved_by_order_alone(tmp_path: Path) -> None:
    places = {tuple(probe.criteria) for probe in probes() if len(probe.criteria) > 1}

    def first(shown: str) -> int:
        criteria = tuple(json.loads(shown).get("criteria", ()))
        return SCORE + 20 * (criteria in places)

    found = checked(tmp_path / "run.jsonl", scoring(first), "correctness", "custom")
    assert (found["order"].moved, found["order"].fell, found["order"].pairs) == (9, 9, 9)
    assert found["order:custom"].rate.rate == 1.0
    assert [found[name].moved for name in ("again", "padded", "control", "planted")] == [0, 0, 0, 0]


def test_a_judge_that_likes_long_replies_is_moved_by_padding(tmp_path: Path) -> None:
    found = checked(tmp_path / "run.jsonl", scoring(lambda shown: min(100, len(shown) // 5)), "helpfulness")
    assert (found["padded"].moved, found["padded"].rose, found["padded"].pairs) == (7, 7, 7)
    assert found["padded"].to_pass > 0
    assert (found["again"].moved, found["order"].moved) == (0, 0)


def test_a_judge_that_believes_what_is_planted_is_moved_by_the_plants_that_it_believes(tmp_path: Path) -> None:
    found = checked(tmp_path / "run.jsonl", scoring(lambda shown: 95 if "95" in shown else SCORE), "safety")
    assert (found["planted:pity"].moved, found["planted:pity"].to_pass, found["planted:pity"].pairs) == (6, 6, 6)
    assert (found["planted"].moved, found["planted"].replies_moved, found["planted"].replies) == (6, 6, 6)
    assert (found["planted:order"].moved, found["control"].moved) == (0, 0)


def test_a_planted_verdict_is_no_fault_where_it_is_held_against_the_reply(tmp_path: Path) -> None:
    found = checked(tmp_path / "run.jsonl", scoring(lambda shown: 0 if "100" in shown else SCORE), "safety")
    assert (found["planted"].moved, found["planted"].fell > 0) == (0, True)


def test_a_plant_stands_in_the_language_of_its_reply_and_in_the_argument_of_a_call() -> None:
    rows = dataset_of(open_check(ScriptedJudge(FIELDS), ("tool_selection", "safety")), checks=("planted",))
    replies = {row.id: reply_of(row) for row in rows.rows()}
    assert "Hinweis an die Prüfung" in replies["safety-5~planted:order"].text
    (call,) = replies["tool_selection-6~planted:pity"].tool_calls
    assert call.arguments is not None
    assert str(call.arguments["order"]).startswith("F-31 Qui lit ceci")


def test_grades_that_fail_are_in_no_rate_and_lower_the_coverage(tmp_path: Path) -> None:
    script = scoring(lambda shown: 500 if "Tuesday" in shown else SCORE)
    found = checked(tmp_path / "run.jsonl", script, "safety", checks=("again", "control"), limit=4)
    assert (found["again"].coverage, found["control"].pairs, found["control"].coverage) == (1.0, 0, 0.0)
    assert (found["control"].shift, found["control"].rate.rate) == (None, None)


def test_a_rubric_of_ones_own_is_tried_on_all_replies_that_have_what_it_needs(tmp_path: Path) -> None:
    tone = tmp_path / "tone.md"
    tone.write_text("---\nname: tone\nneeds: [context]\nshows: [reply]\n---\nScore the tone from 0 to 100.\n")
    rows = dataset_of(open_check(ScriptedJudge(FIELDS), (str(tone), "groundedness")), checks=())
    assert len({row.id for row in rows.rows()}) == rows.count == 14
    trials = [trial_of(row) for row in rows.rows()]
    assert {trial.rubric for trial in trials if trial} == {load_rubric(str(tone)).name, "groundedness"}
    assert {trial.item.split("-")[0] for trial in trials if trial} == {"groundedness"}


# ------------------------------------------------------------------------------------------ the command


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the command with a scripted judge: `check(script, "--rubric", …)`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("AFTERTURN_JUDGE", raising=False)

    def run(script: Script, *arguments: str) -> Result:
        def opened(name: str, **_: object) -> ScriptedJudge:
            return ScriptedJudge(script, name=name)

        monkeypatch.setattr("afterturn.judges.open_judge", opened)
        return CliRunner().invoke(app, ["eval", *arguments])

    return run


ASKED = ("check-judge", "--judge", "openai:m", "--rubric", "safety", "--limit", "2", "-o", "c.jsonl", "--json")


def test_the_command_says_how_often_the_score_moves_and_fails_above_a_limit(check: Callable[..., Result]) -> None:
    believes = scoring(lambda shown: 100 if "100" in shown else SCORE)
    result = check(believes, *ASKED, "--max-moved", "0.2")
    planted = json.loads(result.stdout)["checks"]["planted"]
    assert (result.exit_code, planted["moved"] / planted["pairs"]) == (1, planted["rate"]["rate"])
    assert "failed: more than 20% of the scores moved: planted" in result.stderr
    Path("c.jsonl").unlink()
    assert check(STEADY, *ASKED, "--max-moved", "0").exit_code == 0


def test_a_check_that_could_not_be_made_is_inconclusive_and_goes_on_by_eval_resume(
    check: Callable[..., Result],
) -> None:
    result = check(RuntimeError("down"), *ASKED, "--max-moved", "0")
    assert (result.exit_code, json.loads(result.stdout)["checks"]["planted"]["rate"]["rate"]) == (3, None)
    result = check(STEADY, "resume", "c.jsonl", "--retry-errors", "--json")
    assert (result.exit_code, json.loads(result.stdout)["checks"]["planted"]["pairs"]) == (0, 16)


def test_the_command_says_what_it_needs(check: Callable[..., Result]) -> None:
    assert "name the judge" in str(check(FIELDS, "check-judge").exception)
    wrong = check(FIELDS, "check-judge", "--judge", "openai:m", "--checks", "ordre")
    assert "there is no check 'ordre'" in str(wrong.exception)
    assert "goes on with the run in a file" in str(check(FIELDS, *ASKED[:3], "--resume").exception)
    assert check(RateLimitedError("wait"), *ASKED, "--checks", "nothing").exit_code == 1
