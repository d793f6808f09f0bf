"""Has one turn under a design: with the reporting tool in the loop, or answer first and classify after."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from afterturn.classifiers import BUILT_IN
from afterturn.designs._agent import Answered, answer
from afterturn.designs._catch_up import catch_up, choice_of
from afterturn.designs._chat import Chat
from afterturn.designs._conversations import Said, Setting
from afterturn.designs._records import CatchUp, DesignName, Tokens, TurnFound
from afterturn.designs._report_tool import OBLIGATION_NAME, OPTIONAL_NAME, PROTOCOL, is_report, report_tool
from afterturn.outcomes import Judgement
from afterturn.turns import Agent, Message, Tool, Turn

Classify = Callable[[Turn], Awaitable[Judgement]]

CONVERSATION = next(classifier for classifier in BUILT_IN if classifier.name == "conversation")


@dataclass(kw_only=True, slots=True)
class Session:
    """Is one conversation under one design.

    Attributes:
        chat: The model that answers.
        classify: Judges a finished turn (answer-first).
        setting: The form, the categories, the opening.
        prompt: The agent's prompt, the form's part included.
        design: The design.
        way: How the catch-up is forced; None where nobody found out, and no design needs it.
        seed: Seed of the sampling.
        history: The conversation so far, raw.
        filled: Form fields that were recorded so far.
    """

    chat: Chat
    classify: Classify
    setting: Setting
    prompt: str
    design: DesignName
    way: CatchUp | None
    seed: int | None = None
    history: list[Message] = field(default_factory=list[Message])
    filled: set[str] = field(default_factory=set[str])

    async def turn(self, said: Said, found: TurnFound) -> TurnFound:
        """Has one turn.

        Args:
            said: The customer's message.
            found: The record to fill in: design, repeat, conversation, turn.

        Raises:
            AgentError: The model could not be asked.
        """
        if not self.history and self.setting.opening:
            self.history.append(Message(role="assistant", text=self.setting.opening))
        before = [Message(role="system", text=self._system), *self.history, Message(role="user", text=said.message)]
        tools = self._tools
        answered = await answer(
            self.chat,
            before,
            self.setting,
            tools,
            reporting=self._reporting,
            choice=choice_of(self.way or "named", tools[-1]) if self.design == "forced" else None,
            seed=self.seed,
        )
        self.filled |= answered.filled
        found = self._noted(found, said, answered, tools)
        found = await self._reported(found, answered, [*before, *answered.added])
        self.history += [before[-1], *answered.added]
        return found

    @property
    def _reporting(self) -> str | None:
        """Name of the reporting tool."""
        if self.design == "answer_first":
            return None
        return OPTIONAL_NAME if self.design == "optional" else OBLIGATION_NAME

    @property
    def _tools(self) -> list[Tool]:
        own = self._reporting
        report = [report_tool(own, self.setting.categories)] if own else []
        only = self.design == "forced" and self.way == "required"  # some tool must be called: it may be no other
        return report if only else [self.setting.tool, *report]

    @property
    def _system(self) -> str:
        """The prompt; what differs between designs stands at its end, so that a server's prompt cache serves all."""
        protocol = PROTOCOL.format(name=self._reporting) if self.design == "protocol" else ""
        return "\n\n".join(part for part in (self.prompt, protocol) if part)

    def _noted(self, found: TurnFound, said: Said, answered: Answered, tools: Sequence[Tool]) -> TurnFound:
        return replace(
            found,
            text=answered.text,
            called=answered.called if self.design not in ("forced", "answer_first") else None,
            leaked=answered.leaked(tools),
            questions=answered.questions,
            given=said.fields,
            skipped=tuple(name for name in said.fields if name not in self.filled),
            calls=answered.calls,
            answer_seconds=answered.seconds,
            seconds=answered.seconds,
            tokens=answered.tokens,
        )

    async def _reported(self, found: TurnFound, answered: Answered, messages: Sequence[Message]) -> TurnFound:
        if self.design == "answer_first":
            return await self._classified(found, messages)
        if answered.called or self.design == "forced" or self.way is None:
            return replace(found, reported=is_report(answered.report, self.setting.categories))
        tool = report_tool(self._reporting or "", self.setting.categories)
        report, done = await catch_up(self.chat, self.way, messages, tool, self.setting.categories, seed=self.seed)
        return replace(
            found,
            caught_up=True,
            reported=is_report(report, self.setting.categories),
            calls=found.calls + 1,
            seconds=found.seconds + done.seconds,
            tokens=found.tokens + done.tokens,
        )

    async def _classified(self, found: TurnFound, messages: Sequence[Message]) -> TurnFound:
        agent = Agent(self.design, categories=self.setting.categories, tools=[self.setting.tool])
        turn = Turn(messages=tuple(messages[1:]), agent=agent, session=found.conversation, id=f"t-{found.turn}")
        started = time.perf_counter()
        verdict = (await self.classify(turn)).verdict
        took = time.perf_counter() - started
        # Small talk is told by a rule, without a model; a model that failed was asked, at a cost that nobody knows.
        asked = verdict.params.max_tokens is not None or verdict.status == "error"
        tokens = Tokens(input=verdict.usage.input_tokens, cached=0, output=verdict.usage.output_tokens)
        return replace(
            found,
            reported=verdict.status in ("finding", "no_finding"),
            calls=found.calls + int(asked),
            seconds=found.seconds + took,
            tokens=found.tokens + tokens if asked else found.tokens,
        )
