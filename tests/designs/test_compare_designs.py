"""`afterturn compare-designs` against a real server that answers as it is told, and enforces calls or does not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from fake_server import Asked, FakeServer, chat, http
from typer.testing import CliRunner, Result

from afterturn.cli._app import app
from afterturn.designs import long_prompt
from afterturn.designs._report_tool import OBLIGATION_NAME, OPTIONAL_NAME

GOOD = {"title": "What it is about", "categoryNames": ["Account"]}
FORM = "fill_appointment_form"


def calls(*made: tuple[str, object], text: str | None = None) -> bytes:
    """An answer with tool calls, as an OpenAI-compatible server gives it."""
    wire = [
        {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(made)
    ]
    return chat(None, message={"role": "assistant", "content": text, "tool_calls": wire})


def kind(asked: Asked) -> str:
    """What is asked for: a forced call, an answer by schema, an answer, or a classification of Afterturn's."""
    body = asked.body
    if "response_format" in body:
        return "report" if body["response_format"]["json_schema"]["name"] == "report" else "classify"
    return "forced" if body.get("tool_choice") else "answer"


def names(asked: Asked) -> list[str]:
    return [tool["function"]["name"] for tool in asked.body.get("tools", ())]


class Model:
    """Is a model at a server: it reports by itself under an obligation, and fills the form when `fills`."""

    def __init__(self, *, enforces: str = "named", fills: bool = True, says: str = "Open the portal.") -> None:
        self.enforces = enforces
        self.fills = fills
        self.says = says

    def __call__(self, asked: Asked) -> bytes:
        match kind(asked):
            case "forced":
                return self.forced(asked)
            case "report" | "classify":
                return chat(json.dumps(GOOD))
            case _:
                return self.answer(asked)

    def forced(self, asked: Asked) -> bytes:
        named = asked.body["tool_choice"] != "required"
        if named and self.enforces == "required":
            return http(400, {"error": "unknown tool_choice"})
        if self.enforces == "none":
            return chat("OK")
        return calls((names(asked)[-1], GOOD))

    def answer(self, asked: Asked) -> bytes:
        last = asked.body["messages"][-1]
        if last["role"] == "tool":
            return chat(self.says)
        made: list[tuple[str, object]] = [(OBLIGATION_NAME, GOOD)] if OBLIGATION_NAME in names(asked) else []
        if self.fills and "video" in last["content"]:
            made.append((FORM, {"day": "Tuesday", "channel": "video", "topic": ""}))
        return calls(*made, text=self.says) if made else chat(self.says)


@pytest.fixture(autouse=True)
def _at_server(server: FakeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("AFTERTURN_JUDGE", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompt.txt").write_text("You are the assistant of a portal.")


async def compare(*arguments: str) -> tuple[Result, dict[str, Any]]:
    """Runs the command in a thread, since the server lives on this loop."""
    given = ["compare-designs", "--model", "openai:m", "--prompt", "prompt.txt", "-o", "found.json", *arguments]
    result = await asyncio.to_thread(CliRunner().invoke, app, given)
    return result, json.loads(Path("found.json").read_text()) if Path("found.json").exists() else {}


async def test_every_design_is_measured_on_the_same_conversations(server: FakeServer) -> None:
    server.says(Model())
    result, found = await compare("--markdown", "found.md")
    assert result.exit_code == 0, result.output
    designs = found["designs"]
    assert {name: one["measured"] for name, one in designs.items()} == dict.fromkeys(
        ("optional", "obligation", "protocol", "forced", "answer_first"), 7
    )
    assert (found["catch_up"], found["left_out"]) == ("named", [])
    assert [designs[name]["voluntary"] and designs[name]["voluntary"]["hits"] for name in designs] == [
        0,
        7,
        7,
        None,
        None,
    ]
    assert [one["caught_up"]["hits"] for one in designs.values()] == [7, 0, 0, 0, 0]
    assert [one["reported"]["hits"] for one in designs.values()] == [7, 7, 7, 7, 7]
    assert [one["lost"]["hits"] for one in designs.values()] == [0, 0, 0, 7, 0]
    assert [one["skipped_fields"]["hits"] for one in designs.values()] == [2, 2, 2, 4, 2]
    assert "| called by itself | 0 of 7 (0% – 41%) | 7 of 7 (59% – 100%) |" in Path("found.md").read_text()


async def test_the_designs_differ_in_the_tool_and_the_end_of_the_prompt_alone(server: FakeServer) -> None:
    server.says(Model())
    await compare("--conversations", "portal")
    first = [
        asked for asked in server.asked if kind(asked) == "answer" and asked.body["messages"][-1]["content"] == "hello"
    ]
    assert [names(asked) for asked in first] == [
        [FORM, OPTIONAL_NAME],
        [FORM, OBLIGATION_NAME],
        [FORM, OBLIGATION_NAME],
        [FORM],
    ]
    prompts = [str(asked.body["messages"][0]["content"]) for asked in first]
    assert prompts[0] == prompts[1] == prompts[3]
    assert prompts[2].startswith(prompts[0])
    assert f"one call of the tool {OBLIGATION_NAME}" in prompts[2].removeprefix(prompts[0])


async def test_a_small_talk_turn_costs_answer_first_no_second_generation(server: FakeServer) -> None:
    server.says(Model())
    _, found = await compare("--designs", "answer_first", "--conversations", "portal")
    assert [turn["calls"] for turn in found["turns"]] == [1, 2, 2, 2]
    assert [turn["reported"] for turn in found["turns"]] == [True] * 4
    assert found["designs"]["answer_first"]["input_tokens"] == 11 * 7 / 4


@pytest.mark.parametrize(
    ("enforces", "way", "left_out"), [("required", "required", []), ("none", "schema", ["forced"])]
)
async def test_where_a_named_call_is_not_enforced_the_catch_up_goes_another_way_and_the_report_says_so(
    server: FakeServer, enforces: str, way: str, left_out: list[str]
) -> None:
    server.says(Model(enforces=enforces))
    result, found = await compare("--designs", "optional,forced", "--conversations", "portal")
    assert result.exit_code == 0, result.output
    assert (found["catch_up"], found["left_out"]) == (way, left_out)
    assert found["designs"]["optional"]["reported"]["hits"] == 4
    assert ("does not enforce tool calls" in result.stdout) == (way == "schema")
    kinds = {kind(asked) for asked in server.asked}
    assert ("report" in kinds) == (way == "schema")


async def test_a_call_that_is_written_out_is_a_leak_and_no_report(server: FakeServer) -> None:
    leak = f'Open the portal. {OPTIONAL_NAME}{{"title": "Password"}}'
    server.says(Model(says=leak, enforces="none"))
    _, found = await compare("--designs", "optional", "--conversations", "portal")
    figures = found["designs"]["optional"]
    assert (figures["leaked"]["hits"], figures["voluntary"]["hits"], figures["lost"]["hits"]) == (4, 0, 0)
    assert {tuple(turn["leaked"]) for turn in found["turns"]} == {(OPTIONAL_NAME,)}


async def test_two_questions_are_counted_and_those_in_links_are_not(server: FakeServer) -> None:
    one = "Which day? See [the page](https://a.example/x?y=1&z=?)."
    server.says(Model(says=one, fills=False))
    _, single = await compare("--designs", "answer_first", "--conversations", "form")
    server.says(Model(says=f"{one} And what number??", fills=False))
    _, double = await compare("--designs", "answer_first", "--conversations", "form")
    assert [run["designs"]["answer_first"]["two_questions"]["hits"] for run in (single, double)] == [0, 3]
    assert single["designs"]["answer_first"]["skipped_fields"] == {
        **single["designs"]["answer_first"]["skipped_fields"],
        "hits": 4,
        "of": 4,
    }


async def test_a_report_that_does_not_fit_its_schema_is_none(server: FakeServer) -> None:
    def answers(asked: Asked) -> bytes:
        if kind(asked) == "answer":
            return calls((OBLIGATION_NAME, {"title": "x", "categoryNames": ["Invented"]}), text="Open the portal.")
        return Model()(asked)

    server.says(answers)
    _, found = await compare("--designs", "obligation", "--conversations", "portal")
    figures = found["designs"]["obligation"]
    assert (figures["voluntary"]["hits"], figures["reported"]["hits"], figures["caught_up"]["hits"]) == (4, 0, 0)


async def test_turns_that_the_server_does_not_answer_are_in_no_rate_and_the_run_is_inconclusive(
    server: FakeServer,
) -> None:
    def answers(asked: Asked) -> bytes:
        if "password" in str(asked.body["messages"][-1].get("content")) and kind(asked) == "answer":
            return http(500, {"error": "down"})
        return Model()(asked)

    server.says(answers)
    result, found = await compare("--designs", "optional", "--conversations", "portal")
    figures = found["designs"]["optional"]
    assert result.exit_code == 3
    assert (figures["measured"], figures["planned"], figures["voluntary"]["of"], figures["coverage"]) == (1, 4, 1, 0.25)
    assert [turn["error"] for turn in found["turns"]] == [None, "server_error", "after_error", "after_error"]


async def test_while_it_goes_on_the_file_has_no_time_so_that_no_gate_takes_a_part_for_the_whole(
    server: FakeServer,
) -> None:
    seen: list[object] = []

    def answers(asked: Asked) -> bytes:
        if Path("found.json").exists():
            seen.append(json.loads(Path("found.json").read_text())["written_at"])
        return Model()(asked)

    server.says(answers)
    _, found = await compare("--designs", "answer_first", "--conversations", "portal")
    assert set(seen) == {None}
    assert found["written_at"].endswith("+00:00")


@pytest.mark.parametrize(
    "wrong", [("--designs", "obligatory"), ("--conversations", "chess"), ("--prompt", "absent.txt")]
)
async def test_what_is_not_there_is_told_before_anything_is_asked(server: FakeServer, wrong: tuple[str, str]) -> None:
    result, _ = await compare(*wrong)
    assert result.exit_code != 0
    assert server.asked == []


def test_the_prompt_of_the_package_is_long_has_no_two_equal_sections_and_ends_with_the_guardrails() -> None:
    prompt = long_prompt()
    sections = prompt.split("\n### ")
    assert len(set(sections)) == len(sections) > 140
    assert prompt.index("## Training catalogue") < prompt.index("## Hard Guardrails")
    assert prompt == long_prompt()
