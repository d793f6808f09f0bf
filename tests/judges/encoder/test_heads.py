"""The heads find categories, sources, the conclusion and the handoff."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from afterturn.calls import Call
from afterturn.judges.encoder._heads import answer
from afterturn.turns import Passage

if TYPE_CHECKING:
    from afterturn.judges.encoder._model import SentenceEncoder

SHOP = ("Billing", "Shipping", "Returns", "Account")
MakeCall = Callable[..., Call]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Why was I charged twice on my invoice?", "Billing"),
        ("My parcel has not arrived yet", "Shipping"),
        ("Où est mon colis ? La livraison devait arriver lundi.", "Shipping"),
        ("Die Stromrechnung ist viel zu hoch, ich verstehe den Betrag nicht.", "Billing"),
        ("Quiero devolver los zapatos, son pequeños.", "Returns"),
    ],
)
def test_the_fitting_category_comes_first(
    encoder: SentenceEncoder, make_call: MakeCall, said: str, expected: str
) -> None:
    found = answer(make_call(said, "I'll look.", categories=SHOP, heads=["relevance"]), encoder)
    assert found.values["relevance"][:1] == [expected]  # type: ignore[index]
    assert found.confidence["relevance"].source == "encoder"


def test_small_talk_has_no_category_by_rule(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    found = answer(make_call("Hello, how are you?", "Fine!", categories=SHOP, heads=["relevance"]), encoder)
    assert found.values == {"relevance": []}
    assert found.confidence["relevance"].source == "rule"


def test_a_thank_you_keeps_categories_and_title_of_what_came_before(
    encoder: SentenceEncoder, make_call: MakeCall
) -> None:
    said = ("Why was I charged twice on my invoice?", "Sorted.", "Thank you!", "You're welcome.")
    found = answer(make_call(*said, categories=SHOP, heads=["relevance", "title"]), encoder)
    assert found.values == {"relevance": ["Billing"], "title": "Why was I charged twice on my invoice"}


def test_what_fits_nothing_goes_to_the_catch_all_of_the_list(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    said = ("What is the weather like today?", "Sunny, I think.")
    assert answer(make_call(*said, categories=SHOP, heads=["relevance"]), encoder).values == {"relevance": []}
    listed = (*SHOP, "Out of scope")
    found = answer(make_call(*said, categories=listed, heads=["relevance"]), encoder)
    assert found.values == {"relevance": ["Out of scope"]}


PASSAGES = (
    Passage(alias="c1", text="Employees get 27 days of paid holiday a year. Unused days expire in March."),
    Passage(alias="c2", text="The canteen is open from 11:30 to 14:00 and serves two vegetarian dishes."),
    Passage(alias="c3", text="Laptops are replaced every four years by the IT desk."),
)


def test_the_passage_that_a_reply_rests_on_is_its_source(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    said = ("How many days off do I get?", "You get 27 days of paid holiday each year.")
    found = answer(make_call(*said, passages=PASSAGES, heads=["support"]), encoder)
    assert found.values == {"support": ["c1"]}


def test_a_near_duplicate_with_another_figure_is_no_source(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    texts = ("Staff in France get 27 days of holiday.", "Staff in Spain get 24 days of holiday.")
    passages = [Passage(alias=f"c{number}", text=text) for number, text in enumerate(texts, 1)]
    said = ("How many days off do I get?", "You get 24 days of holiday.")
    assert answer(make_call(*said, passages=passages, heads=["support"]), encoder).values == {"support": ["c2"]}


@pytest.mark.parametrize("reply", ["You're welcome!", "Could you tell me which country you work in?", ""])
def test_a_reply_that_states_nothing_has_no_source(encoder: SentenceEncoder, make_call: MakeCall, reply: str) -> None:
    found = answer(make_call("How many days off do I get?", reply, passages=PASSAGES, heads=["support"]), encoder)
    assert found.values == {"support": []}
    assert found.confidence["support"].source == "rule"


@pytest.mark.parametrize(
    ("reply", "concluded"),
    [
        ("Your table is booked for Monday at 7 pm. The confirmation number is 4711.", True),
        ("Your report has been successfully submitted.", True),
        ("Which day would you like?", False),
        ("There is a table at 7 pm. Shall I book it for you?", False),
        ("I am sorry, but there is no table available at that time.", False),
        ("Votre rendez-vous est confirmé pour lundi à 10 heures.", True),
        ("Quel jour vous conviendrait ?", False),
        ("Ihr Termin ist gebucht, wir haben alle Angaben.", True),
        ("Leider ist an diesem Tag nichts frei.", False),
        ("Su reserva ha sido confirmada con éxito.", True),
        ("Hello!", False),
        ("", False),
    ],
)
def test_a_reply_that_reports_a_result_concludes(
    encoder: SentenceEncoder, make_call: MakeCall, reply: str, concluded: bool
) -> None:
    found = answer(make_call("A table for two please", reply, heads=["concluded"]), encoder)
    assert found.values == {"concluded": concluded}


def test_the_handoff_tells_what_was_given_and_what_was_settled(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    said = (
        "I'd like a table for Friday evening.",
        "May I have your name?",
        "Ben",
        "How many people are coming?",
        "We will be six people.",
        "Thank you. Your table for six is booked for Friday.",
    )
    found = answer(make_call(*said, heads=["concluded", "handoff"]), encoder)
    assert found.values == {
        "concluded": True,
        "handoff": "I'd like a table for Friday evening. May I have your name: Ben. We will be six people. "
        "Your table for six is booked for Friday.",
    }


def test_nothing_collected_and_nothing_settled_is_no_handoff(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    assert answer(make_call("hello", "How can I help?", heads=["handoff"]), encoder).values == {"handoff": None}


def test_a_text_too_long_to_read_whole_makes_the_answer_unsure(encoder: SentenceEncoder, make_call: MakeCall) -> None:
    found = answer(make_call("refund " * 20_000, "ok", categories=SHOP, heads=["relevance"]), encoder)
    assert found.unsure == {"relevance"}
