"""The library in a host's process: `Afterturn()`, with a SQLite file, the local encoder and a worker of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from afterturn import failopen
from afterturn.classification import Classification, classification
from afterturn.classifiers import INJECTION, Classifier
from afterturn.config import Config, load_config
from afterturn.early import Early
from afterturn.errors import UsageError
from afterturn.formats import check_turn
from afterturn.guard import Counters, Guard, estimate
from afterturn.guard import counter as token_counter
from afterturn.guarding import Guards
from afterturn.judging import Judging, OpenJudge
from afterturn.ledger import Sink, open_sinks, publish, queued
from afterturn.ledger import close as close_sinks
from afterturn.live import LiveTurn, OnLeakedCall
from afterturn.outcomes import Judgement
from afterturn.passages import AliasBook
from afterturn.replies import filtered
from afterturn.turns import Agent, Message, Turn

if TYPE_CHECKING:
    from afterturn.calibration import ModeRule
    from afterturn.store import Applied, Fold, Proof, SessionState, Store, TimelineEvent, TurnOrder
    from afterturn.worker import Hooks, Worker

T = TypeVar("T")


class Afterturn:
    """Judges the turns of agents: live in the host's process, or finished ones from anywhere.

    Args:
        db: The database file; the configuration's by default.
        judge: Who answers (`encoder`, `llama:PATH`, `provider:model`); the configuration's by default.
        config: The whole configuration; read from file and environment by default.
        classifiers: The host's own questions, beside the built-in ones that the configuration enables.
        hooks: What the host wants to hear: `on_conclusion`, `on_event`.
        on_leaked_call: Is handed the name and raw arguments of each tool call that leaked into a reply.
        sinks: Where verdicts go; those of the configuration by default. One that may have to wait gets a queue, so
            that it holds up no turn.
        guard: What checks a message before the model sees it, for every tenant; by default each tenant's own, with
            the policies of the configuration.
        counter: Counts the tokens of a text for the budgets of policies: a tiktoken encoding, or a function; an
            estimate by length by default.
        counters: Where spent tokens are counted: the host's own, in place of what `budget_counts` says.
        open_judge: Opens a judge by name, where the host brings its own.

    Raises:
        ConfigError: The configuration is wrong.

    Example:
        ```python
        async with Afterturn() as at:
            async with at.turn(agent=Agent("support"), session="s-17", message="Where is my parcel?") as turn:
                async for text in turn.stream(deltas):
                    await send(text)
            verdicts = await turn.verdicts()
        ```
    """

    def __init__(
        self,
        *,
        db: str | None = None,
        judge: str | None = None,
        config: Config | None = None,
        classifiers: Sequence[Classifier] = (),
        hooks: Hooks | None = None,
        on_leaked_call: OnLeakedCall | None = None,
        sinks: Iterable[Sink] | None = None,
        guard: Guard | None = None,
        counter: object = estimate,
        counters: Counters | None = None,
        open_judge: OpenJudge | None = None,
    ) -> None:
        if config is None:
            config = load_config(flags={"db": db, "judge": judge})
        elif db is not None or judge is not None:
            raise UsageError("give `config`, or `db` and `judge`, not both")
        self.config = config
        self._guards = Guards(config, guard, counters)
        self._judging = Judging(config, classifiers=classifiers, open_judge=open_judge, guards=self._guards)
        self._book = AliasBook()
        self._kept: set[asyncio.Task[Any]] = set()
        self._hooks = hooks
        self._on_leaked_call = on_leaked_call
        self._sinks = tuple(map(queued, sinks)) if sinks is not None else open_sinks(config.sinks, config.event_names)
        self._count = token_counter(counter)
        self.guard = self._guards.platform
        self._store: Store | None = None
        self._opening = threading.Lock()
        self._workers: dict[asyncio.AbstractEventLoop, Worker] = {}
        self._background: _Background | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        self._closed = False
        await asyncio.to_thread(self._guards.warm)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # --- live turns -----------------------------------------------------------------------------------------------

    def turn(
        self,
        *,
        agent: Agent,
        session: str,
        message: str,
        tenant: str = "default",
        turn: str | None = None,
        history: Sequence[Message] | None = None,
        created_at: datetime | None = None,
    ) -> LiveTurn:
        """Begins a turn: `async with at.turn(…) as turn`.

        Args:
            agent: The agent that answers.
            session: Id of the conversation.
            message: The customer's message.
            tenant: Id of the tenant.
            turn: Id of the turn, unique in the tenant; made up by default.
            history: The messages before, raw replies included; what is stored of the session by default.
            created_at: When the message came (aware); now by default.

        Raises:
            UsageError: This is closed, or the message or the agent is of another type.
            TurnFormatError: An id, a name of a tool or a category is not as it must be to be stored; names the place.
        """
        if self._closed:
            raise UsageError("Afterturn is closed; begin turns before `aclose`")
        _check_begin(agent, session, message, tenant, turn)
        return LiveTurn(
            self,
            agent=agent,
            session=session,
            message=message,
            tenant=tenant,
            turn=turn,
            history=history,
            created_at=created_at,
            book=self._book,
            guard=self._guards.of(tenant),
            budgets=self._guards.budgets(tenant),
            count=self._count,
            on_leaked_call=self._on_leaked_call,
        )

    async def submit(self, turn: Turn, events: Sequence[TimelineEvent] = ()) -> bool:
        """Stores a finished turn with its questions and has it judged in the background.

        Returns:
            False where the tenant already has a turn of this id; then nothing changes.

        Raises:
            StoreError: Nothing was stored.
        """
        worker = await self._working()
        plan, judge = self._judging.plan(turn)
        return await worker.submit(plan.turn, plan.rows(judge), events=events)

    def begin_second_pass(self, turn: Turn) -> Early | None:
        """Begins the second pass over the message of a live turn, beside the answer; None where it is off."""
        return self._judging.begin_second_pass(turn)

    async def mode_rule(self, turn: Turn) -> ModeRule | None:
        """Gives what somebody decided about the second pass of a turn (`afterturn modes`); None where nobody did."""
        modes = await asyncio.to_thread(lambda: self.store.modes.current())
        return modes.of(turn.tenant, turn.agent.id, INJECTION)

    async def judgements(self, tenant: str, turn: str) -> tuple[Judgement, ...]:
        """Waits for the judgements of a stored turn."""
        return await (await self._working()).judged(tenant, turn)

    async def drain(self) -> None:
        """Waits until every stored turn is judged and the hooks have heard."""
        await (await self._working()).drain()

    async def last_turn(self, tenant: str, session: str) -> Turn | None:
        """Gives the newest stored turn of a session, or None."""
        return await asyncio.to_thread(lambda: self.store.last_turn(tenant, session))

    # --- finished turns ---------------------------------------------------------------------------------------------

    async def classify_async(self, turn: Turn, *, store: bool = False) -> Classification:
        """Judges a finished turn.

        Args:
            turn: The turn; its raw reply is filtered here.
            store: Whether to store the turn and its judgements; a turn that is stored already is not judged again.
                Where its id belongs to other words, it is judged without being stored, and a warning is logged.
        """
        turn = filtered(turn)
        if store:
            new = await self.submit(turn)
            if new or await self._is_stored(turn):
                return classification(turn, await self.judgements(turn.tenant, turn.id), known=not new)
        judgements = await self._judging.judge(turn)
        publish([judgement.verdict for judgement in judgements], self._sinks)
        return classification(turn, judgements, id_taken=store)

    async def _is_stored(self, turn: Turn) -> bool:
        """Says whether what is stored under the turn's id is this turn, as far as its text is still there to tell."""
        from afterturn.worker import same_as_stored

        same = await asyncio.to_thread(same_as_stored, self.store, turn)
        if not same:
            failopen.warn("afterturn.turn_known", tenant=turn.tenant, session=turn.session, turn=turn.id)
        return same

    def keep(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Does work in a task of its own, which `aclose` waits for."""
        task = asyncio.create_task(work)
        self._kept.add(task)
        task.add_done_callback(self._kept.discard)
        return task

    def classify(self, turn: Turn, *, store: bool = False) -> Classification:
        """Does what `classify_async` does, for callers without an event loop; blocks until it is done."""
        if self._background is None:
            self._background = _Background()
        return self._background.run(self.classify_async(turn, store=store))

    # --- what is stored ---------------------------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        """The store, opened on first use."""
        with self._opening:  # threads share the one store
            if self._store is None:
                from afterturn.store import open_store  # here: classifying alone needs no database

                self._store = open_store(self.config.db, max_attempts=self.config.max_attempts)
            return self._store

    def session(self, session: str, *, tenant: str = "default") -> SessionState | None:
        """Gives title, categories, sources and conclusion of a session, or None where there is none of this id."""
        return self.store.session(tenant, session)

    def pin_title(self, session: str, title: str | None, *, tenant: str = "default") -> bool:
        """Sets a session's title for good, or with None lets judgements set it again; False where there is none."""
        return self.store.pin_title(tenant, session, title)

    def forget(self, session: str, *, tenant: str = "default") -> Proof | None:
        """Removes all text of a session and searches the database for it; ids and verdicts stay.

        Returns:
            What the search found, `gone` above all, which is None where no text was left to search for; None where
            there is no such session.
        """
        forgotten = self.store.forget(tenant, session)
        if forgotten is None:
            return None
        publish(forgotten.verdicts, self._sinks)
        return self.store.prove(forgotten, tenant=tenant, session=session)

    def timeline(self, session: str, *, tenant: str = "default") -> tuple[TimelineEvent, ...]:
        """Gives what happened in a session, under the host's event names."""
        return self.store.timeline(tenant, session, event_names=self.config.event_names)

    async def aclose(self) -> None:
        """Stops judging and closes everything; what is not judged yet is judged by the next process."""
        await self._end()
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Closes what `classify` opened, and the database."""
        self._closed = True
        if self._background is not None:
            self._background.close(self._end())
            self._background = None
        if self._store is not None:
            self._store.close()
            self._store = None
        self._guards.close()
        close_sinks(self._sinks)

    async def _end(self) -> None:
        """Ends what belongs to the running loop."""
        loop = asyncio.get_running_loop()
        while own := [task for task in self._kept if task.get_loop() is loop and not task.done()]:
            await asyncio.wait(own)  # one may have begun another
        worker = self._workers.pop(loop, None)
        if worker is not None:
            await worker.stop()
        await self._judging.aclose()

    async def _working(self) -> Worker:
        """The worker of the running loop, started."""
        loop = asyncio.get_running_loop()
        if loop not in self._workers:
            from afterturn.session import apply
            from afterturn.worker import Worker

            store = await asyncio.to_thread(lambda: self.store)  # opening waits for the disk
            worker = Worker(
                store,
                self._judging.judge_planned_rows,
                sinks=self._sinks,
                hooks=self._hooks,
                concurrency=self.config.concurrency,
                retry_s=self.config.retry_s,
                event_names=self.config.event_names,
                fold=_by_rules(partial(apply, sentiment_below=self.config.sentiment_below), store),
                retention_days=self.config.retention_days_for if self.config.expires else None,
            )
            self._workers.setdefault(loop, worker)  # another task may have been faster
        await self._workers[loop].start()
        return self._workers[loop]


def _check_begin(agent: object, session: str, message: object, tenant: str, turn: str | None) -> None:
    """Refuses what could not be stored when the turn is over, while whoever wrote it is there to hear it."""
    if not isinstance(agent, Agent):
        raise UsageError(f"`agent` is of type {type(agent).__name__}; give an `Agent`")
    if not isinstance(message, str):
        raise UsageError(f"`message` is of type {type(message).__name__}; give the text of the customer's message")
    if not session:
        raise UsageError("`session` is empty; give the id of the conversation")
    began = Turn(
        messages=(Message(role="user", text=message),), agent=agent, tenant=tenant, session=session, id=turn or "t"
    )
    check_turn(began, where="the turn to begin")


def _by_rules(apply: Callable[..., Applied], store: Store) -> Fold:
    """Gives the fold that follows what somebody has decided by then."""

    def fold(state: SessionState, order: TurnOrder, turn: Turn, judgements: Sequence[Judgement], /) -> Applied:
        return apply(state, order, turn, judgements, modes=store.modes.current())

    return fold


class _Background:
    """Is one event loop in a thread: clients of HTTP libraries belong to the loop that made them, so it must stay."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="afterturn", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self, last: Coroutine[Any, Any, None]) -> None:
        self.run(last)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
