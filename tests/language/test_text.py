"""Words and sentences are found in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.language import fold, may_hold, phrases, plain, sentences, stems, tokens, weight, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hellooo WORLD", ["hello", "world"]),
        ("l'été, aujourd'hui; it's", ["l", "ete", "aujourdhui", "its"]),
        ("Straße 4711", ["strasse", "4711"]),
        ("أهلاً", ["اهلا"]),
        ("東京です", ["東", "京", "て", "す"]),
        ("\ud800 ok", ["ok"]),
    ],
)
def test_words_are_folded_for_comparison(text: str, expected: list[str]) -> None:
    assert [token.folded for token in tokens(text)] == expected


_TRICKY = st.text(alphabet="aabbklLZ'’ ._-09éßİıłΣK東です\u0301اةـ\ud800\n")


@given(st.one_of(_TRICKY, st.text(), st.text(alphabet="aAbLl' _.9")))
def test_each_word_is_folded_as_it_would_be_alone(text: str) -> None:
    found = tokens(text)
    assert [token.folded for token in found] == [fold(text[token.start : token.end]) for token in found]
    assert words(text) == [token.folded for token in found]


_WORDS = st.sampled_from(["Parcel's", "parcel", "l'hotel", "refunds", "HELLOOO", "heeello", "été", "4711", "a", "x_y"])


@given(st.lists(_WORDS).map(" ".join) | _TRICKY, st.lists(_WORDS).map(" ".join))
def test_no_text_is_ruled_out_that_has_the_stems(text: str, other: str) -> None:
    wanted = stems(other)
    assert may_hold(text, wanted, len(wanted & stems(text)))


def test_a_text_without_the_stems_is_ruled_out() -> None:
    assert not may_hold("Thank you, that helps.", stems("Where is my parcel from Berlin?"), 1)


def test_tokens_point_into_the_text_as_written() -> None:
    text = "Où est-ce?"
    assert [text[token.start : token.end] for token in tokens(text)] == ["Où", "est", "ce"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Morgan is in. Shall I book it?", ["Dr. Morgan is in.", "Shall I book it?"]),
        ("It costs 4.50 euros. Ok", ["It costs 4.50 euros.", "Ok"]),
        ("Das ist z. B. so. Gut.", ["Das ist z. B. so.", "Gut."]),
        ("我想退货。怎么办？", ["我想退货。", "怎么办？"]),
        ("one\ntwo", ["one", "two"]),
        ("…", []),
        ("", []),
    ],
)
def test_sentences_end_where_they_end(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_markdown_is_taken_off_and_words_stay() -> None:
    assert plain("# A **bold** [link](x)\n- `item`\n```py\ncode\n```\nsnake_case 2*3*4").split() == (
        ["A", "bold", "link", "item", "code", "snake_case", "2*3*4"]
    )


def test_function_words_are_those_of_the_language_of_the_text() -> None:
    assert weight("I would like to rent a car") == 2
    assert weight("je voudrais louer une voiture car il pleut") == 3
    assert stems("my orders") == {"order"}


def test_every_table_can_be_read() -> None:
    assert {"en", "ja", "ar"} <= phrases("stopwords.txt").keys()
    assert {"greeting", "thanks", "goodbye", "honorific"} <= phrases("smalltalk.txt").keys()
