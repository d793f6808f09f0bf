"""Names the events of the activity timeline, and maps the names to a host's own (SPEC B8).

Each name stays as it is for good: stored timelines and dashboards hang on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from afterturn.turns import JsonObject, JsonValue
from afterturn.verdicts import Verdict

TURN_RECEIVED = "turn.received"
GUARD_CHECKED = "guard.checked"
REPLY_COMPLETED = "reply.completed"
REPLY_LEAK_REMOVED = "reply.leak_removed"
SOURCES_CITED = "sources.cited"
SOURCES_ATTRIBUTED = "sources.attributed"
SESSION_TITLE = "session.title"
SESSION_CATEGORIES = "session.categories"
SESSION_CONCLUDED = "session.concluded"
SAFETY_SIGNAL = "safety.signal"
SESSION_ADVICE = "session.advice"
SESSION_SIGNAL = "session.signal"
JUDGEMENT_FAILED = "judgement.failed"
TEXT_REMOVED = "text.removed"

EVENT_NAMES = (
    TURN_RECEIVED,
    GUARD_CHECKED,
    REPLY_COMPLETED,
    REPLY_LEAK_REMOVED,
    SOURCES_CITED,
    SOURCES_ATTRIBUTED,
    SESSION_TITLE,
    SESSION_CATEGORIES,
    SESSION_CONCLUDED,
    SAFETY_SIGNAL,
    SESSION_ADVICE,
    SESSION_SIGNAL,
    JUDGEMENT_FAILED,
    TEXT_REMOVED,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineEvent:
    """Is one thing that happened in a session.

    Attributes:
        name: One of `EVENT_NAMES`, or the host's name for it.
        at: When it happened.
        turn: Id of the turn it belongs to, or None.
        data: What the timeline shows of it. It lives beside the turn and may name a title or a category.
    """

    name: str
    at: datetime
    turn: str | None = None
    data: JsonObject = field(default_factory=dict[str, JsonValue])


def renamed(event: TimelineEvent, names: Mapping[str, str]) -> TimelineEvent:
    """Gives the event under the host's name, where the host has one.

    Example:
        >>> renamed(TimelineEvent(name="session.title", at=datetime(2026, 1, 1)), {"session.title": "title_set"}).name
        'title_set'
    """
    return replace(event, name=names.get(event.name, event.name))


def failure_event(verdict: Verdict) -> TimelineEvent:
    """Gives the event of a judgement that ended in an error."""
    data: JsonObject = {"classifier": verdict.classifier, "code": verdict.reason, "attempt": verdict.attempt}
    return TimelineEvent(name=JUDGEMENT_FAILED, at=verdict.created_at, turn=verdict.turn, data=data)
