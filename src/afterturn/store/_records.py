"""Holds what the store hands out: claims, the state of a session, a conclusion, the funnel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from afterturn.calls import Planned
from afterturn.mood import NO_MOOD, Mood
from afterturn.outcomes import Judgement
from afterturn.store.events import TimelineEvent
from afterturn.turns import Turn

ConcludedBy = Literal["tool", "classifier"]
SourceKind = Literal["cited", "attributed"]


class TurnOrder(NamedTuple):
    """Is the place of a turn in its session: when its message came, then the order of arrival in the store."""

    created_at: datetime
    seq: int


class SourceRef(NamedTuple):
    """Is a passage that a reply rests on, and how that is known."""

    alias: str
    how: SourceKind


class Signal(NamedTuple):
    """Is what a verdict asks of the host, since a rule says so (`afterturn modes`): codes and numbers, never text.

    Attributes:
        classifier: Name of the classifier.
        mode: `advise`: it is to be known; `enforce`: the host is to act on it.
        label: Label of the verdict, or None.
        confidence: Confidence of the verdict, or None.
    """

    classifier: str
    mode: Literal["advise", "enforce"]
    label: str | None
    confidence: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionState:
    """Is what Afterturn knows of a session.

    Attributes:
        tenant: Id of the tenant.
        session: Id of the session.
        agent: Id of the agent of the session's first turn.
        title: The title, or None while there is none.
        title_pinned: True where the host set the title; judgements then leave it.
        title_order: Place of the turn that gave the title.
        categories: The complete set of the conversation's categories.
        categories_order: Place of the turn that gave them.
        sources: What the reply of the latest turn with sources rests on.
        sources_order: Place of that turn.
        concluded: Who concluded the sub-agent's part, or None while nobody did.
        concluded_turn: Id of the turn that did.
        handoff_summary: What the parent agent should know, or None.
        mood: How the customer feels, and what is advised.
        mood_order: Place of the turn that gave it.
        signals: What the verdicts of the newest judged turn ask of the host.
        signals_order: Place of that turn.
    """

    tenant: str
    session: str
    agent: str = "default"
    title: str | None = None
    title_pinned: bool = False
    title_order: TurnOrder | None = None
    categories: tuple[str, ...] = ()
    categories_order: TurnOrder | None = None
    sources: tuple[SourceRef, ...] = ()
    sources_order: TurnOrder | None = None
    concluded: ConcludedBy | None = None
    concluded_turn: str | None = None
    handoff_summary: str | None = None
    mood: Mood = NO_MOOD
    mood_order: TurnOrder | None = None
    signals: tuple[Signal, ...] = ()
    signals_order: TurnOrder | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """Is what `on_conclusion` hears: the classifier read that a sub-agent's part is over, its tool was not called.

    Attributes:
        tenant: Id of the tenant.
        session: Id of the sub-agent's session; with the tenant, the key to apply the conclusion once.
        agent: Id of the sub-agent.
        parent: Id of the parent agent, or None.
        turn: Id of the turn that ended it.
        handoff_summary: Two to four sentences for the parent, or None.
    """

    tenant: str
    session: str
    agent: str
    parent: str | None
    turn: str
    handoff_summary: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Applied:
    """Is what judgements do to a session: its new state, what happened, and a conclusion that somebody must hear."""

    state: SessionState
    events: tuple[TimelineEvent, ...] = ()
    conclusion: Conclusion | None = None


class Fold(Protocol):
    """Folds judgements of a turn into the state of its session. Pure; the store calls it inside its transaction."""

    def __call__(
        self, state: SessionState, order: TurnOrder, turn: Turn, judgements: Sequence[Judgement], /
    ) -> Applied:
        """Gives the new state, the events, and the conclusion if this is one."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease:
    """Is the wish of a worker to hold the questions of a turn from the moment that it is stored.

    Attributes:
        owner: A name that no other worker has, ever.
        lease_s: How long the lease lasts without a heartbeat.
    """

    owner: str
    lease_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """Is the leased work on one turn: the questions nobody has answered yet.

    Attributes:
        turn: The turn.
        planned: Its open questions.
        order: The turn's place in its session.
        attempt: Which attempt this is, from 1.
        owner: Who holds the lease.
    """

    turn: Turn
    planned: tuple[Planned, ...]
    order: TurnOrder
    attempt: int
    owner: str

    @property
    def key(self) -> int:
        """The number of the turn in the store."""
        return self.order.seq


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """Is what a finish really changed; empty where somebody else had finished the turn before."""

    judgements: tuple[Judgement, ...] = ()
    events: tuple[TimelineEvent, ...] = ()
    conclusion: Conclusion | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Funnel:
    """Counts what became of stored turns.

    `planned` is always `open + judged + skipped + failed`, and `judged` is `finding + no_finding + unsure`.

    Attributes:
        stored: Turns stored.
        planned: Questions planned about them.
        open: Questions nobody has answered yet.
        judged: Questions with a finding or no finding.
        finding: Questions with a finding of which the judge was sure.
        no_finding: Questions with no finding of which the judge was sure.
        unsure: Questions that the judge answered and was not sure of.
        skipped: Questions that needed no answer.
        failed: Questions whose verdict is an error, dead letters included.
        dead: Questions given up after the last attempt.
        findings: `finding` by label; those without one are under an empty text.
        skips: `skipped` by reason.
        failures: `failed` by reason.
    """

    stored: int
    planned: int
    open: int
    judged: int
    finding: int = 0
    no_finding: int = 0
    unsure: int = 0
    skipped: int
    failed: int
    dead: int
    findings: Mapping[str, int] = field(default_factory=dict[str, int])
    skips: Mapping[str, int] = field(default_factory=dict[str, int])
    failures: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """Narrows a query; None means any.

    Attributes:
        tenant: Id of the tenant.
        agent: Id of the agent.
        session: Id of the session.
        turn: Id of the turn.
        classifier: Name of the classifier.
        status: Status of the verdict.
        since: Only what was made (verdicts) or said (turns) at this time or later.
        version: Version of the classifier.
        until: Only what was made or said before this time.
        judge: Name of the judge that was asked.
        replayed: Only what a replay made, in place of what live traffic made; its time is that of its turn.
    """

    tenant: str | None = None
    agent: str | None = None
    session: str | None = None
    turn: str | None = None
    classifier: str | None = None
    status: str | None = None
    since: datetime | None = None
    version: str | None = None
    until: datetime | None = None
    judge: str | None = None
    replayed: bool = False
