"""Titles are the customer's own words, clean, and absent from small talk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterturn.judges.encoder._titles import MAX_TITLE_CHARS, clean_title, make_title

if TYPE_CHECKING:
    from afterturn.judges.encoder._model import SentenceEncoder


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("could you please refund my order 4711?", "Refund my order 4711"),
        ("Hello, I would like to know when my parcel arrives, please.", "When my parcel arrives"),
        ('**Refund** "now" please!!!', "Refund now"),
        ("> # `password` reset…", "Password reset"),
        ("Je voudrais annuler ma commande s'il vous plaît.", "Annuler ma commande"),
        ("J'ai besoin d'aide pour configurer mon imprimante", "Configurer mon imprimante"),
        ("Ich möchte gerne meine Bestellung stornieren, bitte.", "Meine Bestellung stornieren"),
        ("Hola, quisiera saber si puedo cambiar la fecha de mi vuelo", "Cambiar la fecha de mi vuelo"),
        ("Gostaria de cancelar a assinatura", "Cancelar a assinatura"),
        ("Vorrei un rimborso per favore", "Un rimborso"),
        ("Ik wil graag mijn abonnement opzeggen", "Mijn abonnement opzeggen"),
        ("你好，请问我的订单什么时候发货？", "我的订单什么时候发货"),
        ("مرحبا، أريد أن أعرف متى يصل طلبي؟", "متى يصل طلبي"),
        ("don't charge the customers' card", "Don't charge the customers card"),
        ("ßtraße", "ßtraße"),
        ("«»", ""),
        ("", ""),
    ],
)
def test_a_clause_becomes_a_clean_title(said: str, title: str) -> None:
    assert clean_title(said) == title


@pytest.mark.parametrize(
    "said",
    [
        "the link in the mail that you sent me yesterday shows an error and says that the token has expired already",
        "x" * 200,
        "退" * 200,
        "Mein Zug hatte Verspätung, deshalb habe ich den Anschluss verpasst, und ich möchte nun die Erstattung",
    ],
)
def test_a_long_clause_is_cut_at_eighty_characters_on_a_word_border(said: str) -> None:
    title = clean_title(said)
    assert 0 < len(title) <= MAX_TITLE_CHARS
    rest = said[len(title) : len(title) + 1]
    assert " " not in said or not rest.isalnum()


@pytest.mark.parametrize(
    ("latest", "earlier", "title"),
    [
        ("Hi! Where is my order? I ordered it two weeks ago. Thanks", [], "Where is my order"),
        ("7 pm, 6 people", ["Hey! I need to make a reservation at Legume"], "Make a reservation at Legume"),
        ("yes please", ["Can you book a hotel for Monday?"], "Book a hotel for Monday"),
        ("Thanks, bye!", ["Can you book a hotel for Monday?"], "Book a hotel for Monday"),
        ("hello", [], None),
        ("", [], None),
        ("85731890", [], None),
    ],
)
def test_the_title_is_what_the_customer_wants(
    encoder: SentenceEncoder, latest: str, earlier: list[str], title: str | None
) -> None:
    assert make_title([latest], earlier, "I see.", encoder).text == title


def test_an_answer_to_the_agents_question_is_a_detail_of_what_was_wanted_before(encoder: SentenceEncoder) -> None:
    earlier, latest = ["I need a laptop for a new colleague.", "Mara Lindqvist, Finance."], ["A Mac please, to Malmö."]
    assert make_title(latest, earlier, "Filed.", encoder, answering=True).text == "A laptop for a new colleague"
