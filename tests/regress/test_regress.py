"""`afterturn regress` against a real server that answers as it is told: streamed answers, classifications, failures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, Replies, chat, http
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.regress import Settings, load_suites
from afterturn.regress import regress as regress_models

Step = Callable[[Asked], bytes]


def streamed(*deltas: str) -> bytes:
    """One answer, as an OpenAI-compatible server streams it."""
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    pieces: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": text} for text in deltas)]
    choices: list[dict[str, Any]] = [{"index": 0, "delta": piece, "finish_reason": None} for piece in pieces]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    lines = [f"data: {json.dumps({**head, 'choices': [choice]})}\n\n" for choice in choices]
    return http(200, ("".join(lines) + "data: [DONE]\n\n").encode(), content_type="text/event-stream")


def said(asked: Asked) -> str:
    """The customer's last message, of an answer or in the data block of a classification."""
    return str(asked.body["messages"][-1]["content"])


def category_of(asked: Asked) -> str:
    text = said(asked)
    for word, category in (("joke", "Out of scope"), ("allowances this", "Allowances"), ("password", "Account")):
        if word in text:
            return category
    return "HR"


def well_behaved(asked: Asked) -> bytes:
    if asked.body.get("stream"):
        leave = "paid leave" in said(asked)
        return streamed("You get 27 days", " [c", "1", "].") if leave else streamed("Open ", "the portal.")
    values = {"title": "What it is about", "categoryNames": [category_of(asked)], "sourceIds": ["c9"]}
    declared = asked.body["response_format"]["json_schema"]["schema"]["properties"]
    return chat(json.dumps({name: value for name, value in values.items() if name in declared}))


@pytest.fixture(autouse=True)
def _at_server(server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("AFTERTURN_JUDGE", raising=False)
    monkeypatch.chdir(tmp_path)


async def regress(*arguments: str) -> Result:
    """Runs the command in a thread, since the server lives on this loop."""
    return await asyncio.to_thread(CliRunner().invoke, app, ["regress", *arguments])


async def test_a_good_model_passes_both_suites_and_the_file_is_one_for_the_gate(server: FakeServer) -> None:
    server.says(well_behaved)
    result = await regress("--models", "openai:good", "-o", "regress.json")
    assert result.exit_code == 0, result.output
    wire = json.loads(Path("regress.json").read_text())
    assert (wire["passed"], wire["failed"], wire["errors"], wire["not_passed"]) == (20, 0, 0, 0)
    assert wire["models"][0]["suites"]["rag"]["planned"] == 5
    assert wire["written_at"].endswith("+00:00")
    leave = wire["models"][0]["turns"][0]
    assert (leave["shown"], leave["sources"]) == ("You get 27 days.", [["c1", "cited"]])
    assert "20 of 20" in result.stdout
    greeting = wire["models"][0]["turns"][1]
    assert (greeting["title"], greeting["judge_calls"]) == (None, 0)
    streams = [body for body in server.bodies if body.get("stream")]
    assert len(streams) == 5
    assert [m["role"] for m in streams[1]["messages"]] == ["system", "assistant", "user"]
    assert len(server.bodies) == 5 + 4


async def test_a_model_that_answers_wrong_fails_and_another_beside_it_does_not(server: FakeServer) -> None:
    def answers(asked: Asked) -> bytes:
        if asked.body["model"] == "bad" and asked.body.get("stream"):
            return streamed("You get 25 days.")
        return well_behaved(asked)

    server.says(answers)
    result = await regress("--models", "openai:bad, openai:good", "--suite", "rag", "--json")
    wire = json.loads(result.stdout)
    bad, good = wire["models"]
    assert (result.exit_code, good["not_passed"]) == (1, 0)
    found = {check["name"]: check["state"] for check in bad["checks"]}
    assert found == {
        "grounded": "fail",
        "no_marker": "pass",
        "relevant_source": "fail",  # attributed afterwards, since nothing was cited, and to the wrong passage
        "sources_once": "pass",
        "metadata_once": "pass",
    }


async def test_a_server_that_is_down_is_an_error_everywhere_and_never_a_pass(
    server: FakeServer, replies: Replies
) -> None:
    server.says(replies.http(500, {"error": "down"}))
    result = await regress("--models", "openai:any", "--suite", "large_prompt", "--json")
    counts = json.loads(result.stdout)
    assert (result.exit_code, counts["passed"], counts["errors"]) == (3, 0, counts["planned"])


async def test_a_classification_that_is_prose_is_an_error_of_what_rests_on_it_alone(server: FakeServer) -> None:
    server.says(lambda asked: well_behaved(asked) if asked.body.get("stream") else chat("It is about leave."))
    result = await regress("--models", "openai:any", "--suite", "rag", "--json")
    found = {
        check["name"]: (check["state"], check["reason"]) for check in json.loads(result.stdout)["models"][0]["checks"]
    }
    assert found == {
        "grounded": ("pass", None),
        "no_marker": ("pass", None),
        "relevant_source": ("pass", None),
        "sources_once": ("pass", None),
        "metadata_once": ("error", "invalid_json"),
    }
    assert result.exit_code == 3


async def test_an_empty_answer_passes_nothing(server: FakeServer) -> None:
    server.says(lambda asked: streamed("") if asked.body.get("stream") else well_behaved(asked))
    result = await regress("--models", "openai:any", "--suite", "rag", "--json")
    states = {(check["state"], check["reason"]) for check in json.loads(result.stdout)["models"][0]["checks"]}
    assert states == {("error", "no_answer")}


@pytest.mark.parametrize("models", ["", "openai:a,openai:a", "gpt"])
async def test_a_list_that_names_no_model_twice_or_wrongly_is_told(server: FakeServer, models: str) -> None:
    result = await regress("--models", models)
    assert result.exit_code != 0
    assert server.asked == []


async def test_what_each_model_came_to_is_handed_over_as_soon_as_it_is_through(server: FakeServer) -> None:
    server.says(well_behaved)
    kept: list[str] = []

    def told(model: str, suite: str, turn: int, of: int) -> None:
        if model == "openai:b":
            raise KeyboardInterrupt  # the person presses Ctrl-C while the second is asked

    settings = Settings(told=told, kept=lambda report: kept.append(report.model))
    with pytest.raises(KeyboardInterrupt):
        await regress_models(["openai:a", "openai:b"], load_suites(["rag"]), settings)
    assert kept == ["openai:a"]


async def test_where_it_is_whole_the_file_holds_the_report_alone(server: FakeServer, tmp_path: Path) -> None:
    server.says(well_behaved)
    result = await regress("--models", "openai:a,openai:b", "--suite", "rag", "-o", "r.json")
    found = json.loads((tmp_path / "r.json").read_text())
    assert [model["model"] for model in found["models"]] == ["openai:a", "openai:b"], result.output
    assert not (tmp_path / "r.json.part").exists()
