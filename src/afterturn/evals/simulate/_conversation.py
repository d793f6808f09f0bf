"""Lets a simulated customer talk to an agent: one row is one conversation, and its reply is the whole of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from afterturn.errors import AgentError
from afterturn.evals._faults import Fault, agent_fault, judge_fault
from afterturn.evals._joining import added_messages, joined_replies, parts_of
from afterturn.evals._prices import Prices
from afterturn.evals._records import Reply, Row
from afterturn.evals.assertions._seen import seen
from afterturn.evals.simulate._customer import Customer, Exchange, Said, Scene
from afterturn.evals.simulate._leaks import LeakCheck
from afterturn.evals.simulate._model import ModelCustomer, hidden_of
from afterturn.evals.simulate._persona import SCRIPT, Persona
from afterturn.evals.simulate._played import KEY, Played
from afterturn.evals.simulate._scenarios import opens, persona_of
from afterturn.evals.simulate._scripted import ScriptedCustomer
from afterturn.evals.simulate._stops import Stop, agent_stop, is_goodbye
from afterturn.evals.targets._base import Target
from afterturn.turns import JsonObject, Message, Passage

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

MAX_TURNS = 12
MOST_WAITS = 4
"""How often one turn waits for a rate limit before the whole conversation is put off."""


class Conversations:
    """Is a target that answers a row by a conversation.

    The agent sees what was said, its tools and their stubs; neither the persona nor what is asserted. A failing
    customer does not raise: the conversation so far is given back with the fault, so that it is kept and paid for.

    Args:
        agent: The agent under test.
        model: The model that plays the personas; None where their scripts play them.
        max_turns: Replies of the agent, at most.
        deadline_s: Seconds that the agent has for a turn.
        prices: What models cost.
        sleep: Waits; given in tests.
    """

    def __init__(
        self,
        agent: Target,
        *,
        model: ModelCustomer | None = None,
        max_turns: int = MAX_TURNS,
        deadline_s: float = 120.0,
        prices: Prices | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._agent = agent
        self._model = model
        self._max_turns = max_turns
        self._deadline_s = deadline_s
        self._prices = prices or Prices({})
        self._sleep = sleep

    @property
    def name(self) -> str:
        """The agent's name."""
        return self._agent.name

    @property
    def options(self) -> JsonObject:
        """The agent's options, and what decides the conversations."""
        told = {"simulator": None if self._model is None else self._model.name, "max_turns": self._max_turns}
        return {**self._agent.options, KEY: told}

    @property
    def free(self) -> bool:
        """Whether asking the agent costs nothing for sure; the customer's model is counted apart."""
        return self._agent.free

    async def ask(self, row: Row) -> Reply:
        """Has a conversation.

        Raises:
            AgentError: With the code of what went wrong, at whichever turn.
        """
        talk = _Talk.begin(row)
        parts = [] if opens(row) else list(parts_of(row.input))
        for place, part in enumerate(parts):
            await self._exchange(talk, part)
            stop = agent_stop(row, talk.replies[-1], talk.exchanges)
            if stop is None and len(talk.replies) >= self._max_turns and place < len(parts) - 1:
                stop = "max_turns"
            if stop is not None:
                return self._whole(talk, stop)
        return self._whole(talk, await self._played(talk))

    async def aclose(self) -> None:
        """Frees what the agent holds, and the customer's model."""
        try:
            await self._agent.aclose()
        finally:
            if self._model is not None:
                await self._model.aclose()

    async def _played(self, talk: _Talk) -> Stop:
        """Lets the customer play on to the end."""
        modelled = self._model is not None and talk.persona.id != SCRIPT
        customer: Customer = self._model if modelled and self._model else ScriptedCustomer(talk.persona)
        talk.player = self._model.name if modelled and self._model else SCRIPT
        while True:
            over = self._over(talk)
            said = await self._said(customer, talk, 0 if over else self._left(talk))
            if isinstance(said, Fault):
                talk.fault = said
                return "customer_failed"
            if said is None:
                return over or "script_over"
            talk.pay(said)
            if over is not None or not said.text:
                return said.end or over or "script_over"
            talk.look_for_leaks(said.text, modelled=modelled)
            await self._exchange(talk, [Message(role="user", text=said.text)])
            if said.end is not None:
                return said.end
            stop = agent_stop(talk.row, talk.replies[-1], talk.exchanges)
            if stop is not None:
                return stop

    def _over(self, talk: _Talk) -> Stop | None:
        """Why the customer may write nothing more; it may still say whether its goal is reached."""
        if talk.exchanges and is_goodbye(talk.exchanges[-1]):
            return "goodbye"
        if len(talk.replies) >= talk.persona.patience:
            return "patience_over"
        return "max_turns" if len(talk.replies) >= self._max_turns else None

    def _left(self, talk: _Talk) -> int:
        return min(talk.persona.patience, self._max_turns) - len(talk.replies)

    async def _said(self, customer: Customer, talk: _Talk, left: int) -> Said | Fault | None:
        """Asks the customer; whatever its model raises is its fault and not the agent's."""
        scene = Scene(persona=talk.persona, exchanges=tuple(talk.exchanges), left=left)
        try:
            return await self._patiently(lambda: customer.next(scene), judge_fault)
        except Exception as error:  # a model of any kind may break in any way; the conversation so far is kept
            fault = judge_fault(error)
            return replace(fault, code=f"simulator_{fault.code}"[:40])

    async def _exchange(self, talk: _Talk, said: list[Message]) -> None:
        """Says something to the agent and keeps its reply."""
        talk.messages += said
        turn = len(talk.replies) + 1
        reply = await self._patiently(lambda: self._answer(talk, turn), agent_fault)
        if not reply.text.strip() and not reply.tool_calls:
            raise AgentError("no_reply", f"turn {turn}: the agent said nothing and called no tool")
        cost = reply.cost_usd
        if cost is None:
            cost = self._prices.of(reply.usage, self._agent.name, reply.agent.model)
        if cost is None and self._agent.free:
            cost = 0.0
        talk.add(said[-1].text, replace(reply, cost_usd=cost))

    async def _answer(self, talk: _Talk, turn: int) -> Reply:
        """Asks the agent, under the deadline of a turn.

        Raises:
            AgentError: With the turn in what it says.
            BaseException: Whatever else the agent raised.
        """
        overdue = asyncio.timeout(self._deadline_s)
        try:
            async with overdue:
                return await self._agent.ask(replace(talk.bare, input=tuple(talk.messages)))
        except TimeoutError:
            if overdue.expired():
                raise AgentError("timeout", f"turn {turn}: no answer within {self._deadline_s:g} s") from None
            raise
        except AgentError as error:
            hint = f"turn {turn}: {error.hint}"
            raise AgentError(error.code, hint, retry_after_s=error.retry_after_s) from None

    async def _patiently(self, call: Callable[[], Awaitable[T]], fault_of: Callable[[BaseException], Fault]) -> T:
        """Makes a call that may meet rate limits again, a few times; the conversation need not begin anew for one."""
        for attempt in range(MOST_WAITS):
            try:
                return await call()
            except Exception as error:  # clients of any kind have their own errors for a rate limit
                fault = fault_of(error)
                if not fault.wait:
                    raise
                await self._sleep(fault.retry_after_s if fault.retry_after_s is not None else 2.0**attempt)
        return await call()

    def _whole(self, talk: _Talk, stop: Stop) -> Reply:
        """Makes the reply: all that the agent said and called, and the conversation as its messages."""
        reply = joined_replies(talk.replies) if talk.replies else Reply(text="", cost_usd=0.0)
        told = Played(
            persona=talk.persona.id,
            player=talk.player,
            stop=stop,
            turns=len(talk.replies),
            leaks=talk.leaks,
            input_tokens=talk.input_tokens,
            output_tokens=talk.output_tokens,
            cost_usd=talk.cost_usd,
            fault=talk.fault.code if talk.fault else None,
            message=talk.fault.message if talk.fault else "",
        )
        return replace(
            reply,
            text="\n\n".join(one.text for one in talk.replies if one.text),
            messages=tuple(talk.messages),
            passages=_passages(talk.replies),
            extra={**reply.extra, KEY: told.to_json()},
        )


@dataclass(kw_only=True, slots=True)
class _Talk:
    """Is a conversation under way."""

    row: Row
    bare: Row
    persona: Persona
    leak_check: LeakCheck
    messages: list[Message] = field(default_factory=list[Message])
    replies: list[Reply] = field(default_factory=list[Reply])
    exchanges: list[Exchange] = field(default_factory=list[Exchange])
    player: str = SCRIPT
    leaks: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = 0.0
    fault: Fault | None = None

    @classmethod
    def begin(cls, row: Row) -> _Talk:
        persona = persona_of(row)
        bare = replace(row, metadata={}, assertions=(), expected=None, criteria=(), expected_tool_calls=None)
        allowed = (persona.situation, persona.knowledge, persona.opening, *persona.facts.values())
        return cls(row=row, bare=bare, persona=persona, leak_check=LeakCheck(hidden_of(persona), allowed))

    def add(self, customer: str, reply: Reply) -> None:
        """Keeps a turn; the customer sees the reply without markers and leaked calls."""
        shown = seen(self.row, reply).text
        self.replies.append(reply)
        self.messages += added_messages(reply)
        self.exchanges.append(Exchange(customer=customer, agent=shown))
        self.leak_check.allow(shown)

    def pay(self, said: Said) -> None:
        """Counts what the customer's model used."""
        self.input_tokens = _plus(self.input_tokens, said.usage.input_tokens)
        self.output_tokens = _plus(self.output_tokens, said.usage.output_tokens)
        known = self.cost_usd is not None and said.cost_usd is not None
        self.cost_usd = self.cost_usd + said.cost_usd if known else None  # pyright: ignore[reportOperatorIssue]

    def look_for_leaks(self, text: str, *, modelled: bool) -> None:
        """Counts a message that quotes what is hidden; a script says what its author wrote."""
        self.leaks += modelled and self.leak_check.leaks(text)


def _plus(sum_: int | None, more: int | None) -> int | None:
    return None if sum_ is None or more is None else sum_ + more


def _passages(replies: list[Reply]) -> tuple[Passage, ...] | None:
    """The passages of all turns, by alias; None where no turn told any."""
    told = [reply.passages for reply in replies if reply.passages is not None]
    return tuple({passage.alias: passage for passages in told for passage in passages}.values()) if told else None
