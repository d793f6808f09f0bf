"""`eval resume` of a run whose agent held a secret, and price tables that the run cannot use."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.errors import UsageError

KEY = "sk-abcdefghijklmnop1234567890"
AGENT = """
import pathlib, sys
sys.stdin.read()
with open("asked.txt", "a") as stream: stream.write(sys.argv[1] + "\\n")
print("two")
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("AFTERTURN_JUDGE", raising=False)
    Path("agent.py").write_text(AGENT)
    Path("priced_agent.py").write_text("def answer(row): return 'two'\n")
    rows = [{"id": f"r{number}", "input": f"{number}?", "expected": "two"} for number in range(2)]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    yield
    sys.modules.pop("priced_agent", None)


def command(key: str = KEY) -> str:
    return f"command:{sys.executable} agent.py --api-key={key}"


def afterturn(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def cut_off(path: str) -> None:
    """Leaves the header and one result, as a kill would."""
    Path(path).write_text("".join(Path(path).read_text().splitlines(keepends=True)[:2]))
    Path("asked.txt").unlink()


def begun() -> None:
    done = afterturn("eval", "run", "rows.jsonl", "--target", command(), "--assert", "contains", "-o", "run.jsonl")
    assert done.exit_code == 0
    assert KEY not in Path("run.jsonl").read_text()
    cut_off("run.jsonl")


def test_a_target_whose_secret_is_not_in_the_file_is_never_asked_without_it() -> None:
    begun()
    before = Path("run.jsonl").read_bytes()
    done = afterturn("eval", "resume", "run.jsonl", "--retry-errors")
    assert isinstance(done.exception, UsageError)
    assert "held a secret, which the file does not keep; give it once more" in str(done.exception)
    done = afterturn("eval", "resume", "run.jsonl", "--target", command("sk-another-key-0000000000"), "--retry-errors")
    assert "have changed since the run began" in str(done.exception)
    assert (Path("asked.txt").exists(), Path("run.jsonl").read_bytes()) == (False, before)


def test_a_run_goes_on_where_its_target_is_given_once_more() -> None:
    begun()
    done = afterturn("eval", "resume", "run.jsonl", "--target", command())
    assert (done.exit_code, Path("asked.txt").read_text()) == (0, f"--api-key={KEY}\n")
    assert KEY not in Path("run.jsonl").read_text()


def test_a_red_team_run_asks_for_the_secret_of_its_target_too() -> None:
    words = ("--families", "override", "--limit", "2", "--no-lookalikes", "--min-coverage", "0", "-o", "red.jsonl")
    afterturn("redteam", "--target", command(), *words)
    cut_off("red.jsonl")
    done = afterturn("eval", "resume", "red.jsonl")
    assert "held a secret" in str(done.exception)
    afterturn("eval", "resume", "red.jsonl", "--target", command())
    assert Path("asked.txt").read_text() == f"--api-key={KEY}\n"


def test_results_are_kept_where_the_parts_are_not_those_of_the_run() -> None:
    Path("priced_agent.py").write_text("def answer(row): raise RuntimeError('no')\n")
    words = ("--target", "priced_agent:answer", "--assert", "contains", "-o", "run.jsonl")
    assert afterturn("eval", "run", "rows.jsonl", *words).exit_code == 3
    before = Path("run.jsonl").read_bytes()
    done = afterturn("eval", "resume", "run.jsonl", "--target", "priced_agent:other", "--retry-errors")
    assert isinstance(done.exception, UsageError)
    assert Path("run.jsonl").read_bytes() == before


def test_a_report_or_turns_never_take_the_place_of_what_a_run_is_made_of() -> None:
    words = ("--target", "priced_agent:answer", "--assert", "contains")
    assert afterturn("eval", "run", "rows.jsonl", *words, "-o", "run.jsonl").exit_code == 0
    for name in ("run.jsonl", "rows.jsonl"):
        before = Path(name).read_bytes()
        for arguments in (
            ("eval", "report", "run.jsonl", "--format", "html", "-o", name),
            ("simulate", "rows.jsonl", *words, "-o", "run.jsonl", "--turns", name),
        ):
            done = afterturn(*arguments)
            assert isinstance(done.exception, UsageError)
            assert "would overwrite" in str(done.exception)
        assert Path(name).read_bytes() == before


def priced(target: str, *arguments: str) -> Result:
    Path("prices.yaml").write_text("gpt-other: {usd_per_call: 0.4}\n")
    words = ("--target", target, "--assert", "contains", "--prices", "prices.yaml", "-o", "run.jsonl")
    return afterturn("eval", "run", "rows.jsonl", *words, *arguments)


def test_a_price_table_that_no_part_of_the_run_uses_is_told() -> None:
    done = priced("priced_agent:answer")
    assert done.exit_code == 0
    assert "--prices has gpt-other, and the run uses agent priced_agent:answer: no price is used" in done.stderr


def test_a_cap_whose_price_table_counts_nothing_is_refused_before_the_agent_is_asked() -> None:
    done = priced("http://127.0.0.1:9/v1", "--model", "gpt-mine", "--max-cost", "1")
    assert isinstance(done.exception, UsageError)
    assert "agent http://127.0.0.1:9/v1" in str(done.exception)
    assert "model gpt-mine: no price is used, so the cap would count nothing" in str(done.exception)
    assert not Path("run.jsonl").exists()


def test_a_cap_over_an_agent_that_may_name_its_model_itself_stops_at_the_first_unknown_cost() -> None:
    done = priced("priced_agent:answer", "--max-cost", "1")
    assert (done.exit_code, json.loads(done.stdout)["reason"]) == (3, "unknown_price")
    assert "no price is used, but for a model that the agent's replies name" in done.stderr
