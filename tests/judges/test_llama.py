from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from afterturn.calls import Question
from afterturn.errors import JudgeMissingError, TruncatedError
from afterturn.judges import LlamaJudge, ModelJudge
from afterturn.judges._llama_reply import Gathered
from afterturn.testing import check_judge, sample_call
from afterturn.turns import JsonObject

MODEL = Path.home() / ".cache" / "afterturn" / "smollm2-135m-instruct-q4_1.gguf"
needs_model = [
    pytest.mark.server,
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="xllamacpp is not installed"),
    pytest.mark.skipif(not MODEL.is_file(), reason="no SmolLM2 GGUF; run benchmarks/fetch_live_model.py"),
]

YES_NO = Question(
    classifier="sample",
    version="1",
    fields={"late": {"type": "boolean"}, "who": {"enum": ["ai", "situation", "none"]}},
    instructions='- "late": is something late?\n- "who": ai, situation or none.',
)


def test_chunks_are_gathered_and_the_last_one_has_no_choices() -> None:
    gathered = Gathered()
    chunks: list[JsonObject] = [
        {"choices": [{"delta": {"role": "assistant", "content": None}, "finish_reason": None}]},
        {"choices": [{"delta": {"content": '{"a"'}, "logprobs": {"content": [{"token": "{"}]}}]},
        {"choices": [{"delta": {"content": ": 1}"}, "logprobs": {"content": [{"token": "1"}]}}]},
        {"choices": [{"delta": {}, "finish_reason": "length"}]},
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 6}},
    ]
    for chunk in chunks:
        gathered.add(chunk)
    assert gathered == Gathered(
        text='{"a": 1}',
        logprobs=[{"token": "{"}, {"token": "1"}],
        finish="length",
        input_tokens=5,
        output_tokens=6,
    )


def test_an_error_comes_as_a_chunk() -> None:
    gathered = Gathered()
    gathered.add({"error": {"code": 400, "message": "…"}})
    assert gathered.error_status == 400


async def test_a_missing_file_says_so(tmp_path: Path) -> None:
    judge = LlamaJudge(tmp_path / "none.gguf")
    with pytest.raises(JudgeMissingError, match="no GGUF file") as caught:
        await judge.ask(sample_call())
    assert caught.value.__context__ is None
    await judge.aclose()


async def test_a_missing_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    judge = LlamaJudge(tmp_path / "m.gguf")
    with pytest.raises(JudgeMissingError, match=r"pip install 'afterturn\[llm\]'"):
        await judge.ask(sample_call())
    await judge.aclose()


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="xllamacpp is not installed")
async def test_a_file_that_is_no_model_says_so(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"no model at all")
    judge = LlamaJudge(tmp_path / "m.gguf")
    with pytest.raises(JudgeMissingError, match=r"no model that llama\.cpp can load"):
        await judge.ask(sample_call())
    await judge.aclose()


async def test_a_closed_judge_says_so(tmp_path: Path) -> None:
    judge = LlamaJudge(tmp_path / "m.gguf")
    await judge.aclose()
    with pytest.raises(JudgeMissingError, match="closed"):
        await judge.ask(sample_call())


def test_its_name_has_no_path() -> None:
    assert LlamaJudge("/models/private/m.gguf").name == "llama:m.gguf"


@pytest.fixture(scope="module")
def llama() -> Iterator[LlamaJudge]:
    judge = LlamaJudge(MODEL, context_tokens=2_048)
    yield judge
    asyncio.run(judge.aclose())


class TestInProcess:
    pytestmark = needs_model

    async def test_a_real_model_answers_within_the_schema_with_confidence(self, llama: LlamaJudge) -> None:
        answer = await llama.ask(sample_call(YES_NO))
        assert isinstance(answer.values["late"], bool)
        assert answer.values["who"] in ("ai", "situation", "none")
        assert set(answer.confidence) == {"late", "who"}
        assert {confidence.source for confidence in answer.confidence.values()} == {"logprob"}
        assert answer.usage.input_tokens is not None
        assert answer.usage.output_tokens is not None
        assert answer.params.response_format == "json_schema"

    async def test_a_cancelled_call_stops_decoding_and_the_next_is_answered(self, llama: LlamaJudge) -> None:
        await llama.ask(sample_call(YES_NO))
        long = Question(
            classifier="long",
            version="1",
            fields={"text": {"type": "string", "minLength": 1_500, "maxLength": 1_900}},
            instructions='- "text": a very long story.',
        )
        task = asyncio.ensure_future(llama.ask(sample_call(long)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        answer = await llama.ask(sample_call(YES_NO))
        assert isinstance(answer.values["late"], bool)

    async def test_an_answer_that_needs_more_than_its_tokens_is_truncated(self, llama: LlamaJudge) -> None:
        field = {"type": "array", "items": {"type": "string", "minLength": 900}, "minItems": 1, "maxItems": 1}
        question = Question(classifier="long", version="1", fields={"list": field}, instructions='- "list": stories.')
        with pytest.raises(TruncatedError):
            await llama.ask(sample_call(question))

    async def test_it_keeps_the_contract(self) -> None:
        await check_judge(LlamaJudge(MODEL, context_tokens=2_048), call=sample_call(YES_NO))


class TestServer:
    """Through llama.cpp's own HTTP server, in a process of its own, as `openai:` with a base URL."""

    pytestmark = needs_model

    async def test_a_real_server_answers_within_the_schema_with_confidence(self) -> None:
        path = Path(__file__).parents[2] / "benchmarks" / "live_server.py"
        spec = importlib.util.spec_from_file_location("live_server", path)
        assert spec is not None
        assert spec.loader is not None
        live_server = importlib.util.module_from_spec(spec)
        sys.modules["live_server"] = live_server
        spec.loader.exec_module(live_server)
        with live_server.start_server(MODEL, ctx=2_048) as server:
            judge = ModelJudge("openai:smollm2", base_url=server.base_url)
            answer = await judge.ask(sample_call(YES_NO))
            await judge.aclose()
        assert isinstance(answer.values["late"], bool)
        assert answer.values["who"] in ("ai", "situation", "none")
        assert set(answer.confidence) == {"late", "who"}
        assert answer.params.response_format == "json_schema"
        assert answer.params.temperature == 0.0
