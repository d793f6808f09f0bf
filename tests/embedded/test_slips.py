"""A slip of the host is told where it is made, and what a provider leaves out costs no turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from afterturn import Agent, Tool
from afterturn.errors import AfterturnError, UsageError
from afterturn.live import LiveTurn
from afterturn.testing import ScriptedJudge

WORDS = {"choices": [{"index": 0, "delta": {"content": "Hello there."}}]}
NAMELESS: dict[str, Any] = {
    "no name": {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}}]},
    "a null name": {"choices": [{"index": 0, "delta": {"tool_calls": [{"function": {"name": None}}]}}]},
    "no function": {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1"}]}}]},
    "anthropic": {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t"}},
}


@pytest.mark.parametrize("event", NAMELESS.values(), ids=NAMELESS)
async def test_a_call_without_a_name_is_left_out_and_the_turn_is_stored(
    event: object, make_afterturn: Any, agent: Agent
) -> None:
    at = make_afterturn(ScriptedJudge({}))
    async with at.turn(agent=agent, session="s-1", message="Hi") as turn:
        assert [text async for text in turn.stream([WORDS, event])] == ["Hello there."]
    stored = at.store.turn("default", turn.id)
    assert stored is not None
    assert (stored.reply.text, stored.messages[-1].tool_calls) == ("Hello there.", ())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"message": None}, "`message` is of type NoneType"),
        ({"message": 5}, "`message` is of type int"),
        ({"agent": "support"}, "`agent` is of type str"),
        ({"session": ""}, "`session` is empty"),
        ({"session": "a\nb"}, "session"),
        ({"session": "x" * 513}, "session"),
        ({"turn": "t\x00"}, "turn"),
        ({"tenant": "a\nb"}, "tenant"),
        ({"agent": Agent("a", tools=(Tool(name=""),))}, "tools"),
        ({"agent": Agent("a", categories=("IT", " "))}, "categories"),
    ],
)
def test_what_could_not_be_stored_is_refused_when_the_turn_begins(
    wrong: dict[str, Any], said: str, make_afterturn: Any, agent: Agent
) -> None:
    at = make_afterturn(ScriptedJudge({}))
    with pytest.raises(AfterturnError, match=said):
        at.turn(**{"agent": agent, "session": "s-1", "message": "Hi", **wrong})


async def test_a_turn_is_entered_once_and_takes_no_reply_after_its_end(make_afterturn: Any, agent: Agent) -> None:
    at = make_afterturn(ScriptedJudge({}))
    async with at.turn(agent=agent, session="s-1", message="Hi") as turn:
        turn.reply("Hello!")
    with pytest.raises(UsageError, match="the turn is over"):
        turn.reply("later")
    with pytest.raises(UsageError, match="the turn is over"):
        [text async for text in turn.stream(["later"])]
    with pytest.raises(UsageError, match="entered once"):
        await turn.__aenter__()


async def test_no_turn_begins_after_the_end(make_afterturn: Any, agent: Agent) -> None:
    at = make_afterturn(ScriptedJudge({}))
    await at.aclose()
    with pytest.raises(UsageError, match="closed"):
        at.turn(agent=agent, session="s-1", message="Hi")


async def test_a_stream_that_the_host_left_is_closed_with_the_turn(make_afterturn: Any, agent: Agent) -> None:
    closed = asyncio.Event()

    async def model() -> AsyncIterator[str]:
        try:
            for _ in range(1_000):
                yield "word "
        finally:
            closed.set()

    at = make_afterturn(ScriptedJudge({}))
    source = model()
    async with at.turn(agent=agent, session="s-1", message="Hi") as turn:
        async for _ in turn.stream(source):
            break
    assert closed.is_set()


async def test_aliases_begin_elsewhere_where_the_history_cannot_be_looked_up(
    make_afterturn: Any, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(self: LiveTurn) -> None:
        raise TimeoutError

    monkeypatch.setattr(LiveTurn, "_last_turn", silent)
    at = make_afterturn(ScriptedJudge({}))
    async with at.turn(agent=agent, session="s-1", message="Hi") as turn:
        (alias,) = turn.passages(["Leave is 27 days."]).aliases
        turn.reply(f"27 days [{alias}].")
    number = int(alias.removeprefix("c"))
    assert number > 1_000
    assert number % 1_000 == 1
