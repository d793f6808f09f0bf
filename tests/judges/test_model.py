from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
from typing import TYPE_CHECKING, Any, cast

import pytest

from afterturn.calls import Confidence, Judge, Question
from afterturn.errors import ConfigError, JudgeMissingError
from afterturn.judges import ModelJudge
from afterturn.judges._client import Address, _build  # pyright: ignore[reportPrivateUsage]
from afterturn.testing import CANARY, check_judge, sample_call
from afterturn.verdicts import JudgeParams, Usage

if TYPE_CHECKING:
    from fake_server import FakeServer, Replies

GOOD = '{"title": "Late order", "late": true}'


async def test_an_answer_has_values_usage_and_the_parameters_that_were_sent(
    server: FakeServer, replies: Replies
) -> None:
    server.says(replies.chat(GOOD))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    answer = await judge.ask(sample_call())
    await judge.aclose()
    (body,) = server.bodies
    assert answer.values == {"title": "Late order", "late": True}
    assert answer.usage == Usage(input_tokens=11, output_tokens=7)
    assert answer.params == JudgeParams(temperature=0.0, max_tokens=body["max_tokens"], response_format="json_schema")
    assert server.asked[0].path == "/v1/chat/completions"
    assert body["temperature"] == 0
    assert body["logprobs"] is True
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["title", "late"]
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert CANARY in body["messages"][1]["content"]


async def test_a_server_of_ones_own_needs_no_key_and_takes_its_address_from_the_environment(
    server: FakeServer, replies: Replies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.says(replies.chat(GOOD))
    judge = ModelJudge("openai:some-model")
    assert judge.location == "local"
    await judge.ask(sample_call())
    await judge.aclose()
    assert len(server.asked) == 1


async def test_calls_that_come_at_once_share_one_client(
    server: FakeServer, replies: Replies, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[Address] = []

    def build(address: Address) -> Any:
        built.append(address)
        return _build(address)

    monkeypatch.setattr("afterturn.judges._client._build", build)
    server.says(replies.chat(GOOD))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    await asyncio.gather(*(judge.ask(sample_call()) for _ in range(5)))
    await judge.aclose()
    assert (len(server.asked), len(built)) == (5, 1)


async def test_a_model_judge_keeps_the_contract(server: FakeServer, replies: Replies) -> None:
    server.says(replies.chat(GOOD))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    assert isinstance(judge, Judge)
    await check_judge(judge)


async def test_confidence_comes_from_the_logprobs_of_the_server(server: FakeServer, replies: Replies) -> None:
    def entry(text: str, logprob: float, *others: tuple[str, float]) -> dict[str, object]:
        top = [{"token": t, "logprob": p, "bytes": list(t.encode())} for t, p in ((text, logprob), *others)]
        return {**top[0], "top_logprobs": top}

    content = [
        entry('{"title": "Late order", "late":', 0.0),
        entry(" true", -0.2877, (" false", -1.3863)),
        entry("}", 0.0),
    ]
    server.says(replies.chat(GOOD, logprobs={"content": content}))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    answer = await judge.ask(sample_call())
    await judge.aclose()
    assert answer.confidence == {"late": Confidence(percent=75, source="logprob")}


async def test_long_lists_go_out_as_ids_and_come_back_as_names(server: FakeServer, replies: Replies) -> None:
    names = [f"Category {n}" for n in range(1, 121)]
    field = {"type": "array", "items": {"type": "string", "enum": names}, "maxItems": 5}
    question = Question(classifier="c", version="1", fields={"categoryNames": field}, instructions="- categoryNames")
    server.says(replies.chat('{"categoryNames": ["k7", "k120", "k999"]}'))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    answer = await judge.ask(sample_call(question))
    await judge.aclose()
    assert answer.values == {"categoryNames": ["Category 7", "Category 120", "k999"]}


async def test_thinking_that_arrives_apart_is_no_part_of_the_reply(server: FakeServer, replies: Replies) -> None:
    message = {"role": "assistant", "content": GOOD, "reasoning_content": "The user says {}"}
    server.says(replies.chat(None, message=message))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    assert (await judge.ask(sample_call())).values["late"] is True
    await judge.aclose()


@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
async def test_anthropic_is_asked_in_its_own_form(server: FakeServer, replies: Replies) -> None:
    message = {
        "id": "m", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": GOOD}], "usage": {"input_tokens": 3, "output_tokens": 4},
    }  # fmt: skip
    server.says(replies.http(200, message))
    for model in ("claude-sonnet-4-5", "claude-opus-4-8", "claude-3-haiku"):
        judge = ModelJudge(f"anthropic:{model}", base_url=server.base_url.removesuffix("/v1"), api_key="k")
        answer = await judge.ask(sample_call())
        await judge.aclose()
        body = server.bodies[-1]
        assert answer.params.temperature == body.get("temperature")
        assert answer.params.max_tokens == body["max_tokens"]
        assert answer.usage == Usage(input_tokens=3, output_tokens=4)
    first, second, third = server.bodies
    title = first["output_config"]["format"]["schema"]["properties"]["title"]
    assert title == {"anyOf": [{"type": "string", "description": "maxLength 80"}, {"type": "null"}]}
    assert ["temperature" in body for body in server.bodies] == [True, False, True]
    assert second["output_config"]["format"]["schema"]["additionalProperties"] is False
    assert "output_config" not in third
    assert "fits this JSON schema" in str(third["system"]), "a model without native schemas gets it in the prompt"


async def test_gemini_loses_the_bounds_after_a_bare_400(server: FakeServer, replies: Replies) -> None:
    pytest.importorskip("google.genai", reason="pydantic-ai-slim[google] is not installed")
    candidate = {"content": {"role": "model", "parts": [{"text": GOOD}]}, "finishReason": "STOP"}
    bare = {"error": {"code": 400, "message": "Request contains an invalid argument.", "status": "INVALID_ARGUMENT"}}
    server.says(replies.http(400, bare), replies.http(200, {"candidates": [candidate]}))
    judge = ModelJudge("google:gemini-2.5-flash", base_url=server.base_url, api_key="k")
    answer = await judge.ask(sample_call())
    await judge.aclose()
    configs = [body["generationConfig"] for body in server.bodies]
    assert ["maxLength" in str(config["responseJsonSchema"]) for config in configs] == [True, False]
    assert [config["thinkingConfig"] for config in configs] == [{"thinking_budget": 0}] * 2
    assert answer.params.response_format == "json_schema_reduced"


async def test_the_ollama_prompt_says_the_schema_since_some_builds_ignore_it(
    server: FakeServer, replies: Replies
) -> None:
    server.says(replies.chat(GOOD))
    judge = ModelJudge("ollama:some-model", base_url=server.base_url)
    await judge.ask(sample_call())
    await judge.aclose()
    assert server.bodies[0]["response_format"]["type"] == "json_schema"
    assert "fits this JSON schema" in server.bodies[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("model", "temperature", "logprobs", "effort"),
    [
        ("gpt-4o-mini", True, True, None),
        ("gpt-5.2", True, True, "none"),
        ("gpt-5-mini", False, False, "minimal"),
        ("o3", False, False, "low"),
    ],
)
async def test_openai_models_get_what_they_take(
    server: FakeServer, replies: Replies, model: str, temperature: bool, logprobs: bool, effort: str | None
) -> None:
    from afterturn.judges._client import profile_of
    from afterturn.judges._ladder import Form
    from afterturn.judges._prompt import render
    from afterturn.judges._request import THINKING_RESERVE_TOKENS, Request
    from afterturn.judges._schema import wire_schema

    judge = ModelJudge(f"openai:{model}", api_key="k")
    opened = await judge._client.model()  # pyright: ignore[reportPrivateUsage]
    client = cast(Any, opened).client
    client.base_url = server.base_url
    server.says(replies.chat(GOOD))
    answer = await judge.ask(sample_call())
    await judge.aclose()
    (body,) = server.bodies
    assert ("temperature" in body, "logprobs" in body, body.get("reasoning_effort")) == (temperature, logprobs, effort)
    assert answer.params.temperature == body.get("temperature")
    assert answer.params.max_tokens == body["max_completion_tokens"]
    assert body["response_format"]["json_schema"]["strict"] is True
    assert "max_tokens" not in body
    call = sample_call()
    request = Request.of(
        Form(), Address(provider="openai", model=model).dialect, profile_of(opened),
        wire=wire_schema(call), prompt=render(call), timeout_s=1.0,
    )  # fmt: skip
    reserve = THINKING_RESERVE_TOKENS if effort in ("minimal", "low") else 0
    assert request.params.max_tokens == render(call).max_tokens + reserve


def test_one_judge_serves_one_event_loop_after_another() -> None:
    """A sync wrapper may run each question in a loop of its own."""
    import json
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    reply = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": GOOD}}]}  # fmt: skip

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            raw = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, daemon=True).start()
        judge = ModelJudge("openai:m", base_url=f"http://127.0.0.1:{http.server_port}/v1")
        values = [asyncio.run(judge.ask(sample_call())).values["late"] for _ in range(2)]
        asyncio.run(judge.aclose())
        http.shutdown()
    assert values == [True, True]


async def test_a_missing_key_says_what_to_do_and_sends_nothing() -> None:
    with pytest.raises(JudgeMissingError, match=r"_API_KEY"):
        await ModelJudge("openai:some-model").ask(sample_call())


async def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai.providers.anthropic", None)
    with pytest.raises(JudgeMissingError, match=r"pip install 'afterturn\[anthropic\]'"):
        await ModelJudge("anthropic:claude", api_key="k").ask(sample_call())


async def test_a_library_that_no_extra_brings_is_named_itself() -> None:
    if importlib.util.find_spec("groq"):
        pytest.skip("groq is installed")
    with pytest.raises(JudgeMissingError, match=r"pip install 'pydantic-ai-slim\[groq\]'"):
        await ModelJudge("groq:model", api_key="k").ask(sample_call())


async def test_an_unknown_provider_is_a_missing_judge() -> None:
    with pytest.raises(JudgeMissingError, match="unknown provider"):
        await ModelJudge("nobody:model").ask(sample_call())


async def test_a_closed_judge_says_so(server: FakeServer, replies: Replies) -> None:
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    await judge.aclose()
    await judge.aclose()
    with pytest.raises(JudgeMissingError, match="closed"):
        await judge.ask(sample_call())


@pytest.mark.parametrize("name", ["", "openai", "openai:", ":m"])
def test_a_name_without_provider_or_model_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        ModelJudge(name)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("openai:gpt-4o-mini", "openai:gpt-4o-mini"),
        ("openai:Qwen/Qwen2.5-1.5B", "openai:Qwen/Qwen2.5-1.5B"),
        ("openai:/models/private/q4.gguf", "openai:q4.gguf"),
        ("openai:C:\\models\\q4.gguf", "openai:q4.gguf"),
        ("ollama:qwen3:4b", "ollama:qwen3:4b"),
    ],
)
def test_the_name_shows_no_path(name: str, shown: str) -> None:
    assert ModelJudge(name).name == shown


@pytest.mark.parametrize(
    ("base_url", "location"),
    [
        (None, "remote"),
        ("http://localhost:8080/v1", "local"),
        ("http://127.0.0.1:8080/v1", "local"),
        ("http://[::1]:8080/v1", "local"),
        ("http://10.0.0.7:8080/v1", "remote"),
        ("http://localhost.example/v1", "remote"),
        ("http://127.0.0.1.example/v1", "remote"),
    ],
)
def test_a_judge_is_local_only_where_the_address_is_this_machine(base_url: str | None, location: str) -> None:
    assert ModelJudge("openai:m", base_url=base_url).location == location


def test_no_representation_shows_the_key() -> None:
    assert "sk-secret" not in repr(Address(provider="openai", model="m", api_key="sk-secret"))


def test_importing_the_judges_imports_no_provider_library() -> None:
    heavy = "('pydantic_ai', 'openai', 'xllamacpp', 'onnxruntime')"
    code = f"import sys, afterturn.judges, afterturn.judges.model; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_the_first_question_of_a_process_already_keeps_the_libraries_quiet(
    server: FakeServer, replies: Replies
) -> None:
    server.says(replies.chat(GOOD))
    code = f"""
import asyncio, logging
from afterturn.judges import ModelJudge
from afterturn.testing import sample_call
logging.basicConfig(level=logging.DEBUG, format="%(name)s")
asyncio.run(ModelJudge("openai:m", base_url="{server.base_url}").ask(sample_call()))
"""
    done = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stderr=asyncio.subprocess.PIPE)
    _, logged = await done.communicate()
    assert done.returncode == 0
    assert [name for name in logged.decode().split() if name != "asyncio"] == []
    assert len(server.asked) == 1
