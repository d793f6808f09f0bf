"""Holds what is known about one turn once it was judged: the line that `afterturn classify` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from afterturn.classifiers import AI_FRUSTRATION
from afterturn.mood import NO_MOOD, mood_after
from afterturn.outcomes import Judgement, Outcome
from afterturn.turns import Turn
from afterturn.verdicts import Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Is a passage that the reply rests on.

    Attributes:
        alias: The passage's alias.
        how: `cited` inline by the answering model, or `attributed` afterwards by a judge.
        offsets: For each citation its place in the clean reply: (code points, UTF-16 units).
    """

    alias: str
    how: Literal["cited", "attributed"]
    offsets: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Classification:
    """Is everything that was found out about one turn.

    Attributes:
        tenant: Id of the tenant.
        agent: Id of the agent.
        session: Id of the session.
        turn: Id of the turn.
        title: Title of the conversation, or None.
        categories: Category names, the complete set for the conversation; None where nobody could say.
        sources: The passages that the reply rests on.
        task_concluded: Whether a sub-agent's part is over; None where the question was not asked or not answered.
        handoff_summary: What the parent agent needs to know, or None.
        safety: Labels of the safety signal; None where the question was not asked or not answered.
        advice: What to do with an unhappy customer, or None.
        verdicts: One verdict a classifier.
        outcomes: What each classifier found in words, by its name.
        known: Whether the store had the turn already: then these are its stored judgements, whoever was asked for now.
        id_taken: Whether the store has another turn under its id, so that this one was judged and not stored.
    """

    tenant: str
    agent: str
    session: str
    turn: str
    title: str | None
    categories: tuple[str, ...] | None
    sources: tuple[Source, ...]
    task_concluded: bool | None
    handoff_summary: str | None
    safety: tuple[str, ...] | None
    advice: str | None
    verdicts: tuple[Verdict, ...]
    outcomes: dict[str, Outcome]
    known: bool = False
    id_taken: bool = False

    def to_json(self) -> dict[str, Any]:
        """Gives the keys of a `classify` line (CONTRACT "Command line")."""
        line = {name: getattr(self, name) for name in _IDS}
        line |= {name: getattr(self, name) for name in _FINDINGS}
        line["sources"] = [asdict(source) for source in self.sources]
        line["verdicts"] = [verdict_to_json(verdict) for verdict in self.verdicts]
        return line


_IDS = ("tenant", "agent", "session", "turn")
_FINDINGS = ("title", "categories", "sources", "task_concluded", "handoff_summary", "safety", "advice")


def classification(
    turn: Turn, judgements: Sequence[Judgement], *, known: bool = False, id_taken: bool = False
) -> Classification:
    """Puts the judgements of a turn together.

    Args:
        turn: The turn, its reply filtered.
        judgements: Its judgements, one a classifier.
        known: Whether the store had the turn already.
        id_taken: Whether the store has another turn under its id.
    """
    outcomes = {j.verdict.classifier: j.outcome for j in judgements if j.outcome is not None}
    found = list(outcomes.values())
    return Classification(
        tenant=turn.tenant,
        agent=turn.agent.id,
        session=turn.session,
        turn=turn.id,
        title=next((o.title for o in found if o.title is not None), None),
        categories=next((o.categories for o in found if o.categories is not None), None),
        sources=sources_of(turn, next((o.sources for o in found if o.sources is not None), ())),
        task_concluded=next((o.task_concluded for o in found if o.task_concluded is not None), None),
        handoff_summary=next((o.handoff_summary for o in found if o.handoff_summary is not None), None),
        safety=next((o.safety for o in found if o.safety is not None), None),
        advice=next((_advice(turn, j) for j in judgements if j.verdict.classifier == AI_FRUSTRATION.name), None),
        verdicts=tuple(judgement.verdict for judgement in judgements),
        outcomes=outcomes,
        known=known,
        id_taken=id_taken,
    )


def _advice(turn: Turn, judgement: Judgement) -> str | None:
    """Gives the advice of one turn seen alone; a stored session's advice knows the turns before."""
    return mood_after(NO_MOOD, turn, judgement).advice


def sources_of(turn: Turn, attributed: Sequence[str]) -> tuple[Source, ...]:
    """Lists a turn's sources: those cited inline, with their places; only where there is none, those attributed."""
    reply = turn.reply
    if reply is None or not reply.cited:
        return tuple(Source(alias=alias, how="attributed") for alias in attributed)
    places = {
        alias: tuple((m.offset_cp, m.offset_utf16) for m in reply.marks if m.alias == alias) for alias in reply.cited
    }
    return tuple(Source(alias=alias, how="cited", offsets=offsets) for alias, offsets in places.items())


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """Gives a verdict as one flat JSON object (CONTRACT "Verdict")."""
    line = asdict(verdict)
    line["created_at"] = verdict.created_at.isoformat()
    return line
