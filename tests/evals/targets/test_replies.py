"""Whatever form an agent answers in, the reply has its text, its calls in order, and its messages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from eval_parts import row

from afterturn.errors import AgentError
from afterturn.evals.targets import reply_from
from afterturn.evals.targets._replies import MOST_CHARS
from afterturn.evals.targets.python import PythonTarget
from afterturn.turns import Agent, Message, Passage, Turn
from afterturn.verdicts import Usage

CALL: dict[str, Any] = {"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"at": "x"}'}}
ASKED: dict[str, Any] = {"role": "user", "content": "What is 1+1?"}
ADDED: list[dict[str, Any]] = [
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "1", "content": "2"},
    {"role": "assistant", "content": "It is 2."},
]
TURN = Turn(
    messages=(Message(role="user", text="What is 1+1?"), Message(role="assistant", text="It is 2.")),
    agent=Agent("calc"),
    passages=(Passage(alias="c1", text="P"),),
)


@pytest.mark.parametrize("given", [[ASKED, *ADDED], ADDED, {"messages": [ASKED, *ADDED]}, {"messages": ADDED}])
def test_chat_messages_may_be_the_whole_conversation_or_the_new_ones(given: Any) -> None:
    reply = reply_from(given, row())
    assert (reply.text, [call.name for call in reply.tool_calls]) == ("It is 2.", ["find"])
    assert [message.role for message in reply.messages] == ["assistant", "tool", "assistant"]
    assert reply.tool_calls[0].arguments == {"at": "x"}


@pytest.mark.parametrize(
    "given",
    [
        "It is 2.",
        TURN,
        TURN.messages,
        TURN.messages[-1],
        {"role": "assistant", "content": "It is 2."},
        {"text": "It is 2."},
        {"output": "It is 2."},
        {"choices": [{"message": {"role": "assistant", "content": "It is 2."}}]},
        [{"role": "assistant", "content": [{"type": "text", "text": "It is 2."}]}],
    ],
)
def test_every_form_of_a_plain_reply_is_the_same_reply(given: Any) -> None:
    reply = reply_from(given, row())
    assert (reply.text, reply.tool_calls, len(reply.messages)) == ("It is 2.", (), 1)


def test_a_turn_brings_its_agent_and_passages() -> None:
    reply = reply_from(TURN, row())
    assert (reply.agent.id, reply.passages) == ("calc", TURN.passages)


def test_an_object_may_tell_usage_cost_tools_and_passages() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    given = {"text": "x", "usage": usage, "cost_usd": 0.5, "model": "m", "tools": ["find"], "passages": ["P"]}
    reply = reply_from({**given, "tool_calls": [CALL]}, row())
    assert (reply.usage, reply.cost_usd) == (Usage(input_tokens=3, output_tokens=4), 0.5)
    assert (reply.agent.model, reply.agent.tool_names) == ("m", ("find",))
    assert [passage.text for passage in reply.passages or ()] == ["P"]
    assert [call.name for call in reply.tool_calls] == ["find"]


def test_half_a_character_becomes_one_that_can_be_stored() -> None:
    assert reply_from("a \ud83d", row()).text == "a \N{REPLACEMENT CHARACTER}"


NO_REPLIES: list[Any] = [1, 1.5, object(), b"x", {"text": 3}, [1], {"messages": "x"}, {"choices": [{}]}]


@pytest.mark.parametrize("given", NO_REPLIES)
def test_what_is_no_reply_is_said_to_be_none_without_quoting_it(given: Any) -> None:
    with pytest.raises(AgentError) as caught:
        reply_from(given, row())
    assert caught.value.code == "bad_reply"


async def test_a_stream_without_an_end_and_a_reply_without_bounds_are_no_replies() -> None:
    def endless(_: object) -> Iterator[str]:
        while True:
            yield "a" * 2**20

    async def empty(_: object) -> AsyncIterator[str]:
        while True:
            yield ""

    def long(_: object) -> str:
        return "a" * (MOST_CHARS + 1)

    functions: list[Callable[..., object]] = [endless, empty, long]
    for function in functions:
        with pytest.raises(AgentError, match="is longer than 32 million characters") as caught:
            await PythonTarget(function, name="shop:answer").ask(row())
        assert caught.value.code == "bad_reply"
