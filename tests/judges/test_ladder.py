from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from afterturn.errors import JudgeError, JudgeTimeoutError, ProviderError
from afterturn.judges import ModelJudge
from afterturn.judges._ladder import forget
from afterturn.testing import sample_call

if TYPE_CHECKING:
    from fake_server import Asked, FakeServer, Replies

GOOD = '{"title": null, "late": true}'


def accepting(
    replies: Replies, takes: Callable[[dict[str, Any]], bool], refusal: str = "bad request"
) -> Callable[[Asked], bytes]:
    """A server that answers a body that it takes and refuses any other."""

    def step(asked: Asked) -> bytes:
        return replies.chat(GOOD) if takes(asked.body) else replies.http(400, {"error": {"message": refusal}})

    return step


def judge_at(server: FakeServer) -> ModelJudge:
    return ModelJudge("openai:some-model", base_url=server.base_url)


def form_of(body: dict[str, Any]) -> str:
    """What a request asks for, in one word."""
    response_format = body["response_format"]
    kind = response_format["type"]
    bounded = "+bounds" if "maxLength" in json.dumps(response_format) else ""
    return f"{kind}{'+schema' if 'schema' in response_format else ''}{bounded}"


async def test_the_ladder_is_climbed_down_rung_by_rung_and_remembered(server: FakeServer, replies: Replies) -> None:
    server.says(accepting(replies, lambda body: form_of(body) == "json_object", "response_format is not supported"))
    judge = judge_at(server)
    answer = await judge.ask(sample_call())
    assert answer.values == {"title": None, "late": True}
    assert answer.params.response_format == "json_object"
    assert [form_of(body) for body in server.bodies] == [
        "json_schema+bounds",
        "json_schema",
        "json_object+schema+bounds",
        "json_object",
    ]
    assert '"late": {"type": "boolean"}' in str(server.bodies[-1]["messages"])
    await judge.ask(sample_call())
    await judge.aclose()
    again = judge_at(server)
    await again.ask(sample_call())
    await again.aclose()
    assert [form_of(body) for body in server.bodies[4:]] == ["json_object", "json_object"]


async def test_only_the_keywords_that_were_refused_are_left_out(server: FakeServer, replies: Replies) -> None:
    server.says(accepting(replies, lambda body: "bounds" not in form_of(body), "invalid json_schema"))
    judge = judge_at(server)
    answer = await judge.ask(sample_call())
    await judge.aclose()
    assert answer.params.response_format == "json_schema_reduced"
    assert [form_of(body) for body in server.bodies] == ["json_schema+bounds", "json_schema"]


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0 with this model."),
        ("logprobs", "logprobs are not supported"),
        ("chat_template_kwargs", "Unrecognized request argument supplied: chat_template_kwargs"),
    ],
)
async def test_a_parameter_that_the_refusal_names_is_left_out_from_then_on(
    server: FakeServer, replies: Replies, field: str, message: str
) -> None:
    server.says(accepting(replies, lambda body: field not in body, message))
    judge = judge_at(server)
    first, second = await judge.ask(sample_call()), await judge.ask(sample_call())
    await judge.aclose()
    assert [field in body for body in server.bodies] == [True, False, False]
    assert form_of(server.bodies[-1]) == "json_schema+bounds"
    expected = None if field == "temperature" else 0.0
    assert [first.params.temperature, second.params.temperature] == [expected, expected]


async def test_a_refusal_without_a_name_costs_the_extras_before_the_schema(
    server: FakeServer, replies: Replies
) -> None:
    server.says(accepting(replies, lambda body: "logprobs" not in body and "chat_template_kwargs" not in body))
    judge = judge_at(server)
    answer = await judge.ask(sample_call())
    await judge.aclose()
    assert answer.params.response_format == "json_schema"
    assert answer.params.temperature == 0.0
    assert len(server.asked) == 2


async def test_a_server_that_refuses_everything_is_given_up_and_nothing_is_remembered(
    server: FakeServer, replies: Replies
) -> None:
    server.says(replies.http(400, {"error": {"message": "no"}}))
    judge = judge_at(server)
    with pytest.raises(ProviderError) as caught:
        await judge.ask(sample_call())
    assert caught.value.transient is False
    assert len(server.asked) == 6
    server.says(replies.chat(GOOD))
    answer = await judge.ask(sample_call())
    await judge.aclose()
    assert answer.params.response_format == "json_schema"
    assert answer.params.temperature == 0.0


async def test_one_server_build_answers_500_to_a_schema_and_takes_it_beside_json_object(
    server: FakeServer, replies: Replies
) -> None:
    def step(asked: Asked) -> bytes:
        return replies.chat(GOOD) if form_of(asked.body).startswith("json_object") else replies.http(500, {"error": {}})

    server.says(step)
    judge = judge_at(server)
    answers = [await judge.ask(sample_call()) for _ in range(2)]
    await judge.aclose()
    assert [answer.params.response_format for answer in answers] == ["json_object", "json_object"]
    assert [form_of(body) for body in server.bodies] == [
        "json_schema+bounds",
        "json_object+schema+bounds",
        "json_object+schema+bounds",
    ]


async def test_an_outage_is_not_remembered_as_a_refusal(server: FakeServer, replies: Replies) -> None:
    server.says(replies.http(500, {"error": {}}))
    judge = judge_at(server)
    with pytest.raises(ProviderError) as caught:
        await judge.ask(sample_call())
    assert caught.value.transient is True
    assert len(server.asked) == 2
    server.says(replies.chat(GOOD))
    assert (await judge.ask(sample_call())).params.response_format == "json_schema"
    server.says(replies.http(500, {"error": {}}))
    with pytest.raises(ProviderError):
        await judge.ask(sample_call())
    await judge.aclose()
    assert len(server.asked) == 4, "a schema that worked before is not what a 500 is about"


async def test_what_one_model_refused_says_nothing_about_another(server: FakeServer, replies: Replies) -> None:
    server.says(accepting(replies, lambda body: body["model"] == "b" or "temperature" not in body, "temperature"))
    for model in ("a", "b"):
        judge = ModelJudge(f"openai:{model}", base_url=server.base_url)
        await judge.ask(sample_call())
        await judge.aclose()
    assert [(body["model"], "temperature" in body) for body in server.bodies] == [
        ("a", True),
        ("a", False),
        ("b", True),
    ]


async def test_a_prompt_longer_than_the_context_is_no_refusal_of_the_form(server: FakeServer, replies: Replies) -> None:
    message = "request (6031 tokens) exceeds the available context size (4096 tokens), try increasing it"
    error = {"code": 400, "message": message, "type": "exceed_context_size_error", "n_ctx": 4096}
    server.says(replies.http(400, {"error": error}))
    judge = judge_at(server)
    with pytest.raises(ProviderError) as caught:
        await judge.ask(sample_call())
    await judge.aclose()
    assert caught.value.transient is False
    assert len(server.asked) == 1


async def test_forgetting_begins_anew(server: FakeServer, replies: Replies) -> None:
    server.says(accepting(replies, lambda body: "temperature" not in body, "temperature"))
    judge = judge_at(server)
    await judge.ask(sample_call())
    forget()
    await judge.ask(sample_call())
    await judge.aclose()
    assert ["temperature" in body for body in server.bodies] == [True, False, True, False]


async def test_a_hang_on_a_lower_rung_is_a_timeout(server: FakeServer, replies: Replies) -> None:
    server.says(replies.http(400, {"error": "schema"}), lambda _: None)
    judge = ModelJudge("openai:m", base_url=server.base_url, timeout_s=0.2)
    with pytest.raises(JudgeError) as caught:
        await judge.ask(sample_call())
    await judge.aclose()
    assert isinstance(caught.value, JudgeTimeoutError)
