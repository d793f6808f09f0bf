"""`afterturn eval`: exit codes, what is kept when it is killed or interrupted, and what stands where."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, Replies
from typer.testing import CliRunner, Result

from afterturn.calls import Judge
from afterturn.cli._app import app
from afterturn.errors import AfterturnError, InputError
from afterturn.testing import ScriptedJudge

AGENT = '''
import os, pathlib, time

def right(row): return f"It is {row['expected']}."
def wrong(row): return "No idea."
def broken(row): raise RuntimeError("no")
def bracketed(row): raise RuntimeError("no [/b] tag [x]")
def half(row): return "It is 2." if row["id"] in ("r0", "r1") else None
def patient(row):
    """Notes that it was asked, and from the fifth row on waits until a file is there."""
    with open("asked.txt", "a") as stream: stream.write(row["id"] + "\\n")
    while int(row["id"][1:]) >= 5 and not os.path.exists("go"): time.sleep(0.01)
    return f"It is {row['expected']}."
'''


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("AFTERTURN_JUDGE", raising=False)
    (tmp_path / "shop_agent.py").write_text(AGENT)
    data(4)
    yield
    sys.modules.pop("shop_agent", None)


def data(count: int) -> None:
    lines = [{"id": f"r{number}", "input": f"{number}?", "expected": "2"} for number in range(count)]
    Path("rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def evals(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["eval", *arguments])


def run(agent: str, *arguments: str, out: str = "run.jsonl") -> Result:
    return evals("run", "rows.jsonl", "--target", f"shop_agent:{agent}", "-o", out, *arguments)


def figures(result: Result) -> dict[str, Any]:
    return json.loads(result.stdout)


def test_assertions_alone_need_no_judge() -> None:
    result = run("right", "--assert", "contains")
    assert result.exit_code == 0
    found = figures(result)
    assert (found["outcome"], found["states"]["pass"], found["score"]["mean"]) == ("passed", 4, None)
    assert found["assertions"] == {"contains": {"mean": 1.0, "count": 4, "coverage": 1.0}}
    assert [json.loads(line)["type"] for line in Path("run.jsonl").read_text().splitlines()] == [
        "run",
        *["result"] * 4,
        "summary",
    ]


@pytest.mark.parametrize(
    ("agent", "exit_code", "reason"),
    [("wrong", 1, "assertion"), ("broken", 3, "nothing_judged"), ("half", 3, "low_coverage")],
)
def test_the_exit_code_tells_failed_from_inconclusive(agent: str, exit_code: int, reason: str) -> None:
    result = run(agent, "--assert", "contains")
    assert (result.exit_code, figures(result)["reason"]) == (exit_code, reason)
    assert evals("report", "run.jsonl").exit_code == exit_code


def test_the_least_coverage_and_pass_rate_can_be_set() -> None:
    assert run("half", "--assert", "contains", "--min-coverage", "0.5").exit_code == 0
    assert run("wrong", "--assert", "contains", "--min-pass-rate", "0", out="b.jsonl").exit_code == 0


def test_an_empty_dataset_is_inconclusive() -> None:
    data(0)
    result = run("right", "--assert", "contains")
    assert (result.exit_code, figures(result)["reason"]) == (3, "empty")


def test_bad_lines_are_told_and_lower_the_coverage() -> None:
    with Path("rows.jsonl").open("a") as stream:
        stream.write("{broken\n")
    result = run("right", "--assert", "contains")
    found = figures(result)
    assert (result.exit_code, found["reason"], found["bad_lines"]) == (3, "low_coverage", 1)
    assert (found["planned"], found["pass_rate"]["coverage"], found["reasons"]) == (5, 0.8, {"skipped:bad_line": 1})
    assert "rows.jsonl:5: not valid JSON" in result.stderr


@pytest.mark.parametrize("format", ["terminal", "html", "junit", "markdown", "jsonl"])
def test_every_report_names_a_bad_line_by_file_and_number(format: str) -> None:
    with Path("rows.jsonl").open("a") as stream:
        stream.write("{broken\n")
    run("right", "--assert", "contains")
    told = evals("report", "run.jsonl", "--format", format).stdout
    assert "rows.jsonl:5" in told.replace("\\", "")
    assert "bad_line" in told.replace("\\", "")


def test_a_misspelt_key_of_a_row_is_refused_before_the_agent_is_asked() -> None:
    row = {"id": "a", "input": "q", "expected": "2", "expectd_tool_calls": ["find"]}
    Path("rows.jsonl").write_text(json.dumps(row) + "\n")
    result = run("right", "--assert", "contains")
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith("rows.jsonl:1: a row has no key 'expectd_tool_calls'; did you mean")
    assert not Path("run.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--rubric", "correctness"], "a rubric needs a judge"),
        (["--assert", "contains", "--judge", "openai:m"], "--judge has nothing to grade by"),
        ([], "nothing to check"),
        (["--assert", "contain:x"], "did you mean contains"),
        (["--rubric", "nothing", "--judge", "openai:m"], "no rubric is called"),
        (["--rubric", "safety", "--judge", "no-judge"], "no judge has this name"),
        (["--assert", "contains", "--prices", "no.yaml"], "price table cannot be read"),
        (["--rubric", "safety", "--rubric", "safety", "--judge", "openai:m"], "two rubrics have the same name"),
        (["--rubric", "safety", "--judge", "openai:m", "--max-cost", "1"], "needs the price of openai:m"),
        (["--rubric", "safety", "--judge", "encoder"], "the encoder cannot grade safety"),
        (["--assert", "contains", "--format", "inspekt"], "did you mean inspect"),
    ],
)
def test_what_cannot_be_run_says_why_before_an_agent_is_asked(arguments: list[str], problem: str) -> None:
    result = run("broken", *arguments)
    assert isinstance(result.exception, AfterturnError)
    assert problem in str(result.exception)
    assert not Path("run.jsonl").exists()


def test_what_is_not_checked_of_a_file_of_promptfoo_is_told() -> None:
    asserted = "[{type: contains, value: two}, {type: javascript, value: 1}, {type: llm-rubric, value: is kind}]"
    Path("pf.yaml").write_text(f"prompts: ['{{{{q}}}}']\ntests: [{{vars: {{q: two}}, assert: {asserted}}}]\n")
    result = evals("run", "pf.yaml", "--target", "shop_agent:wrong", "-o", "pf.jsonl")
    assert (result.exit_code, figures(result)["reason"]) == (1, "assertion")
    assert "1 assertions of promptfoo of the type javascript are not checked" in result.stderr
    assert "1 rows have criteria for a judge (llm-rubric), unchecked: give --rubric custom" in result.stderr


def test_the_run_of_another_is_never_written_over() -> None:
    assert run("right", "--assert", "contains").exit_code == 0
    before = Path("run.jsonl").read_bytes()
    assert isinstance(run("wrong", "--assert", "contains").exception, AfterturnError)
    assert Path("run.jsonl").read_bytes() == before


def test_a_cap_over_an_agent_of_unknown_price_is_inconclusive_and_keeps_its_row() -> None:
    result = run("right", "--assert", "contains", "--max-cost", "1")
    assert (result.exit_code, figures(result)["reason"], figures(result)["done"]) == (3, "unknown_price", 1)
    assert "give the price of agent and judge by --prices FILE" in result.stderr
    Path("prices.yaml").write_text("shop_agent:right: {usd_per_call: 0.4}\n")
    result = run("right", "--assert", "contains", "--max-cost", "1", "--prices", "prices.yaml", out="b.jsonl")
    assert (result.exit_code, figures(result)["reason"], figures(result)["done"]) == (3, "cost_cap", 2)
    result = evals("resume", "b.jsonl", "--max-cost", "2", "--prices", "prices.yaml")
    assert (result.exit_code, figures(result)["done"]) == (0, 4)
    assert figures(result)["cost_usd"] == pytest.approx(1.6)


def test_errors_are_done_again_where_that_is_asked_for() -> None:
    assert run("half", "--assert", "contains").exit_code == 3
    assert evals("resume", "run.jsonl").exit_code == 3
    result = evals("resume", "run.jsonl", "--retry-errors")
    assert "2 results that ended in an error are done again" in result.stderr
    lines = [json.loads(line) for line in Path("run.jsonl").read_text().splitlines()]
    assert sorted(line["row"]["id"] for line in lines if line["type"] == "result") == ["r0", "r1", "r2", "r3"]


async def test_a_model_grades_under_a_rubric_and_prose_is_no_score(server: FakeServer, replies: Replies) -> None:
    server.says(replies.chat('{"reasoning": "It fits.", "score": 88}'), replies.chat("I give it 100: {}"))
    words = ("run", "rows.jsonl", "--target", "shop_agent:right", "--rubric", "correctness", "--judge", "openai:m")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "afterturn", "eval", *words, "-j", "1", "-o", "run.jsonl"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "OPENAI_BASE_URL": server.base_url},
    )
    out, _ = await process.communicate()
    found = json.loads(out)
    assert (process.returncode, found["reason"]) == (3, "low_coverage")
    assert found["states"] == {"pass": 1, "fail": 0, "agent_error": 0, "judge_error": 3, "skipped": 0}
    assert found["reasons"] == {"judge_error:invalid_json": 3}
    assert found["score"] == {"mean": 88.0, "count": 1, "coverage": 0.25}
    assert "Score how right the reply is" in server.bodies[0]["messages"][1]["content"]


def _process(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "afterturn", "eval", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def _wait_for_rows(process: subprocess.Popen[str], count: int) -> None:
    """Waits until the agent has been asked so many rows."""
    while not Path("asked.txt").exists() or len(Path("asked.txt").read_text().splitlines()) < count:
        assert process.poll() is None, process.communicate()[1]


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed_or_interrupted_goes_on_with_nothing_lost_or_done_twice(sent: signal.Signals) -> None:
    data(10)
    process = _process(
        "run", "rows.jsonl", "--target", "shop_agent:patient", "--assert", "contains", "-j", "1", "-o", "k.jsonl"
    )
    _wait_for_rows(process, 6)
    os.killpg(process.pid, sent)
    process.communicate(timeout=20)
    assert process.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130}[sent]
    assert evals("report", "k.jsonl").exit_code == 3
    Path("go").touch()
    result = evals("resume", "k.jsonl")
    assert (result.exit_code, figures(result)["done"]) == (0, 10)
    lines = [json.loads(line) for line in Path("k.jsonl").read_text().splitlines()]
    ids = [line["row"]["id"] for line in lines if line["type"] == "result"]
    assert sorted(ids) == sorted(f"r{number}" for number in range(10))
    asked = Path("asked.txt").read_text().splitlines()
    assert sorted(asked) == sorted([*(f"r{number}" for number in range(10)), "r5"])  # r5 was under way


def test_an_agent_that_hangs_for_good_keeps_nobody_from_leaving() -> None:
    data(7)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "afterturn", "eval", "run", "rows.jsonl", "--target", "shop_agent:patient"),
            *("--assert", "contains", "--deadline", "0.3", "-o", "k.jsonl"),
        ],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 3
    assert json.loads(done.stdout)["reasons"] == {"agent_error:timeout": 2}


def test_the_judge_has_the_time_that_the_run_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def opening(name: str, *, deadline_s: float | None = None, retries: bool = True) -> Judge:
        given.extend([deadline_s] if deadline_s else [])  # it is opened once before, to see whether there is one
        return ScriptedJudge({"reasoning": "It is 2.", "score": 90}, name=name)

    monkeypatch.setattr("afterturn.judges.open_judge", opening)
    graded = ("--rubric", "correctness", "--judge", "openai:m", "--deadline", "600")
    assert run("right", *graded).exit_code == 0
    assert evals("resume", "run.jsonl").exit_code == 0
    attacked = ("redteam", "--target", "shop_agent:wrong", "--families", "override", "--limit", "1", "-o", "a.jsonl")
    CliRunner().invoke(app, [*attacked, *graded[2:]])
    assert given == [600, 600, 600]


def test_a_report_that_is_asked_for_is_given_in_a_pipe_and_in_a_file() -> None:
    run("half", "--assert", "contains")
    piped = evals("report", "run.jsonl", "--format", "terminal")
    saved = evals("report", "run.jsonl", "--format", "terminal", "-o", "report.txt", "--rows", "0")
    assert (piped.exit_code, saved.exit_code) == (3, 3)
    assert "pass rate" in piped.stdout
    assert "no_reply" in piped.stdout.split("pass rate")[0]
    assert (saved.stdout, "pass rate" in Path("report.txt").read_text()) == ("", True)
    assert "\x1b" not in piped.stdout + Path("report.txt").read_text()
    assert figures(evals("report", "run.jsonl"))["done"] == 4  # not asked for: JSON in a pipe
    refused = evals("report", "run.jsonl", "--format", "terminal", "--json")
    assert isinstance(refused.exception, AfterturnError)
    assert "give one of them" in str(refused.exception)


def test_brackets_in_a_message_are_shown_and_are_no_markup() -> None:
    run("bracketed", "--assert", "contains")
    assert "RuntimeError: no [/b] tag [x]" in evals("report", "run.jsonl", "--format", "terminal").stdout
