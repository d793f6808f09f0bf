"""The encoder tells whether a message or a reply goes into a blocked topic, by its meaning and not by its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterturn.calls import Call, Meaning, Question
from afterturn.judges.encoder._blocked import blocked_topic
from afterturn.judges.encoder._heads import answer
from afterturn.turns import Message, Turn

if TYPE_CHECKING:
    from afterturn.judges.encoder._model import SentenceEncoder

TOPICS = {
    "flights": Meaning(
        name="flights", description="Booking a flight, delays, lost luggage.", examples=("plane ticket", "luggage")
    ),
    "taxes": Meaning(name="taxes", description="Taxes and tax forms.", examples=("tax return", "income tax")),
}


def _call(*said: str, meanings: dict[str, Meaning] | None = None) -> Call:
    messages = tuple(Message(role="assistant" if n % 2 else "user", text=text) for n, text in enumerate(said))
    question = Question(
        classifier="blocked_topics",
        version="1",
        fields={"blockedTopic": {"type": "string", "enum": ["none", *TOPICS]}},
        instructions="",
        heads={"blockedTopic": "topics"},
        meanings=TOPICS if meanings is None else meanings,
    )
    return Call(view="exchange", turn=Turn(messages=messages), questions=(question,), plan="0" * 16)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Which flights to Rome are there tomorrow, and can I book one now?", "flights"),
        ("How much do I have to pay the tax office for my income of last year?", "taxes"),
    ],
)
def test_a_topic_is_found_without_any_of_its_terms(encoder: SentenceEncoder, text: str, topic: str) -> None:
    assert blocked_topic([text], TOPICS, encoder).topic == topic


@pytest.mark.parametrize("text", ["My parcel has not come yet.", "How do I reset my password?", "Thanks a lot!"])
def test_other_matters_are_of_no_topic(encoder: SentenceEncoder, text: str) -> None:
    found = blocked_topic([text], TOPICS, encoder)
    assert (found.topic, found.unsure) == (None, False)


def test_in_a_language_in_which_the_topic_is_not_written_the_encoder_is_unsure(encoder: SentenceEncoder) -> None:
    told = {
        "flights": Meaning(name="flights", description="Booking a flight, a delay of it, and luggage that was lost.")
    }
    found = blocked_topic(["Wann landet mein Flug nach Rom?"], told, encoder)
    assert (found.topic, found.unsure) == (None, True)
    assert not blocked_topic(["Mein Paket ist noch nicht da."], told, encoder).unsure


def test_the_reply_counts_as_the_message_does(encoder: SentenceEncoder) -> None:
    reply = "For your income tax you fill in the tax return and send it to the tax office by May."
    found = answer(_call("And what should I do next?", reply), encoder)
    assert found.values == {"blockedTopic": "taxes"}
    assert found.confidence["blockedTopic"].source == "encoder"


def test_a_topic_of_which_nothing_is_known_is_compared_by_its_name(encoder: SentenceEncoder) -> None:
    found = answer(_call("Please tell me about the taxes that I owe.", "No.", meanings={}), encoder)
    assert found.values == {"blockedTopic": "taxes"} or found.unsure == {"blockedTopic"}


def test_a_turn_without_words_is_of_no_topic(encoder: SentenceEncoder) -> None:
    found = answer(_call("", ""), encoder)
    assert (found.values, found.unsure) == ({"blockedTopic": "none"}, frozenset())
