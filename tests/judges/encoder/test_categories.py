"""Categories are ordered by nearness, whatever their list, and as many count as the conversation has matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from afterturn.judges.encoder._categories import Relevance, relevant
from afterturn.judges.encoder._conversation import Conversation, lay_out
from afterturn.judges.encoder._ranking import ranked
from afterturn.judges.encoder._spelling import spelled_alike
from afterturn.judges.encoder._topics import matters
from afterturn.turns import Message, Turn

if TYPE_CHECKING:
    from afterturn.judges.encoder._model import SentenceEncoder

BANK = ("lost card", "exchange rate", "change pin", "direct debit", "close account", "age limit")


def talk(*said: str) -> Conversation:
    """Lays out what customer and agent say in turn."""
    return lay_out(
        Turn(messages=tuple(Message(role="assistant" if i % 2 else "user", text=t) for i, t in enumerate(said)))
    )


def find(
    encoder: SentenceEncoder, names: Sequence[str], *said: str, descriptions: Mapping[str, str] | None = None
) -> Relevance:
    """Finds the categories of what customer and agent say in turn."""
    return relevant(talk(*said), names, descriptions or {}, 5, encoder)


def test_a_name_is_spelled_in_a_compound_of_it() -> None:
    assert spelled_alike(("rechnung", "lieferung"), "Die Stromrechnung ist falsch")[0] > 0.7


def test_characters_without_spaces_are_compared_in_pairs() -> None:
    assert spelled_alike(("发票", "退货"), "我的发票不对").tolist() == [1.0, 0.0]


def test_a_name_without_words_is_spelled_nowhere() -> None:
    assert spelled_alike(("!!!", "card"), "my card").round(9).tolist() == [0.0, 1.0]


def test_a_part_that_all_names_share_tells_little() -> None:
    shared, alone = (
        spelled_alike(("card fee", "card limit", "card pin"), "which fee?"),
        spelled_alike(("card fee",), "fee?"),
    )
    assert shared[0] > alone[0]


def test_a_matter_that_all_names_share_tells_them_apart_less() -> None:
    common = matters(("invoice", "invoice copy", "invoice date"), ("my invoice",))[0, 0]
    assert common < matters(("invoice", "parcel", "password"), ("my invoice",))[0, 0]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I can't find my debit card anywhere since yesterday", "lost card"),
        ("How many pounds do I get for a hundred dollars?", "exchange rate"),
        ("I want a new code for the cash machine", "change pin"),
    ],
)
def test_the_order_does_not_hang_on_the_order_of_the_list(encoder: SentenceEncoder, said: str, expected: str) -> None:
    assert find(encoder, BANK, said).names == find(encoder, BANK[::-1], said).names
    assert find(encoder, BANK, said).names[0] == expected


def test_two_matters_of_two_messages_are_both_found(encoder: SentenceEncoder) -> None:
    names = ("Invoices", "Delivery", "Password", "Opening hours", "Careers")
    said = (
        "Where is my delivery? It should have come on Monday.",
        "It comes tomorrow.",
        "I also forgot my password.",
        "Ok.",
    )
    assert set(find(encoder, names, *said).names) == {"Password", "Delivery"}


def test_one_matter_has_one_category(encoder: SentenceEncoder) -> None:
    assert find(encoder, BANK, "I lost my card in the train").names == ("lost card",)


def test_a_code_is_found_by_its_description(encoder: SentenceEncoder) -> None:
    descriptions = {"Q7": "parcels that are late or lost", "Q8": "invoices and charges", "Q9": "jobs and applications"}
    found = find(encoder, tuple(descriptions), "Where is my parcel? It is a week late.", descriptions=descriptions)
    assert found.names == ("Q7",)


def test_no_category_is_named_where_none_is_near(encoder: SentenceEncoder) -> None:
    found = find(encoder, BANK, "What is the capital of Australia?")
    assert (found.names, found.by_rule) == ((), False)


@pytest.mark.parametrize("names", [("Delivery",), ("Delivery", "Invoices")])
def test_a_list_of_one_or_two_is_answered(encoder: SentenceEncoder, names: tuple[str, ...]) -> None:
    found = find(encoder, names, "Where is my parcel? It should have been delivered on Monday.")
    assert found.names == ("Delivery",)
    assert ranked(talk("Where is my parcel?"), names, {}, encoder).scores.shape == (len(names),)
