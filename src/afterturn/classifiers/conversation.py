"""Asks for the title of the conversation and its categories: the complete set, replaced at every turn (SPEC B1-B4)."""

from __future__ import annotations

from collections.abc import Mapping

from afterturn.calls import Confidence
from afterturn.classifiers._base import Checked, Classifier, Reading, list_of, nullable
from afterturn.classifiers._language import in_language
from afterturn.classifiers._titles import MAX_TITLE_CHARACTERS, clean_title
from afterturn.classifiers._views import HISTORY_MESSAGES
from afterturn.outcomes import Outcome
from afterturn.smalltalk import small_talk_certainty
from afterturn.turns import JsonObject, Turn

MAX_CATEGORIES = 5

_TITLE = "- title: 3 to 8 words on what the customer wants, {language}. null if there are only greetings or thanks."
_CATEGORIES = (
    '- categoryNames: what the customer wants, named by an entry of "categories". Usually exactly one entry. A second '
    "one only if the customer has a second concern. [] if none fits."
)


def _fields(turn: Turn) -> Mapping[str, JsonObject]:
    """Asks nothing about a conversation of mere small talk: models invent a title for a bare greeting."""
    if _small_talk(turn):
        return {}
    fields: dict[str, JsonObject] = {"title": nullable({"type": "string", "maxLength": MAX_TITLE_CHARACTERS})}
    if turn.agent.categories:
        fields["categoryNames"] = list_of(tuple(turn.agent.categories), at_most=MAX_CATEGORIES)
    return fields


def _instructions(turn: Turn) -> str:
    title = _TITLE.format(language=in_language(turn))
    return f"{title}\n{_CATEGORIES}" if turn.agent.categories else title


def _read(answer: Checked, turn: Turn) -> Reading:
    if not answer.values:
        return _nothing_to_name(turn)
    raw = answer.text("title")
    title = clean_title(raw, instruction=_TITLE) if raw else None
    categories = answer.texts("categoryNames") if turn.agent.categories else None
    return Reading(
        status="finding" if title or categories else "no_finding",
        confidence=answer.confidence.get("categoryNames" if categories else "title"),
        unsure=not (title or categories) and bool(answer.unsure),
        outcome=Outcome(title=title, categories=categories),
    )


def _nothing_to_name(turn: Turn) -> Reading:
    """Categories stay as they are where messages before the view may have had content."""
    whole = len(turn.history) < HISTORY_MESSAGES
    return Reading(
        status="no_finding",
        confidence=Confidence(percent=round(100 * _small_talk(turn)), source="rule"),
        outcome=Outcome(categories=() if whole and turn.agent.categories else None),
    )


def _small_talk(turn: Turn) -> float:
    said = {role: [m.text for m in turn.messages if m.role == role] for role in ("user", "assistant")}
    return small_talk_certainty(said["user"], said["assistant"])


CONVERSATION = Classifier(
    name="conversation",
    version="1",
    view="exchange",
    fields=_fields,
    instructions=_instructions,
    read=_read,
    heads={"title": "title", "categoryNames": "relevance"},
)
