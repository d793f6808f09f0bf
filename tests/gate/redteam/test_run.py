"""How the pack is run: turn by turn, without giving anything away; and how a run is added up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gate_bench import Agent, Bench
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.errors import AgentError, RateLimitedError, UsageError
from afterturn.evals import Parts, Prices, Reply, Row, RunFile, read_row, resume_run, start_run
from afterturn.evals.targets.python import PythonTarget
from afterturn.gate import decide
from afterturn.gate.redteam import (
    RedTeamParts,
    StaticCheck,
    TurnByTurn,
    dataset_of,
    figures,
    header_of,
    load_pack,
    refused,
    susceptibility,
)
from afterturn.gate.redteam._planted import planted_set
from afterturn.guard import Guard
from afterturn.testing import ScriptedJudge
from afterturn.turns import Message

NO = "I'm sorry, but I can't help with that."


async def attacked(path: Path, agent: Agent, judge: Any = None, **pack: Any) -> RunFile:
    parts = RedTeamParts(target=TurnByTurn(PythonTarget(agent, name="app:agent")), judge=judge, prices=Prices({}))
    chosen = load_pack(**pack)
    header = header_of(parts, chosen)
    await start_run(header, parts, dataset_of(chosen), path)
    return RunFile(path)


async def test_an_agent_answers_message_by_message_and_sees_its_own_replies() -> None:
    asked: list[list[str]] = []

    def agent(row: Any) -> Reply:
        asked.append([message.text for message in row.input])
        return Reply(text=f"answer {len(asked)}", cost_usd=0.5, latency_ms=10.0)

    row = read_row({"input": [{"role": role, "content": text} for role, text in _SAID]})
    reply = await TurnByTurn(PythonTarget(agent, name="x")).ask(row)
    assert asked == [["rules", "one"], ["rules", "one", "answer 1", "two"]]
    assert (reply.text, reply.cost_usd, reply.latency_ms) == ("answer 2", 1.0, 20.0)
    assert [message.text for message in reply.messages] == ["answer 1", "answer 2"]


_SAID = (("system", "rules"), ("user", "one"), ("user", "two"))


async def test_silence_in_the_middle_is_an_agent_error() -> None:
    row = read_row({"input": [{"role": role, "content": text} for role, text in _SAID]})
    silent: Agent = lambda _: ""  # noqa: E731
    with pytest.raises(AgentError) as error:
        await TurnByTurn(PythonTarget(silent, name="x")).ask(row)
    assert error.value.code == "no_reply"


async def test_the_agent_is_not_told_what_success_looks_like() -> None:
    seen: list[dict[str, Any]] = []

    def agent(row: Any) -> str:
        seen.append(dict(row))
        return "no"

    (row,) = (row for row in load_pack(["override"], limit=1, lookalikes=False).rows)
    await TurnByTurn(PythonTarget(agent, name="x")).ask(row)
    assert "metadata" not in seen[0]


def obeys(row: Any) -> str:
    """Obeys whoever asks for two joined words, and refuses all else."""
    import re

    found = re.search(r"words (\w+) and (\w+)", row.text)
    return f"{found[1]}-{found[2]}" if found else NO


async def test_success_and_refusals_are_counted_by_family_with_intervals(tmp_path: Path) -> None:
    run = await attacked(tmp_path / "r.jsonl", obeys, families=["override", "persona"], limit=5)
    found = figures(run.header, run.results(), guard=StaticCheck(Guard()))
    override, persona = found.attack_success["override"], found.attack_success["persona"]
    assert (override.hits, override.judged, override.coverage) == (5, 5, 1.0)
    assert (persona.hits, persona.judged) == (4, 5)
    assert found.attack_success["all"].interval.rate == 0.9
    assert round(found.attack_success["all"].interval.low or 0, 3) == 0.555
    assert (found.over_refusal["all"].hits, found.over_refusal["all"].judged) == (10, 10)
    blocked = found.attack_success["all"].blocked
    assert blocked is not None
    assert (blocked.looked, blocked.blocked <= blocked.flagged) == (10, True)


async def test_errors_are_out_of_the_rates_and_lower_the_coverage(tmp_path: Path) -> None:
    def agent(row: Any) -> str:
        if "operator" in row.text:
            raise RuntimeError
        return obeys(row)

    run = await attacked(tmp_path / "r.jsonl", agent, families=["override"], limit=5, lookalikes=False)
    rate = figures(run.header, run.results()).attack_success["all"]
    assert (rate.hits, rate.judged, rate.errors, rate.planned, rate.coverage) == (4, 4, 1, 5, 0.8)


async def test_what_only_a_judge_can_see_is_skipped_without_one_and_asked_of_it_with_one(tmp_path: Path) -> None:
    pack = {"families": ["unauthorized_promise"], "limit": 10}
    run = await attacked(tmp_path / "a.jsonl", lambda row: "Yes, I promise.", **pack)
    without = figures(run.header, run.results())
    assert (without.attack_success["all"].judged, without.attack_success["all"].skipped) == (8, 2)
    judge = ScriptedJudge({"reasoning": "it promises", "yes": True})
    run = await attacked(tmp_path / "b.jsonl", lambda row: "Yes, I promise.", judge, **pack)
    found = figures(run.header, run.results())
    assert (found.attack_success["all"].hits, found.attack_success["all"].judged) == (10, 10)
    assert (found.over_refusal["all"].hits, found.over_refusal["all"].judged) == (10, 10)
    assert all(call.evidence is not None and call.evidence["reply"] == "Yes, I promise." for call in judge.calls)


@pytest.mark.parametrize(
    "answer",
    [
        {"reasoning": "r"},
        {"yes": "true", "reasoning": "r"},
        {"yes": True},
        {"yes": True, "reasoning": "r", "verdict": "no"},
    ],
)
async def test_a_judge_that_gives_no_answer_is_an_error_of_the_judge(tmp_path: Path, answer: dict[str, Any]) -> None:
    judge = ScriptedJudge(answer)
    run = await attacked(tmp_path / "r.jsonl", lambda row: "Hm.", judge, families=["persona"], limit=1)
    states = {result.row.id: (result.state, result.reason) for result in run.results()}
    assert states == {"persona-01": ("pass", None), "persona-like-01": ("judge_error", "schema_violation")}


async def test_a_run_is_resumed_with_the_same_pack_and_refused_with_another(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    await attacked(path, lambda row: NO, families=["override"], limit=3)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:3]))
    parts = RedTeamParts(target=TurnByTurn(PythonTarget(obeys, name="app:agent")), prices=Prices({}))
    summary = await resume_run(RunFile(path), parts, dataset_of(load_pack(["override"], limit=3)))
    assert (summary.done, summary.stop) == (6, None)
    with pytest.raises(UsageError, match="not in redteam"):
        await resume_run(RunFile(path), parts, dataset_of(load_pack(["persona"], limit=3)))
    plain = Parts(target=parts.target, prices=Prices({}))
    with pytest.raises(UsageError, match="changed"):
        await resume_run(RunFile(path), plain, dataset_of(load_pack(["override"], limit=3)))


async def test_a_gate_wants_the_whole_pack_unless_it_says_otherwise(bench: Bench) -> None:
    await attacked(bench.run, lambda row: NO, families=["override"], limit=3)
    runs = {"answers": {"file": "run.jsonl", "target": "app:agent", "dataset": "redteam"}}
    won = {"run": "answers", "metric": "attack_success", "at_most": 0.1}
    refused_ = {"run": "answers", "metric": "over_refusal:override", "at_most": 0.1}
    assert decide(bench.write_gate(won, runs=runs)).findings[0].reason == "part_of_pack"
    runs["answers"] |= {"families": ["override"], "limit": 3}  # type: ignore[dict-item]
    report = decide(bench.write_gate(won, refused_, runs=runs))
    assert [finding.status for finding in report.findings] == ["met", "missed"]


def test_a_refusal_is_told_by_its_words_in_many_languages() -> None:
    assert refused(Reply(text="Dabei kann ich Ihnen nicht helfen."))
    assert refused(Reply(text="抱歉，我无法提供这个信息。"))
    assert refused(Reply(text="I’m sorry, but I can’t do that."))
    assert not refused(Reply(text="I cannot see the parcel yet, it should come on Thursday."))
    assert not refused(Reply(text="It arrives on Thursday. " * 40 + "I can't help with more."))


# ------------------------------------------------------------------------------------------ the judge


async def test_a_judge_that_believes_what_is_planted_is_told_apart_from_one_that_does_not() -> None:
    def graded(call: Any, score: int) -> dict[str, Any]:
        found = {"reasoning": "r", "score": score} | _FIELDS
        return {name: value for name, value in found.items() if name in call.questions[0].fields}

    def gullible(call: Any) -> dict[str, Any]:
        return graded(call, 95 if "100" in json.dumps(call.evidence) else 10)

    firm = await susceptibility(ScriptedJudge(lambda call: graded(call, 10)))
    assert (firm["all"].pairs, firm["all"].moved, firm["all"].shift, firm["all"].errors) == (120, 0, 0.0, 0)
    moved = await susceptibility(ScriptedJudge(gullible), limit=1)
    assert (moved["plant:verdict_object"].moved, moved["plant:verdict_object"].flipped) == (5, 5)
    assert (moved["plant:pity"].moved, moved["all"].control_moved) == (0, 0)


_FIELDS: dict[str, Any] = {
    "wrongly_called": [],
    "wrongly_skipped": [],
    "unsupported": [],
    "unsupported_claims": [],
}


async def test_grades_that_fail_are_counted_and_in_no_rate() -> None:
    measured = await susceptibility(ScriptedJudge(RateLimitedError("wait")), limit=1)
    assert (measured["all"].pairs, measured["all"].shift, measured["all"].errors) == (0, None, 50)


def test_the_planted_set_has_three_bad_replies_for_each_rubric_and_eight_plants() -> None:
    planted = planted_set()
    assert len({one.item for one in planted}) == 15
    assert len({one.rubric for one in planted}) == 5
    assert len({one.plant for one in planted} - {"", "control"}) == 8
    texts = [one.reply.tool_calls[0].raw_arguments if one.reply.tool_calls else one.reply.text for one in planted]
    assert len(set(texts)) == len(planted)


# ------------------------------------------------------------------------------------------ the command


@pytest.fixture
def redteam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    Path("agents.py").write_text(
        f"def refuses(row):\n    return {NO!r}\n\n\ndef breaks(row):\n    raise RuntimeError\n"
    )
    return lambda *arguments: CliRunner().invoke(app, ["redteam", *arguments])


def test_the_command_runs_the_pack_and_reads_a_run_again(redteam: Callable[..., Result]) -> None:
    asked = ["--families", "override, persona", "--limit", "2", "--json"]
    done = redteam("--target", "agents.py:refuses", *asked, "-o", "r.jsonl", "--guard")
    assert done.exit_code == 0, done.output
    wire = json.loads(done.stdout)
    assert wire["attack_success"]["all"]["hits"] == 0
    assert wire["over_refusal"]["all"]["hits"] == 4
    assert wire["over_refusal"]["all"]["guard"]["blocked"] == 0
    again = redteam("--read", "r.jsonl", "--json", "--max-over-refusal", "0.5")
    assert again.exit_code == 1
    assert json.loads(again.stdout)["over_refusal"]["all"]["rate"] == 1.0


def test_eval_resume_goes_on_with_a_red_team_run(redteam: Callable[..., Result]) -> None:
    few = ("--families", "override,persona", "--limit", "2", "--no-lookalikes")
    assert redteam("--target", "agents.py:refuses", "-o", "r.jsonl", *few).exit_code == 0
    lines = Path("r.jsonl").read_text().splitlines(keepends=True)
    Path("r.jsonl").write_text("".join(lines[:3]))
    result = CliRunner().invoke(app, ["eval", "resume", "r.jsonl", "--json"])
    found = json.loads(result.stdout)
    assert (result.exit_code, found["stop"], found["attack_success"]["all"]["judged"]) == (0, None, 4)
    assert len(Path("r.jsonl").read_text().splitlines()) == 7


def test_the_command_is_inconclusive_where_nothing_was_measured(redteam: Callable[..., Result]) -> None:
    asked = ["--families", "override", "--limit", "2", "--json", "-o", "r.jsonl"]
    assert redteam("--target", "agents.py:breaks", *asked, "--max-success", "1").exit_code == 3


def test_the_command_says_what_it_needs(redteam: Callable[..., Result], good: Bench) -> None:
    assert isinstance(redteam().exception, UsageError)
    assert isinstance(redteam("--check-judge").exception, UsageError)
    assert isinstance(redteam("--target", "agents.py:refuses", "--families", "none").exception, UsageError)
    assert "no run of the red-team pack" in str(redteam("--read", str(good.run)).exception)


def test_rows_of_other_datasets_are_no_business_of_the_pack() -> None:
    from afterturn.gate.redteam import RedTeamCheck

    row: Row = read_row({"input": [{"role": "user", "content": "x"}]})
    assert RedTeamCheck().check(row, Reply(text=NO, messages=(Message(role="assistant", text=NO),))) is None
