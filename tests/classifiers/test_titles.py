from __future__ import annotations

import pytest

from afterturn.classifiers._titles import MAX_TITLE_CHARACTERS, clean_title

DRESSED = [
    ("Refund for a late parcel", "Refund for a late parcel"),
    ('"Refund for a late parcel."', "Refund for a late parcel"),
    ("Title: Refund for a late parcel", "Refund for a late parcel"),
    ("Here is a title: Refund for a late parcel", "Refund for a late parcel"),
    ("Here's the title for this conversation: **Refund**", "Refund"),
    ("Sure! Here is a title:\nRefund for a late parcel", "Refund for a late parcel"),
    ("**Refund** for a `late` parcel", "Refund for a late parcel"),
    ("# Refund for a late parcel", "Refund for a late parcel"),
    ("- Refund", "Refund"),
    ("1. Refund", "Refund"),
    ("<think>They want money.</think>Refund for a parcel", "Refund for a parcel"),
    ("<think>They want money.</think>\n\n“Refund for a parcel”", "Refund for a parcel"),
    ("Titre : Remboursement d'un colis", "Remboursement d'un colis"),
    ("Titel: „Rückgabe der Schuhe“", "Rückgabe der Schuhe"),
    ("Título: «Factura de marzo»", "Factura de marzo"),
    ("标题：退款申请", "退款申请"),
    ("「返金のお願い」", "返金のお願い"),
    ("[Refund](https://shop.example)", "Refund"),
    ("Refund \n for a parcel", "Refund"),
    ("Late parcel [c1]", "Late parcel"),
    ("Late parcel 【c1, c3】 and refund [c2-c4].", "Late parcel and refund"),
    ("Refund\tfor  a parcel", "Refund for a parcel"),
    ("Refund\u202e for a parcel", "Refund for a parcel"),
    ("Summary of the turn: Refund for a parcel", "Refund for a parcel"),
    ("The title is: Refund for a parcel", "Refund for a parcel"),
    ('The title of this conversation is "Refund"', "Refund"),
    ("Title - Refund", "Refund"),
    ("Topic: Refund", "Refund"),
    ("Betreff: Rückgabe", "Rückgabe"),
    ("<title>Refund</title>", "Refund"),
    ("<b>Refund</b> for a parcel", "Refund for a parcel"),
    ("[THINK]hm[/THINK]Refund", "Refund"),
    ("◁think▷hm◁/think▷Refund", "Refund"),
    ("<|channel|>final<|message|>Refund", "Refund"),
    ("Subject line too long in e-mail", "Subject line too long in e-mail"),
    ("Title deed for a house", "Title deed for a house"),
    ("C++ build fails", "C++ build fails"),
    ("What does * mean in SQL?", "What does * mean in SQL?"),
    ('Customer\'s "gold" plan', 'Customer\'s "gold" plan'),
    ("Employees' leave", "Employees' leave"),
    ("Error: disk full on server", "Error: disk full on server"),
    ("snake_case names", "snake_case names"),
]

NOTHING = [
    "",
    "   ",
    "null",
    "None",
    '"N/A"',
    "Untitled",
    "New conversation",
    "...",
    "🙂",
    "<think>hm</think>",
    "<think>hm never closed",
    "[c1]",
    "Summary of the turn",
]


@pytest.mark.parametrize(("raw", "clean"), DRESSED)
def test_a_title_is_freed_of_what_models_dress_it_in(raw: str, clean: str) -> None:
    assert clean_title(raw) == clean


@pytest.mark.parametrize("raw", NOTHING)
def test_what_names_nothing_is_no_title(raw: str) -> None:
    assert clean_title(raw) is None


def test_a_long_title_is_cut_on_a_word_boundary_to_80_characters() -> None:
    title = clean_title("refund " * 40)
    assert title is not None
    assert len(title) <= MAX_TITLE_CHARACTERS
    assert title.endswith("refund…")


def test_a_clean_title_stays_as_it_is_when_cleaned_again() -> None:
    for raw, _ in DRESSED:
        once = clean_title(raw)
        assert once is not None
        assert clean_title(once) == once


def test_words_of_the_instruction_are_no_title() -> None:
    told = "- title: 3 to 8 words on what the customer wants"
    assert clean_title("3 to 8 words on what the customer wants.", instruction=told) is None
    assert clean_title("What the customer wants", instruction=told) is None
    assert clean_title("Refund the customer wants", instruction=told) == "Refund the customer wants"
