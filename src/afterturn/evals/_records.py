"""Holds the records of an eval row: what is asked, what the agent replied, what was found.

Frozen records without I/O. A figure that nobody knows is None, never 0 and never NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from afterturn.turns import Agent, JsonObject, JsonValue, Message, Passage, Tool, ToolCall
from afterturn.verdicts import Usage, is_code

State = Literal["pass", "fail", "agent_error", "judge_error", "skipped"]
STATES: tuple[State, ...] = get_args(State)
JUDGED: tuple[State, ...] = ("pass", "fail")
"""The states that count in a pass rate; all others only lower its coverage."""

NOBODY = Agent()
"""The agent of a reply of which nothing is known."""

NO_USAGE = Usage()
"""The tokens of a call of which nobody told them."""

BAD_LINE = "bad_line"
"""Why a line of a dataset that is no row is skipped."""

PASS_SCORE = 70
"""The score from which a row passes, unless the run says otherwise (SPEC D1)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedCall:
    """Is one tool call that a row expects.

    Attributes:
        name: The tool's name.
        arguments: The arguments that it should have, or None where only the tool counts.
        extra: Keys that the dataset has beside them (matchers, accepted values); assertions read them.
    """

    name: str
    arguments: JsonObject | None = None
    extra: JsonObject = field(default_factory=dict[str, JsonValue])


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Is one row of a dataset.

    Attributes:
        id: The row's id, unique in its dataset.
        content: Hash of the row's content (16 hex digits); the same row has it in every run and every file.
        input: The conversation up to where the agent is asked.
        expected: What a right reply says or holds, or None.
        criteria: What a judge should look at.
        context: The passages that a right reply rests on; None where none were given, () where a search found nothing.
        expected_tool_calls: The calls that are right; () means that no tool may be called, None that nothing is said.
        tool_call_mode: How the row wants them compared (`strict`, `subset`, …), or None for the run's way.
        tools: The tools on offer, where the row has its own.
        tool_results: What a stub of a tool answers, by tool name.
        assertions: What else must hold, as the dataset wrote it; `evals.assertions` reads it.
        metadata: Whatever the dataset has beside it.
        source: Where the row came from, `file:line`.
        problem: What is wrong with a line that is no row, with its place; it is skipped. Empty for every other.
    """

    id: str
    input: tuple[Message, ...]
    content: str = ""
    expected: JsonValue = None
    criteria: tuple[str, ...] = ()
    context: tuple[Passage, ...] | None = None
    expected_tool_calls: tuple[ExpectedCall, ...] | None = None
    tool_call_mode: str | None = None
    tools: tuple[Tool, ...] = ()
    tool_results: JsonObject = field(default_factory=dict[str, JsonValue])
    assertions: tuple[str | JsonObject, ...] = ()
    metadata: JsonObject = field(default_factory=dict[str, JsonValue])
    source: str = ""
    problem: str = ""

    @property
    def text(self) -> str:
        """The latest user message."""
        return next((message.text for message in reversed(self.input) if message.role == "user"), "")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """Is what the agent under test did with a row.

    Attributes:
        text: The text of the final reply, as the agent gave it; it may still hold markers and leaks.
        tool_calls: Every call that it made for this row, in order.
        messages: What it added to the conversation: calls, tool results and the reply, in order.
        agent: What is known of the agent: its tools on offer, its conclusion tool, its model.
        passages: Passages that it retrieved; None where nobody said.
        usage: Tokens of all its model calls together.
        cost_usd: What it cost in US dollars; None is unknown.
        latency_ms: Wall time from the question to the whole reply, in milliseconds. 0 leaves it to the runner to
            measure; None says that nobody knows, since the reply is a recorded one.
        extra: What else the target told (`handoff`, `steps`, …).
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    messages: tuple[Message, ...] = ()
    agent: Agent = NOBODY
    passages: tuple[Passage, ...] | None = None
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    latency_ms: float | None = 0.0
    extra: JsonObject = field(default_factory=dict[str, JsonValue])

    def __post_init__(self) -> None:
        _refuse_bad_money(self.cost_usd)


@dataclass(frozen=True, kw_only=True, slots=True)
class Score:
    """Is what a rubric says of a reply.

    Attributes:
        rubric: Name of the rubric.
        score: 0 to 100.
        reasoning: Why, in the judge's words.
        extra: Further fields of the rubric (`wrongly_called`, `wrongly_skipped`, …), checked against its schema.
        judge: Name of who scored.
        usage: Tokens of the judge's call.
        cost_usd: What it cost; None is unknown.
        latency_ms: Wall time of the judge's call.
    """

    rubric: str
    score: int
    reasoning: str = ""
    extra: JsonObject = field(default_factory=dict[str, JsonValue])
    judge: str = ""
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    latency_ms: float = 0.0

    def __post_init__(self) -> None:
        if type(self.score) is not int or not 0 <= self.score <= 100:
            raise ValueError("a score is an integer from 0 to 100")
        _refuse_bad_money(self.cost_usd)


@dataclass(frozen=True, kw_only=True, slots=True)
class AssertionResult:
    """Is what one assertion says of a reply, without any judge.

    Attributes:
        name: Name of the assertion (`expected_tool_calls`, `contains`, …).
        passed: Whether it holds.
        reason: A code that says why not, or None.
        details: Figures and names for the report.
    """

    name: str
    passed: bool
    reason: str | None = None
    details: JsonObject = field(default_factory=dict[str, JsonValue])

    def __post_init__(self) -> None:
        _refuse_text(self.reason)


@dataclass(frozen=True, kw_only=True, slots=True)
class RowResult:
    """Is what became of one row in one repeat. Every row has one; a failure is a row, never a missing row.

    Attributes:
        row: The row.
        repeat: Which repeat this is, from 1. With `row.content` it is the key by which a run is resumed.
        state: pass, fail, agent_error, judge_error or skipped.
        reason: Why it is not a pass, as a code; None for a pass.
        message: What the error said, secrets taken out; empty where there was none.
        score: The lowest of the rubrics' scores: a row passes where all do. None where nobody scored.
        scores: What each rubric said.
        assertions: What each assertion said; those that the row does not declare are not there.
        reply: What the agent did, or None where it failed.
        unasserted: Whether there is a reply whose assertions were not all checked, since something broke on the way.
        agent_cost_usd: What the agent cost; None is unknown.
        judge_cost_usd: What the judges cost; None is unknown.
        latency_ms: Wall time of the whole row, with waits for rate limits and whatever was loaded on the way.
        created_at: When it was done.
    """

    row: Row
    repeat: int = 1
    state: State
    reason: str | None = None
    message: str = ""
    score: int | None = None
    scores: tuple[Score, ...] = ()
    assertions: tuple[AssertionResult, ...] = ()
    reply: Reply | None = None
    unasserted: bool = False
    agent_cost_usd: float | None = None
    judge_cost_usd: float | None = None
    latency_ms: float = 0.0
    created_at: datetime | None = None

    def __post_init__(self) -> None:
        if self.state not in STATES:
            raise ValueError(f"the state of a row is one of {', '.join(STATES)}")
        _refuse_text(self.reason)
        if (self.reason is None) != (self.state == "pass"):
            raise ValueError("every state but pass has a reason, and pass has none")
        _refuse_bad_money(self.agent_cost_usd)
        _refuse_bad_money(self.judge_cost_usd)

    def holds(self, assertion: str) -> bool | None:
        """Whether an assertion of this name holds, all of them where there are several; None where none was checked."""
        checked = [one.passed for one in self.assertions if one.name == assertion]
        return all(checked) if checked else None

    def should_assert(self, assertion: str) -> bool:
        """Whether an assertion of this name counts here: it was checked, or may be declared and was not.

        An assertion's coverage is measured against it. Of a row without a reply nobody knows what it declares;
        one that was skipped before the agent was asked declares nothing, but for a line that is no row.
        """
        if any(one.name == assertion for one in self.assertions):
            return True
        return self.unchecked

    @property
    def unchecked(self) -> bool:
        """Whether it may declare assertions that nobody checked."""
        if self.reply is None:
            return self.state != "skipped" or self.reason == BAD_LINE
        return self.unasserted


def _refuse_bad_money(amount: float | None) -> None:
    if amount is not None and not (math.isfinite(amount) and amount >= 0):
        raise ValueError("a cost is a finite number of US dollars from 0 up, or None where it is unknown")


def _refuse_text(reason: str | None) -> None:
    if reason is not None and not is_code(reason):
        raise ValueError("a reason is a lower-case code of at most 40 characters, never text")
