"""Agents at an address: what is sent, how the tool loop runs in the sandbox, what goes wrong."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from eval_parts import row
from fake_server import FakeServer, Replies

from afterturn.errors import AgentError, UsageError
from afterturn.evals.targets import TargetOptions, open_target
from afterturn.verdicts import Usage


def call(name: str, arguments: str = "{}", *, id: str = "1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(replies: Replies, *calls: dict[str, Any]) -> bytes:
    return replies.chat(None, message={"role": "assistant", "content": None, "tool_calls": list(calls)})


@pytest.fixture
def tools(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    offered = [
        {"name": "find", "description": "Finds.", "parameters": {"type": "object"}, "result": {"at": "shelf 7"}},
        {"name": "send"},
    ]
    path.write_text(json.dumps(offered))
    return str(path)


async def test_the_tool_loop_runs_here_and_the_tools_are_stubs(
    server: FakeServer, replies: Replies, tools: str
) -> None:
    calls = (call("find", '{"q": "hat"}'), call("send", "{}", id="2"), call("send", "{no", id="3"))
    server.says(calling(replies, *calls), replies.chat("On shelf 7."))
    target = open_target(server.base_url, TargetOptions(model="m", tools=tools))
    reply = await target.ask(row())
    await target.aclose()
    assert (reply.text, [made.name for made in reply.tool_calls]) == ("On shelf 7.", ["find", "send", "send"])
    answers = [json.loads(message["content"]) for message in server.bodies[1]["messages"] if message["role"] == "tool"]
    assert answers == [
        {"at": "shelf 7"},
        {"stub": True, "result": None},
        {"error": "the arguments are no JSON object"},
    ]
    assert [tool["function"]["name"] for tool in server.bodies[0]["tools"]] == ["find", "send"]
    assert reply.usage == Usage(input_tokens=22, output_tokens=14)
    assert (reply.agent.model, reply.agent.tool_names, reply.extra) == ("m", ("find", "send"), {"steps": 2})


async def test_a_row_brings_its_own_tools_and_results(server: FakeServer, replies: Replies) -> None:
    server.says(calling(replies, call("look", '{"in": "b"}')), replies.chat("Seen."))
    results = [{"arguments": {"in": "a"}, "result": "A"}, {"arguments": {"in": "b"}, "result": "B"}]
    target = open_target(server.base_url, TargetOptions(model="m"))
    await target.ask(row(tools=["look"], tool_results={"look": results}))
    await target.aclose()
    assert server.bodies[1]["messages"][-1] == {"role": "tool", "name": "look", "content": "B", "tool_call_id": "1"}


async def test_a_tool_is_only_run_for_real_where_it_is_named(
    server: FakeServer, replies: Replies, tools: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real_tools.py").write_text("def find(q): return {'found': q}\ndef send(): raise ValueError('x')\n")
    monkeypatch.chdir(tmp_path)
    server.says(calling(replies, call("find", '{"q": "hat"}'), call("send", id="2")), replies.chat("Done."))
    options = TargetOptions(model="m", tools=tools, real_tools=("find=real_tools.py:find", "send=real_tools.py:send"))
    target = open_target(server.base_url, options)
    await target.ask(row())
    await target.aclose()
    contents = [message["content"] for message in server.bodies[1]["messages"][-2:]]
    assert contents == ['{"found": "hat"}', '{"error": "ValueError"}']
    assert TargetOptions.from_json(target.options) == options


async def test_an_agent_that_never_stops_calling_is_stopped(server: FakeServer, replies: Replies, tools: str) -> None:
    server.says(calling(replies, call("find")))
    target = open_target(server.base_url, TargetOptions(model="m", tools=tools, max_steps=3))
    with pytest.raises(AgentError) as caught:
        await target.ask(row())
    await target.aclose()
    assert (caught.value.code, len(server.asked)) == ("too_many_steps", 3)


async def test_the_instructions_come_first_unless_the_row_has_its_own(
    server: FakeServer, replies: Replies, tmp_path: Path
) -> None:
    (tmp_path / "prompt.md").write_text("Be kind.")
    server.says(replies.chat("2"))
    target = open_target(server.base_url, TargetOptions(model="m", instructions=str(tmp_path / "prompt.md")))
    await target.ask(row())
    await target.ask(row(input=[{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi"}]))
    await target.aclose()
    assert [body["messages"][0]["content"] for body in server.bodies] == ["Be kind.", "Be short."]


async def test_an_endpoint_gets_the_question_and_no_more(server: FakeServer, replies: Replies) -> None:
    server.says(replies.http(200, {"text": "2"}), replies.http(200, b"two", content_type="text/plain"))
    target = open_target(server.base_url.replace("/v1", "/agent"))
    assert (await target.ask(row(context=["P"], metadata={"label": "x"}))).text == "2"
    assert (await target.ask(row())).text == "two"
    await target.aclose()
    assert server.bodies[0] == {
        "id": "r1",
        "input": "What is 1+1?",
        "messages": [{"role": "user", "content": "What is 1+1?"}],
    }
    assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, "rate_limited"), (401, "unauthorized"), (404, "http_404"), (302, "http_302"), (500, "server_error")],
)
async def test_a_status_is_a_reason(server: FakeServer, replies: Replies, status: int, code: str) -> None:
    server.says(replies.http(status, {"error": "zebra"}, headers="Retry-After: 7\r\nLocation: /elsewhere\r\n"))
    target = open_target(server.base_url.replace("/v1", "/agent"))
    with pytest.raises(AgentError) as caught:
        await target.ask(row())
    await target.aclose()
    assert caught.value.code == code
    assert caught.value.retry_after_s == (7.0 if status == 429 else None)
    assert "zebra" not in str(caught.value)


async def test_a_server_that_is_not_there_or_gives_no_completion_says_so(server: FakeServer, replies: Replies) -> None:
    target = open_target("http://127.0.0.1:9/agent")
    with pytest.raises(AgentError, match="is the agent's server running") as caught:
        await target.ask(row())
    assert (caught.value.code, caught.value.__context__) == ("unreachable", None)
    await target.aclose()
    server.says(replies.http(200, {"choices": []}))
    target = open_target(server.base_url, TargetOptions(model="m"))
    with pytest.raises(AgentError, match="no chat completion"):
        await target.ask(row())
    await target.aclose()


async def test_a_key_comes_from_the_environment_and_goes_into_no_log(
    server: FakeServer, replies: Replies, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("AFTERTURN_TARGET_KEY", "hunter2-bearer")
    monkeypatch.setenv("MY_KEY", "hunter2-query")
    server.says(replies.http(200, {"text": "2"}))
    with caplog.at_level(logging.DEBUG):
        target = open_target(server.base_url.replace("/v1", "/agent?key=${MY_KEY}"))
        await target.ask(row())
        await target.aclose()
    assert server.asked[0].headers["authorization"] == "Bearer hunter2-bearer"
    assert server.asked[0].path == "/agent?key=hunter2-query"
    assert "hunter2" not in caplog.text + target.name + json.dumps(dict(target.options))
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(AgentError, match="MY_KEY"):
        await target.ask(row())


def test_the_key_of_one_provider_is_not_sent_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    from afterturn.evals.targets.chat import _own_key  # pyright: ignore[reportPrivateUsage]

    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://mine.example/v1")
    assert _own_key("https://mine.example/v1/chat/completions") == "hunter2"
    assert _own_key("https://api.openai.com/v1/chat/completions") == "hunter2"
    assert _own_key("https://mine.example.evil.example/v1/chat/completions") is None
    assert _own_key("https://other.example/v1/chat/completions") is None


def test_tools_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text('[{"description": "nameless"}]')
    for name in ("tools.json", "no.json"):
        with pytest.raises(UsageError, match=name):
            open_target("http://h/v1", TargetOptions(model="m", tools=str(tmp_path / name)))
    with pytest.raises(UsageError, match="NAME=module:callable"):
        open_target("http://h/v1", TargetOptions(model="m", real_tools=("find",)))


@pytest.mark.parametrize(
    ("body", "kind"), [(b'{"text": ', "application/json"), (b"<html>Log in</html>", "text/html; charset=utf-8")]
)
async def test_an_outage_is_not_what_the_agent_said(
    body: bytes, kind: str, server: FakeServer, replies: Replies
) -> None:
    server.says(replies.http(200, body, content_type=kind))
    target = open_target(server.base_url.replace("/v1", "/agent"))
    with pytest.raises(AgentError) as raised:
        await target.ask(row())
    await target.aclose()
    assert raised.value.code == "bad_reply"
