"""What a provider may do wrong, over a real connection: the right error, the exact number of requests, no text."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from afterturn.errors import (
    InvalidJsonError,
    JudgeError,
    JudgeMissingError,
    JudgeTimeoutError,
    ProviderError,
    RateLimitedError,
    RefusedError,
    TruncatedError,
)
from afterturn.judges import Deadline, ModelJudge, Retry, Trace
from afterturn.judges._faults import judge_error
from afterturn.testing import CANARY, sample_call

if TYPE_CHECKING:
    from fake_server import FakeServer, Replies

REPLY_CANARY = "otter-mauve-90"
OBJECT = f'{{"title": "{REPLY_CANARY}", "late": true}}'
REFUSAL = {"role": "assistant", "content": None, "refusal": f"I cannot talk about {REPLY_CANARY}"}

Fault = Callable[["Replies"], "bytes | Callable[..., bytes | None]"]

# name, what the server does, the error, whether a retry helps, requests that one question costs
FAULTS: list[tuple[str, Fault, type[JudgeError], bool, int]] = [
    ("hang", lambda r: hang, JudgeTimeoutError, False, 1),
    ("refusal", lambda r: r.chat(None, message=REFUSAL), RefusedError, False, 1),
    ("content filter", lambda r: r.chat(OBJECT, finish="content_filter"), RefusedError, False, 1),
    ("prose", lambda r: r.chat(f"The title is {REPLY_CANARY}."), InvalidJsonError, False, 1),
    ("two objects", lambda r: r.chat(OBJECT + OBJECT), InvalidJsonError, False, 1),
    ("object and prose", lambda r: r.chat(OBJECT + " Done."), InvalidJsonError, False, 1),
    ("NaN", lambda r: r.chat(f'{{"title": "{REPLY_CANARY}", "late": NaN}}'), InvalidJsonError, False, 1),
    ("a key twice", lambda r: r.chat('{"late": true, "late": false}'), InvalidJsonError, False, 1),
    ("empty", lambda r: r.chat(""), InvalidJsonError, False, 1),
    ("null content", lambda r: r.chat(None), InvalidJsonError, False, 1),
    ("truncated", lambda r: r.chat(OBJECT[:20], finish="length"), TruncatedError, False, 1),
    ("endless white space", lambda r: r.chat('{"title":' + "\n" * 99, finish="length"), TruncatedError, False, 1),
    ("429", lambda r: r.http(429, {"error": REPLY_CANARY}), RateLimitedError, True, 1),
    ("503", lambda r: r.http(503, {"error": REPLY_CANARY}), ProviderError, True, 1),
    ("529", lambda r: r.http(529, {"error": REPLY_CANARY}), ProviderError, True, 1),
    # 500 and not 503: one server build says so to a schema, so the other form is tried once
    ("500", lambda r: r.http(500, {"error": REPLY_CANARY}), ProviderError, True, 2),
    ("reset at once", lambda r: b"X-Breaks: 1", ProviderError, True, 1),
    ("reset in the body", lambda r: broken_body(), ProviderError, True, 1),
    ("garbage", lambda r: b"\x00\x01 hello\r\n\r\n", ProviderError, True, 1),
    ("wrong content type", lambda r: r.http(200, OBJECT.encode(), content_type="text/html"), ProviderError, True, 1),
    ("JSON of another shape", lambda r: r.http(200, {"answer": REPLY_CANARY}), ProviderError, True, 1),
    ("body is no JSON", lambda r: r.http(200, REPLY_CANARY.encode()), ProviderError, True, 1),
    ("no choices", lambda r: r.http(200, {"id": "x", "choices": []}), ProviderError, True, 1),
    ("401", lambda r: r.http(401, {"error": REPLY_CANARY}), JudgeMissingError, False, 1),
    ("403", lambda r: r.http(403, {"error": REPLY_CANARY}), JudgeMissingError, False, 1),
    ("404", lambda r: r.http(404, {"error": REPLY_CANARY}), JudgeMissingError, False, 1),
    ("413", lambda r: r.http(413, {"error": REPLY_CANARY}), ProviderError, False, 1),
    ("402", lambda r: r.http(402, {"error": REPLY_CANARY}), RateLimitedError, False, 1),
]


def hang(_: object) -> None:
    """Never answers."""


def broken_body() -> bytes:
    head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\nX-Breaks: 1\r\n\r\n"
    return head.encode() + OBJECT.encode()


@pytest.mark.parametrize(
    ("fault", "error", "transient", "requests"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS]
)
async def test_each_fault_is_its_typed_error_without_text(
    server: FakeServer,
    replies: Replies,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
    error: type[JudgeError],
    transient: bool,
    requests: int,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.says(fault(replies))
    judge = ModelJudge("openai:some-model", base_url=server.base_url, timeout_s=0.3)
    with pytest.raises(JudgeError) as caught:
        await judge.ask(sample_call())
    await judge.aclose()
    assert type(caught.value) is error
    assert caught.value.transient is transient
    assert len(server.asked) == requests
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    told = repr(caught.value) + repr(vars(caught.value)) + caplog.text
    assert CANARY not in told
    assert REPLY_CANARY not in told


async def test_a_good_answer_leaves_no_text_in_the_debug_logs_either(
    server: FakeServer, replies: Replies, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.says(replies.chat(OBJECT))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    await judge.ask(sample_call())
    await judge.aclose()
    assert CANARY not in caplog.text
    assert REPLY_CANARY not in caplog.text


async def test_the_hosts_own_use_of_the_same_library_keeps_its_logs(
    server: FakeServer, replies: Replies, caplog: pytest.LogCaptureFixture
) -> None:
    from openai import AsyncOpenAI

    caplog.set_level(logging.DEBUG, logger="openai._base_client")
    server.says(replies.chat(OBJECT))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    async with AsyncOpenAI(base_url=server.base_url, api_key="k") as client:
        asking = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
        await asyncio.gather(judge.ask(sample_call()), asking)
    await judge.aclose()
    assert len(server.asked) == 2
    assert [record.getMessage() for record in caplog.records].count("HTTP Response: POST 200") == 1


async def test_retry_after_is_read_from_the_header(server: FakeServer, replies: Replies) -> None:
    server.says(replies.http(429, {}, headers="Retry-After: 3\r\n"))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    with pytest.raises(RateLimitedError) as caught:
        await judge.ask(sample_call())
    await judge.aclose()
    assert caught.value.retry_after_s == 3.0


async def test_a_rate_limit_is_retried_once_after_the_time_that_the_provider_asks_for(
    server: FakeServer, replies: Replies
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    server.says(replies.http(429, {}, headers="Retry-After: 2\r\n"), replies.chat(OBJECT))
    judge = Trace(Deadline(Retry(ModelJudge("openai:some-model", base_url=server.base_url), sleep=sleep)))
    answer = await judge.ask(sample_call())
    await judge.aclose()
    assert answer.values["late"] is True
    assert slept == [2.0]
    assert len(server.asked) == 2


async def test_the_client_library_never_retries_by_itself(server: FakeServer, replies: Replies) -> None:
    server.says(replies.http(503, {}, headers="Retry-After: 0\r\nx-should-retry: true\r\n"))
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    with pytest.raises(ProviderError):
        await judge.ask(sample_call())
    await judge.aclose()
    assert len(server.asked) == 1


async def test_nobody_listening_is_a_broken_connection() -> None:
    judge = ModelJudge("openai:some-model", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(ProviderError) as caught:
        await judge.ask(sample_call())
    await judge.aclose()
    assert caught.value.transient is True


async def test_a_cancelled_question_ends_as_cancelled(server: FakeServer) -> None:
    hung = asyncio.Event()

    def hang(_: object) -> None:
        hung.set()

    server.says(hang)
    judge = ModelJudge("openai:some-model", base_url=server.base_url)
    task = asyncio.ensure_future(judge.ask(sample_call()))
    await hung.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await judge.aclose()


def test_an_error_that_derives_from_base_exception_is_a_provider_error_that_no_retry_cures() -> None:
    class PanicError(BaseException):
        pass

    found = judge_error(PanicError("secret"), "openai")
    assert isinstance(found, ProviderError)
    assert found.transient is False
    assert found.hint == "PanicError while reading the provider's reply"
