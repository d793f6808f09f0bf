"""Folds judgements into the state of a session: its title, categories, sources, and whether it has come to its end.

Pure: the store calls `apply` inside its transaction, so that state, timeline and verdicts always agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from afterturn.calibration import ModeRule, Modes
from afterturn.calls import Planned
from afterturn.classifiers import AI_FRUSTRATION
from afterturn.mood import SENTIMENT_BELOW, mood_after
from afterturn.outcomes import Judgement, Outcome
from afterturn.store import (
    Applied,
    Conclusion,
    SessionState,
    Signal,
    SourceRef,
    TimelineEvent,
    TurnOrder,
    events,
    failure_event,
)
from afterturn.turns import JsonObject, Turn
from afterturn.verdicts import Verdict


def turn_events(turn: Turn, at: datetime) -> tuple[TimelineEvent, ...]:
    """Gives the events that a stored turn itself tells: received, completed, leaks removed, sources cited.

    Args:
        turn: The turn, its reply filtered.
        at: When the reply was complete.
    """
    received = TimelineEvent(name=events.TURN_RECEIVED, at=turn.created_at or at, turn=turn.id)
    reply = turn.reply
    if reply is None:
        return (received,)
    told: list[tuple[str, JsonObject]] = [(events.REPLY_COMPLETED, {"complete": reply.complete})]
    if reply.leaks:
        told.append((events.REPLY_LEAK_REMOVED, {"tools": reply.leaks}))
    if reply.cited:
        told.append((events.SOURCES_CITED, {"aliases": reply.cited}))
    return (received, *(TimelineEvent(name=name, at=at, turn=turn.id, data=data) for name, data in told))


def tells(turn: Turn, planned: Sequence[Planned] = ()) -> bool:
    """Says whether a turn changes its session before anybody judges it.

    It cites sources, its own tool concludes, or nobody will be asked how the customer feels, so that the messages
    themselves speak at once.
    """
    unasked = any(one.skip is not None and one.classifier == AI_FRUSTRATION.name for one in planned)
    return unasked or concluded_by_tool(turn) or (turn.reply is not None and bool(turn.reply.cited))


def concluded_by_tool(turn: Turn) -> bool:
    """Says whether the sub-agent called its conclusion tool in this turn. A call that leaked as text is none."""
    tool = turn.agent.conclusion_tool
    return tool is not None and any(call.name == tool for call in turn.tool_calls)


def apply(
    state: SessionState,
    order: TurnOrder,
    turn: Turn,
    judgements: Sequence[Judgement],
    *,
    sentiment_below: float = SENTIMENT_BELOW,
    modes: Modes | None = None,
) -> Applied:
    """Applies the judgements of one turn to its session.

    An answer of a newer turn is never overwritten by an older turn that finishes late, field by field. An error or a
    skip leaves everything as it is.

    Args:
        state: The state so far.
        order: The turn's place in the session.
        turn: The turn.
        judgements: New judgements about it; each is applied once.
        sentiment_below: A sentiment below this is a trigger for advice.
        modes: What verdicts lead to, where somebody has decided; without a rule for a classifier, all is as it was.

    Returns:
        The new state, the events to store, and the conclusion if a hook must hear of one.
    """
    fold = _Folding(state=state, order=order, turn=turn)
    fold.cited()
    for judgement in judgements:
        verdict, outcome = judgement.verdict, judgement.outcome
        rule = modes.of(turn.tenant, turn.agent.id, verdict.classifier) if modes else None
        if verdict.status == "error":
            fold.events.append(failure_event(verdict))
        elif verdict.status != "skipped" and outcome is not None:
            fold.outcome(outcome, verdict.created_at, counts=_counts(verdict, rule))
        if verdict.classifier == AI_FRUSTRATION.name:
            fold.mood(_heard(judgement, rule), sentiment_below)
        fold.signal(verdict, rule)
    fold.concluded_by_tool()
    return Applied(state=fold.state, events=tuple(fold.events), conclusion=fold.conclusion)


def _counts(verdict: Verdict, rule: ModeRule | None) -> bool:
    """Says whether anything may follow from a verdict: always where no rule says otherwise."""
    if rule is None:
        return True
    return rule.mode != "shadow" and rule.reached(verdict.status, verdict.confidence, version=verdict.version)


def _heard(judgement: Judgement, rule: ModeRule | None) -> Judgement:
    """Gives what the advice may hear of a judgement: nothing in shadow; below the threshold, that it was unsure."""
    verdict = judgement.verdict
    if rule is not None and rule.mode == "shadow":
        return Judgement(verdict=replace(verdict, reason=None))
    if verdict.status == "finding" and not _counts(verdict, rule):
        return replace(judgement, verdict=replace(verdict, reason="unsure"))
    return judgement


@dataclass(kw_only=True, slots=True)
class _Folding:
    """Is one call of `apply` under way."""

    state: SessionState
    order: TurnOrder
    turn: Turn
    events: list[TimelineEvent] = field(default_factory=list[TimelineEvent])
    conclusion: Conclusion | None = None

    def cited(self) -> None:
        """Takes the sources that the reply cited inline. Their event came with the turn."""
        if self.turn.reply is not None and self.turn.reply.cited:
            self._sources(tuple(SourceRef(alias, "cited") for alias in self.turn.reply.cited))

    def outcome(self, outcome: Outcome, at: datetime, *, counts: bool) -> None:
        """Takes what one classifier found."""
        self._title(outcome, at)
        self._categories(outcome, at)
        self._attributed(outcome, at)
        if outcome.safety and counts:
            self._tell(events.SAFETY_SIGNAL, at, {"labels": outcome.safety})
        self._handoff(outcome, at)

    def mood(self, judgement: Judgement, sentiment_below: float) -> None:
        """Takes how the customer feels; where the classifier gave no answer, the messages alone speak."""
        if not self._newest(self.state.mood_order):
            return
        before = self.state.mood
        after = mood_after(before, self.turn, judgement, sentiment_below)
        self.state = replace(self.state, mood=after, mood_order=self.order)
        if (after.advice, after.reason) != (before.advice, before.reason):
            data: JsonObject = {"advice": after.advice, "reason": after.reason}
            self._tell(events.SESSION_ADVICE, judgement.verdict.created_at, data)

    def signal(self, verdict: Verdict, rule: ModeRule | None) -> None:
        """Takes what a verdict asks of the host; a newer turn's verdicts take the place of an older turn's."""
        if verdict.status in ("skipped", "error") or not self._newest(self.state.signals_order):
            return
        if rule is None and not self.state.signals:
            return
        kept = self.state.signals if self.state.signals_order == self.order else ()
        if rule is not None and _counts(verdict, rule):
            mode = "enforce" if rule.mode == "enforce" else "advise"
            kept += (Signal(verdict.classifier, mode, verdict.label, verdict.confidence),)
            data: JsonObject = {"classifier": verdict.classifier, "mode": mode, "label": verdict.label}
            self._tell(events.SESSION_SIGNAL, verdict.created_at, data)
        self.state = replace(self.state, signals=kept, signals_order=self.order)

    def concluded_by_tool(self) -> None:
        """Takes the agent's own word that its part is over: no hook, since the host heard the call itself."""
        if self.state.concluded is None and concluded_by_tool(self.turn):
            self.state = replace(self.state, concluded="tool", concluded_turn=self.turn.id)
            self._tell(events.SESSION_CONCLUDED, self.order.created_at, {"by": "tool"})

    def _title(self, outcome: Outcome, at: datetime) -> None:
        if outcome.title is None:
            return
        applied = not self.state.title_pinned and self._newest(self.state.title_order)
        if applied:
            self.state = replace(self.state, title=outcome.title, title_order=self.order)
        self._tell(events.SESSION_TITLE, at, {"title": outcome.title, "applied": applied})

    def _categories(self, outcome: Outcome, at: datetime) -> None:
        if outcome.categories is None:
            return
        applied = self._newest(self.state.categories_order)
        if applied:
            self.state = replace(self.state, categories=outcome.categories, categories_order=self.order)
        self._tell(events.SESSION_CATEGORIES, at, {"categories": outcome.categories, "applied": applied})

    def _attributed(self, outcome: Outcome, at: datetime) -> None:
        if outcome.sources is None or (self.turn.reply is not None and self.turn.reply.cited):
            return
        self._sources(tuple(SourceRef(alias, "attributed") for alias in outcome.sources))
        if outcome.sources:
            self._tell(events.SOURCES_ATTRIBUTED, at, {"aliases": outcome.sources})

    def _handoff(self, outcome: Outcome, at: datetime) -> None:
        if not outcome.task_concluded:
            return
        if self.state.concluded is None and not concluded_by_tool(self.turn):
            self._conclude(outcome.handoff_summary, at)
        elif self.state.handoff_summary is None and self.state.concluded_turn in (None, self.turn.id):
            self.state = replace(self.state, handoff_summary=outcome.handoff_summary)

    def _conclude(self, summary: str | None, at: datetime) -> None:
        turn = self.turn
        self.state = replace(self.state, concluded="classifier", concluded_turn=turn.id, handoff_summary=summary)
        self.conclusion = Conclusion(
            tenant=turn.tenant,
            session=turn.session,
            agent=turn.agent.id,
            parent=turn.agent.parent,
            turn=turn.id,
            handoff_summary=summary,
        )
        self._tell(events.SESSION_CONCLUDED, at, {"by": "classifier"})

    def _sources(self, sources: tuple[SourceRef, ...]) -> None:
        if self._newest(self.state.sources_order):
            self.state = replace(self.state, sources=sources, sources_order=self.order)

    def _newest(self, known: TurnOrder | None) -> bool:
        return known is None or self.order >= known

    def _tell(self, name: str, at: datetime, data: JsonObject) -> None:
        self.events.append(TimelineEvent(name=name, at=at, turn=self.turn.id, data=data))
