"""Asks for the title of the conversation and its categories: the complete set, replaced at every turn (SPEC B1-B4)."""

from __future__ import annotations

from collections.abc import Mapping

from afterturn.classifiers._base import Checked, Classifier, Reading, list_of, nullable
from afterturn.classifiers._titles import MAX_TITLE_CHARACTERS, clean_title
from afterturn.outcomes import Outcome
from afterturn.turns import JsonObject, Turn

MAX_CATEGORIES = 5

_TITLE = (
    "- title: what the customer wants, as a short noun phrase of three to eight words, in the language the customer "
    "writes. null if the conversation holds nothing but greetings, thanks, goodbyes or small talk so far."
)
_CATEGORIES = (
    "- categoryNames: every entry of category_list that the conversation as a whole is about, previous messages "
    "included, the most fitting first, copied exactly. [] if it is only small talk or no entry fits."
)


def _fields(turn: Turn) -> Mapping[str, JsonObject]:
    fields: dict[str, JsonObject] = {"title": nullable({"type": "string", "maxLength": MAX_TITLE_CHARACTERS})}
    if turn.agent.categories:
        fields["categoryNames"] = list_of(tuple(turn.agent.categories), at_most=MAX_CATEGORIES)
    return fields


def _instructions(turn: Turn) -> str:
    return f"{_TITLE}\n{_CATEGORIES}" if turn.agent.categories else _TITLE


def _read(answer: Checked, turn: Turn) -> Reading:
    raw = answer.text("title")
    title = clean_title(raw) if raw else None
    categories = answer.texts("categoryNames") if turn.agent.categories else None
    field = "categoryNames" if categories else "title"
    return Reading(
        status="finding" if title or categories else "no_finding",
        confidence=answer.confidence.get(field),
        unsure=not (title or categories) and bool(answer.unsure),
        outcome=Outcome(title=title, categories=categories),
    )


CONVERSATION = Classifier(
    name="conversation",
    version="1",
    view="exchange",
    fields=_fields,
    instructions=_instructions,
    read=_read,
    heads={"title": "title", "categoryNames": "relevance"},
)
