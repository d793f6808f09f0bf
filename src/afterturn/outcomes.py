"""Holds the outcome: what a classifier found in words, kept with the turn and session, never in a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from afterturn.turns import JsonValue
from afterturn.verdicts import Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """Is what one classifier found. None means that it says nothing about the field.

    Attributes:
        title: Title of the conversation.
        categories: Category names, the complete set for the whole conversation: it REPLACES the session's.
        sources: Aliases of the passages that the reply rests on.
        task_concluded: Whether the reply ends the sub-agent's part.
        handoff_summary: Two to four sentences for the parent agent.
        safety: Labels of the safety signal.
        sentiment: How the customer feels in the latest message, -1 to 1.
        frustration: Whom an unhappy customer is unhappy with: `ai`, `situation`, or `none`.
        wants_human: Whether the customer asks for a person.
        rationale: Why, in the judge's words.
        extra: What a further classifier found, by its own field names.
    """

    title: str | None = None
    categories: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    task_concluded: bool | None = None
    handoff_summary: str | None = None
    safety: tuple[str, ...] | None = None
    sentiment: float | None = None
    frustration: str | None = None
    wants_human: bool | None = None
    rationale: str | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """Is one classifier's whole answer about one turn: the verdict and what was found in words."""

    verdict: Verdict
    outcome: Outcome | None = None
