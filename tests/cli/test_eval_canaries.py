"""A password that an agent or a judge lets slip stands in no file, report or terminal of a run."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.errors import JudgeError
from afterturn.evals import Prices, Reply, Row, Score, load_rubric, open_grader, read_row
from afterturn.evals.reports import report_formats
from afterturn.integrations._rows import graded
from afterturn.integrations.checker import Checker, assert_passed
from afterturn.testing import ScriptedJudge

CANARY = "SwordfishCanary"
SLIPS = (
    f"no answer from https://ann:{CANARY}@api.example/v1",
    f"sent Authorization: Bearer {CANARY}",
    f"sent {{'Authorization': '{CANARY}'}}",
    f"login failed: password={CANARY}",
    f"login failed, password: {CANARY}",
    f'connect(user="ann", password="{CANARY} {CANARY}")',
    f"GET https://api.example/?api_key={CANARY}&page=1",
    f'{{"x-api-key": "{CANARY}"}}',
    f"SHOP_TOKEN={CANARY}1, SHOP_API_KEY={CANARY}",
)
AGENT = f"""
SLIPS = {SLIPS!r}

def leaky(row):
    slip = SLIPS[int(row["id"][1:])]
    raise RuntimeError(slip)
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "leaky_agent.py").write_text(AGENT)
    lines = [{"id": f"r{number}", "input": "Hello?"} for number in range(len(SLIPS))]
    Path("rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    yield
    sys.modules.pop("leaky_agent", None)


def evals(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["eval", *arguments])


def test_what_an_agent_raises_is_told_without_its_secrets_everywhere() -> None:
    done = evals("run", "rows.jsonl", "--target", "leaky_agent:leaky", "--assert", "contains:x", "-o", "run.jsonl")
    told = {"run file": Path("run.jsonl").read_text(), "run": done.output}
    for name in (*report_formats(), "terminal"):
        told[name] = evals("report", "run.jsonl", "--format", name).output
    assert done.exit_code == 3
    assert [name for name, text in told.items() if CANARY in text] == []
    assert [name for name, text in told.items() if "[secret]" not in text] == ["run", "markdown"]  # no messages


@pytest.mark.parametrize("slip", SLIPS)
def test_what_a_judge_raises_is_told_without_its_secrets_in_files_and_in_memory(slip: str) -> None:
    judge = ScriptedJudge(JudgeError(slip))
    with Checker(str, rubrics=["helpfulness"], judge=judge) as checker:
        result = checker.check({"input": "How long?"})
    with pytest.raises(AssertionError) as failed:
        assert_passed(result)
    assert result.state == "judge_error"
    assert "[secret]" in result.message
    assert CANARY not in f"{result!r} {failed.value}"


def test_what_a_judge_raises_reaches_other_tools_without_secrets_and_without_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def leaky(row: Row, reply: Reply) -> Score:
        try:
            raise ValueError(CANARY)
        except ValueError as error:
            raise JudgeError(SLIPS[0]) from error

    grader = open_grader(load_rubric("helpfulness"), ScriptedJudge({}), prices=Prices({}))
    monkeypatch.setattr(grader, "grade", leaky)
    with pytest.raises(JudgeError) as raised:
        asyncio.run(graded(grader, read_row({"input": "Hi"}), Reply(text="Hello")))
    assert (str(raised.value), raised.value.hint) == (SLIPS[0].replace(CANARY, "[secret]"),) * 2
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)


def test_the_password_of_a_command_under_test_is_shown_in_no_figures() -> None:
    target = f"command:{sys.executable} -c 'print(1)' --password={CANARY}"
    done = evals("run", "rows.jsonl", "--target", target, "--assert", "contains:1", "-o", "run.jsonl")
    report = evals("report", "run.jsonl", "--format", "terminal")
    assert (done.exit_code, report.exit_code) == (0, 0)
    assert "--password=[secret]" in report.output
    assert CANARY not in Path("run.jsonl").read_text() + done.output + report.output
