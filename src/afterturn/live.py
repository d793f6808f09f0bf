"""A live turn: guard the message, hand out passages, filter the reply while it streams, then have the turn judged."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from afterturn import failopen
from afterturn.early import Early, LivePass, SecondOpinion
from afterturn.errors import UsageError
from afterturn.formats import message_to_json
from afterturn.guard import BudgetDecision, Budgets, Guard, GuardResult, TokenCounter, tokens_used
from afterturn.guarding import CheckedInput, check_messages, check_passages, guard_data
from afterturn.passages import AliasBook, Passages
from afterturn.stream import CleanStream, StreamedCall, StreamedMessage
from afterturn.turns import Agent, JsonValue, Message, Passage, Reply, ToolCall, Turn
from afterturn.verdicts import Verdict

if TYPE_CHECKING:
    from afterturn.calibration import ModeRule
    from afterturn.classification import Classification
    from afterturn.outcomes import Judgement
    from afterturn.store import TimelineEvent

T = TypeVar("T")

HISTORY_S = 2.0
STORE_S = 2.0
"""How long the end of a turn waits until the turn is stored; it is stored after that as well."""

OnLeakedCall = Callable[[str, str], object]


class Host(Protocol):
    """Is what a live turn needs of the library around it."""

    async def last_turn(self, tenant: str, session: str) -> Turn | None:
        """Gives the newest stored turn of a session."""
        ...

    async def submit(self, turn: Turn, events: Sequence[TimelineEvent] = ()) -> bool:
        """Stores a finished turn and has it judged."""
        ...

    async def judgements(self, tenant: str, turn: str) -> tuple[Judgement, ...]:
        """Waits for the judgements of a stored turn."""
        ...

    def begin_second_pass(self, turn: Turn) -> Early | None:
        """Begins the second pass over the message of a turn; None where it is off."""
        ...

    async def mode_rule(self, turn: Turn) -> ModeRule | None:
        """Gives what somebody decided about the second pass of a turn; None where nobody did."""
        ...

    async def classify_async(self, turn: Turn, *, store: bool = False) -> Classification:
        """Judges a turn."""
        ...

    def keep(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Does work in a task of the library's own, which it waits for before it closes."""
        ...


class LiveTurn:
    """Is one turn while it happens; made by `Afterturn.turn`, used as `async with`.

    Nothing in it stands in the conversation's way: a database that refuses, a judge that hangs or a guard that breaks
    costs a log line and verdicts, never the reply.

    Attributes:
        guard: What the guard found in the customer's message.
        inputs: What it found in tool outputs and passages, each with its place; those without findings are not in it.
    """

    def __init__(
        self,
        host: Host,
        *,
        agent: Agent,
        session: str,
        message: str,
        tenant: str = "default",
        turn: str | None = None,
        history: Sequence[Message] | None = None,
        created_at: datetime | None = None,
        guard: Guard,
        book: AliasBook,
        budgets: Budgets,
        count: TokenCounter,
        on_leaked_call: OnLeakedCall | None = None,
    ) -> None:
        self.agent = agent
        self.tenant = tenant
        self.session = session
        self.id = turn or f"t-{secrets.token_hex(10)}"
        self.created_at = created_at or datetime.now(UTC)
        self.guard: GuardResult = GuardResult(flagged=False)
        self.inputs: tuple[CheckedInput, ...] = ()
        self._host = host
        self._checker = guard
        self._book = book
        self._budgets = budgets
        self._count = count
        self._second: LivePass | None = None
        self._spending: BudgetDecision | None = None
        self._refused: str | None = None
        self._on_leaked_call = on_leaked_call
        self._history = None if history is None else tuple(history)
        self._said: list[Message] = [Message(role="user", text=message)]
        self._known: tuple[str, ...] = ()
        self._handed: list[Passage] = []
        self._searched = False
        self._aliases: set[str] = set()
        self._reply: Reply | None = None
        self._open: CleanStream | None = None
        self._taken: list[CleanStream] = []
        self._begun = False
        self._finished: Turn | None = None
        self._storing: asyncio.Task[asyncio.Task[Classification] | None] | None = None

    async def __aenter__(self) -> Self:
        if self._begun:
            raise UsageError("a turn is entered once; begin another one with `at.turn(…)`")
        self._begun = True
        earlier = await failopen.acall("live.history", self._last_turn, self._unknown_history)
        if self._history is None:
            self._history = earlier.messages if earlier else ()
        self._known = (earlier.aliases or ()) if earlier else ()
        self._aliases.update(self._known)
        self.guard = self._checker.check(self._said[0].text)
        begun = failopen.call("live.second_pass", lambda: self._host.begin_second_pass(self._turn()), _none)
        rule = await failopen.acall("live.mode", self._mode_rule, _none) if begun is not None else None
        self._second = LivePass(begun, self._checker.policy, rule)
        return self

    def _unknown_history(self, _: BaseException) -> None:
        """Numbers aliases from a place where those that cannot be looked up now are hardly to be found."""
        self._aliases.add(f"c{1000 * (1 + secrets.randbelow(9_000))}")

    async def _last_turn(self) -> Turn | None:
        """Looks the session up, but not for long: the customer waits."""
        async with asyncio.timeout(HISTORY_S):
            return await self._host.last_turn(self.tenant, self.session)

    async def _mode_rule(self) -> ModeRule | None:
        """Looks up what was decided about the second pass, but not for long."""
        async with asyncio.timeout(HISTORY_S):
            return await self._host.mode_rule(self._turn())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._take(self._open)  # a caller that left the stream early: its generator may end only later
        turn = self._finished = self._turn()
        # In a task that is not the caller's: one who is cancelled, once or at every wait, ends no turn unstored.
        self._storing = self._host.keep(self._store(turn, self._events()))
        if self._open is not None:
            await failopen.acall("live.stream", self._open.let_go, _none)
        await asyncio.wait({self._storing}, timeout=STORE_S)

    async def _store(self, turn: Turn, events: tuple[TimelineEvent, ...]) -> asyncio.Task[Classification] | None:
        """Stores the turn; gives the judging of one that cannot be: its verdicts are published all the same."""
        stored = await failopen.acall("live.store", partial(self._host.submit, turn, events), _none)
        if stored is None:
            return self._host.keep(self._host.classify_async(turn))
        if not stored:
            failopen.warn("afterturn.turn_known", tenant=self.tenant, session=self.session, turn=self.id)
        return None

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages before this turn, replies raw: a model that no longer sees its own markers stops citing."""
        return self._history or ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """What to send to the model: the history, the customer's message and what followed it in this turn."""
        return (*self.history, *self._said)

    @property
    def chat_messages(self) -> list[dict[str, JsonValue]]:
        """The same as OpenAI chat messages, ready for a client; put your system message before them."""
        return [message_to_json(message) for message in self.messages]

    def passages(self, results: Iterable[Passage | Mapping[str, JsonValue] | str]) -> Passages:
        """Hands out aliases for search results; `.prompt()` of what comes back is the block for the model.

        Args:
            results: Texts, mappings with `text` (and `title`, `uri`), or passages. The guard checks them; `inputs` says
                at once what was found.
        """
        handed = self._book.hand_out(self.tenant, self.session, results, taken=self._aliases)
        self.inputs += check_passages(self._checker, handed)
        self._searched = True
        self._handed.extend(handed)
        self._aliases.update(handed.aliases)
        return handed

    def add(self, *messages: Message) -> None:
        """Adds what happened within the turn beside the reply: tool messages, an assistant message with tool calls.

        Tool outputs are checked by the guard; `inputs` says at once what was found in them.
        """
        self.inputs += check_messages(self._checker, messages, len(self.messages))
        self._said.extend(messages)

    async def stream(self, events: AsyncIterable[object] | Iterable[object]) -> AsyncIterator[str]:
        """Filters one answer of the model while it streams.

        Args:
            events: The model's stream: strings, `openai` chat chunks or `anthropic` message events. Tool calls in it
                are kept with the turn.

        Where the tenant's policy enforces the second pass, the first text waits for it, at most its deadline; nothing
        comes out, and nothing of the answer is kept, where it blocks the message.

        Yields:
            Clean text for the customer: no reasoning, no leaked calls, no citation markers.
        """
        self._refuse_if_over()
        stream = self._open = self._clean(events)
        held = self._second if self._second and self._second.enforces else None
        try:
            async for text in stream:
                if held and await self._blocks(held):
                    self._drop(stream)
                    return
                held = None
                yield text
        finally:
            self._take(stream)

    def reply(self, text: str) -> str:
        """Filters one assistant message that came whole, and gives the clean text."""
        self._refuse_if_over()
        stream = self._clean([text])
        clean = "".join(stream)
        self._take(stream)
        return clean

    async def second_pass(self) -> SecondOpinion:
        """Waits for what the second pass says of the message; nobody needs to wait, and the stream does not.

        Only under `second_pass: {mode: enforce}` of the tenant's policy it may say `blocked`, and waits no longer than
        the policy's deadline. Before `reply()` ask it yourself then; `stream()` does.

        Raises:
            UsageError: The turn has not begun; ask within its `async with`.
        """
        if self._second is None:
            raise UsageError("the turn has not begun: ask for its second pass within `async with at.turn(…)`")
        return await self._second.opinion()

    def reserve(self, tokens: int | None = None) -> BudgetDecision:
        """Asks, before a call to the model, whether the budgets of the tenant's policy have enough left.

        Nothing is held up where they have not: the host decides what to do with the answer.

        Args:
            tokens: What the call will use; by default the tokens of the instructions and of the messages so far.
        """
        if tokens is None:
            tokens = sum(map(self._count, (self.agent.instructions, *(message.text for message in self.messages))))
        self._spending = self._budgets.reserve(tenant=self.tenant, session=self.session, turn=self.id, tokens=tokens)
        self._refused = self._refused or (None if self._spending.allowed else self._spending.reason)
        return self._spending

    def used(self, usage: object) -> BudgetDecision | None:
        """Counts, after the call, what the model says it used, in place of what was reserved.

        Args:
            usage: The usage as the model's client gives it (`openai`, `anthropic`, pydantic-ai), or a number.

        Returns:
            Whether the budgets still hold; None where the usage says nothing, and the reserved tokens stay counted.
        """
        tokens = tokens_used(usage)
        if tokens is None:
            return None
        asked = self._spending or self._budgets.reserve(
            tenant=self.tenant, session=self.session, turn=self.id, tokens=0
        )
        self._spending = None
        return self._budgets.settle(asked, tokens)

    async def verdicts(self) -> tuple[Verdict, ...]:
        """Waits for the verdicts, one a question. Nobody needs to wait: the turn is judged in any case.

        Raises:
            UsageError: The turn is not over; leave its `async with` first.
        """
        if self._storing is None:
            raise UsageError("the turn is not over: leave `async with at.turn(…)` before asking for its verdicts")
        unstored = await asyncio.shield(self._storing)
        if unstored is not None:
            return (await asyncio.shield(unstored)).verdicts
        judgements = await self._host.judgements(self.tenant, self.id)
        return tuple(judgement.verdict for judgement in judgements)

    def _refuse_if_over(self) -> None:
        if self._finished is not None:
            raise UsageError("the turn is over: give its reply within `async with at.turn(…)`")

    def _clean(self, events: AsyncIterable[object] | Iterable[object]) -> CleanStream:
        """Each message has filters of its own; aliases handed out while it streams count."""
        aliases = self._aliases if self._searched or self._known else None
        return CleanStream(events, aliases=aliases, tools=self.agent.tool_names, on_leaked_call=self._on_leaked_call)

    def _take(self, stream: CleanStream | None) -> None:
        """Keeps the messages of a stream, raw for the model and clean as the customer saw them; once a stream."""
        if stream is None or stream in self._taken:
            return
        self._taken.append(stream)
        stream.close()  # where the caller left early, or the stream broke: what was cited so far is kept
        for message in stream.messages:
            self._said.append(_raw(message))
            self._reply = _reply(message)

    async def _blocks(self, held: LivePass) -> bool:
        """Says whether the second pass blocks the message; where it breaks, it does not."""
        opinion = await failopen.acall("live.second_pass", held.opinion, _none)
        return opinion is not None and opinion.blocked

    def _drop(self, stream: CleanStream) -> None:
        """Keeps nothing of an answer to a message that the second pass blocked: nobody saw it."""
        stream.close()
        self._taken.append(stream)

    def _turn(self) -> Turn:
        return Turn(
            messages=self.messages,
            agent=self.agent,
            tenant=self.tenant,
            session=self.session,
            id=self.id,
            created_at=self.created_at,
            passages=tuple(self._handed) if self._searched else None,
            known_aliases=self._known,
            reply=self._reply,
        )

    def _events(self) -> tuple[TimelineEvent, ...]:
        from afterturn.store import TimelineEvent, events  # here: the store is heavy, and a turn is stored only here

        inputs: list[JsonValue] = [
            {"channel": one.channel, "place": one.place, **guard_data(one.result)} for one in self.inputs
        ]
        data = guard_data(self.guard) | {"budget": self._refused, "inputs": inputs}
        if self._second is not None and self._second.blocked:
            data |= {"blocked": True, "second_pass": "blocked"}
        return (TimelineEvent(name=events.GUARD_CHECKED, at=self.created_at, turn=self.id, data=data),)


def _raw(message: StreamedMessage) -> Message:
    return Message(
        role="assistant",
        text=message.filter.raw,
        tool_calls=tuple(_call(call) for call in message.calls if call.name),
        refusal=message.refusal or None,
        reasoning=message.reasoning,
    )


def _call(call: StreamedCall) -> ToolCall:
    return ToolCall(name=call.name, raw_arguments=call.arguments, id=call.id or None)


def _reply(message: StreamedMessage) -> Reply:
    chain = message.filter
    return Reply(
        text=message.text or message.refusal,
        raw=chain.raw or message.refusal,
        cited=tuple(chain.cited),
        unknown=tuple(chain.unknown),
        marks=tuple(chain.marks),
        leaks=tuple(chain.leaks),
        complete=not message.incomplete,
    )


def _none(_: BaseException) -> None:
    """Stands for what could not be had."""
