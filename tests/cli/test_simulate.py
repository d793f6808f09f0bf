"""`afterturn simulate` and `afterturn personas`: exit codes, what is printed, what is kept."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.errors import InputError, UnreadableInputError, UsageError

AGENT = """
def helps(row):
    if "20417" in row.text: return "It arrives on Monday."
    return "Noted." if "outside" in row.text else "What is the order number?"

def calls(row): return {"text": "I look.", "tool_calls": [{"name": "find_order", "arguments": {"id": 1}}]}
def broken(row): raise RuntimeError("no")
"""
SCENARIOS = """\
{"id": "late", "persona": "hurried_en", "assert": ["ended:goal_reached"]}
{"id": "hello", "input": "Hello!", "expected_tool_calls": []}
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("AFTERTURN_JUDGE", raising=False)
    (tmp_path / "sim_agent.py").write_text(AGENT)
    (tmp_path / "scenarios.jsonl").write_text(SCENARIOS)
    yield
    sys.modules.pop("sim_agent", None)


def ran(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def simulate(agent: str, *arguments: str) -> Result:
    return ran("simulate", "scenarios.jsonl", "--target", f"sim_agent:{agent}", *arguments)


def test_a_dry_run_prints_one_conversation_and_writes_nothing() -> None:
    result = simulate("helps", "--dry-run")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == [
        " customer: my parcel was due two days ago. when does it come?",
        "    agent: What is the order number?",
    ]
    assert "ended: goal_reached after 3 turns, customer played by script" in result.stdout
    assert "the first of 2 conversations is played" in result.stderr
    assert list(Path().glob("*.jsonl")) == [Path("scenarios.jsonl")]


@pytest.mark.parametrize(
    ("agent", "scenario", "code", "line"),
    [
        ("helps", "hello", 0, "holds: expected_tool_calls"),
        ("calls", "hello", 1, '    agent: [calls find_order {"id": 1}]'),
        ("broken", "late", 3, "agent_error: raised RuntimeError: no"),
    ],
)
def test_a_dry_run_ends_by_what_came_of_it(agent: str, scenario: str, code: int, line: str) -> None:
    result = simulate(agent, "--dry-run", "--id", scenario)
    assert (result.exit_code, line in result.stdout.splitlines()) == (code, True)


def test_a_dry_run_as_json_holds_the_conversation() -> None:
    told = json.loads(simulate("helps", "--dry-run", "--id", "hello", "--json").stdout)
    assert (told["id"], told["state"], told["simulation"]["stop"]) == ("hello", "pass", "script_over")
    assert [message["content"] for message in told["conversation"]] == ["Hello!", "What is the order number?"]


def test_a_run_keeps_conversations_and_turns_and_goes_on_where_it_was() -> None:
    result = simulate("helps", "-o", "run.jsonl", "--turns", "turns.jsonl")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["outcome"], told["states"]["pass"]) == (0, "passed", 2)
    assert told["simulation"]["hurried_en"]["stops"] == {"goal_reached": 1}
    assert len(Path("turns.jsonl").read_text().splitlines()) == 4
    lines = Path("run.jsonl").read_bytes().splitlines(keepends=True)
    Path("run.jsonl").write_bytes(b"".join(lines[:2]))
    assert simulate("helps", "-o", "run.jsonl", "--resume").exit_code == 0
    assert ran("eval", "report", "run.jsonl").exit_code == 0


def test_eval_resume_goes_on_with_a_simulation_as_it_was_begun() -> None:
    begun = ("--assert", "ended:goal_reached|script_over", "--max-turns", "5", "--id", "late", "--personas", "all")
    assert simulate("broken", "-o", "run.jsonl", *begun, "--json").exit_code == 3
    Path("sim_agent.py").write_text(AGENT.replace('raise RuntimeError("no")', "return helps(row)"))
    sys.modules.pop("sim_agent")
    result = ran("eval", "resume", "run.jsonl", "--retry-errors")
    assert "1 conversations that ended in an error are done again" in result.stderr
    assert (result.exit_code, json.loads(result.stdout)["states"]["pass"]) == (0, 1)
    header = json.loads(Path("run.jsonl").read_text().splitlines()[0])
    target = ("--target", "sim_agent:broken")
    assert sorted(header["command"]) == sorted(["simulate", "scenarios.jsonl", *target, *begun])


def test_eval_resume_says_where_a_simulation_begun_from_python_goes_on() -> None:
    assert simulate("helps", "-o", "run.jsonl").exit_code == 0
    first, *rest = Path("run.jsonl").read_text().splitlines(keepends=True)
    Path("run.jsonl").write_text(json.dumps({**json.loads(first), "command": []}) + "\n" + "".join(rest))
    told = str(ran("eval", "resume", "run.jsonl").exception)
    assert told.startswith("run.jsonl is a run of `afterturn simulate` that was begun from Python")


def test_an_agent_that_breaks_makes_the_run_inconclusive_and_can_be_tried_again() -> None:
    assert simulate("broken", "-o", "run.jsonl").exit_code == 3
    Path("sim_agent.py").write_text(AGENT.replace('raise RuntimeError("no")', 'return "Monday, which order number?"'))
    sys.modules.pop("sim_agent")
    result = simulate("broken", "-o", "run.jsonl", "--resume", "--retry-errors")
    assert json.loads(result.stdout)["states"]["agent_error"] == 0
    assert "2 conversations that ended in an error are done again" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--id", "nowhere"), "has no scenario 'nowhere'"),
        (("--resume",), "name it: --out FILE"),
        (("--retry-errors",), "name it: --out FILE --resume"),
        (("--simulator", "encoder"), "the encoder cannot play a customer"),
        (("--personas", "bob"), "no persona is called 'bob'"),
        (("--rubric", "conversation"), "a rubric needs a judge"),
    ],
)
def test_what_cannot_be_run_is_told_before_anything_is_asked(arguments: tuple[str, ...], told: str) -> None:
    result = simulate("broken", *arguments)
    assert isinstance(result.exception, UsageError)
    assert told in str(result.exception)


def test_scenarios_that_check_nothing_are_refused() -> None:
    Path("scenarios.jsonl").write_text('{"input": "Hi"}\n')
    result = simulate("helps")
    assert isinstance(result.exception, UsageError)
    Path("scenarios.jsonl").write_text('{"id": "a"}\n')
    assert isinstance(simulate("helps").exception, InputError)


def test_personas_are_listed_shown_and_checked() -> None:
    assert len(ran("personas", "list").stdout.splitlines()) == 8
    Path("mine.yaml").write_text(ran("personas", "show", "angry_fr").stdout)
    assert json.loads(ran("personas", "check", "mine.yaml").stdout) == {
        "personas": 1,
        "without_script": [],
        "without_goal": [],
    }
    Path("mine.yaml").write_text("- {id: a, patience: never}")
    assert isinstance(ran("personas", "check", "mine.yaml").exception, UnreadableInputError)
