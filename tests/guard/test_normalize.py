"""Every spelling of a text becomes one, and each place of it leads back to the original."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from afterturn.guard._fold import FoldTable
from afterturn.guard._normalize import _folded_beyond, normalize  # pyright: ignore[reportPrivateUsage]

Table = Callable[[str], list[dict[str, Any]]]

ODD = st.sampled_from(
    [
        *"aIß0 \n\t\r&;#İﬁé",
        "&amp;",
        "&#105;",
        "\u0301",
        "\u200b",
        "\ud83d",
        "\U000e0041",
        "я",
        "а",
        "ﷺ",
        "\u1112\u1161",
        "\x00",
    ]
)
TEXTS = st.text() | st.lists(ODD, max_size=40).map("".join)


def test_each_text_of_the_table_becomes_its_normal_form(table: Table) -> None:
    for case in table("normalize"):
        assert normalize(case["text"]).text == case["normal"], case


def test_a_place_leads_back_to_the_letters_that_it_came_from() -> None:
    text = "Hi!  ＩＧ\u200bnore &amp; Straße\n\n ok"
    normal = normalize(text)
    for words, original in [("ignore", "ＩＧ\u200bnore"), ("&", "&amp;"), ("strasse", "Straße"), ("ok", "ok")]:
        start = normal.text.index(words)
        first, last = normal.span(start, start + len(words))
        assert text[first:last] == original
    assert [normal.offset(normal.text.index(char)) for char in "h!i"] == [0, 2, 1]


def test_what_is_deleted_at_the_edges_of_a_match_stays_outside() -> None:
    normal = normalize("\u200b\u200bab\u200b\u200bcd")
    assert (normal.span(0, 2), normal.span(2, 4)) == ((2, 4), (6, 8))


@given(TEXTS)
@example("\u200b" * 3)
@example("ﬁ\u200b")
def test_places_are_in_order_and_within_the_original(text: str) -> None:
    normal = normalize(text)
    places = [normal.offset(index) for index in range(len(normal.text) + 1)]
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
    for index in range(len(normal.text)):
        start, end = normal.span(index, index + 1)
        assert 0 <= start < end <= len(text)


@given(TEXTS)
def test_a_text_has_no_upper_case_no_double_blanks_and_nothing_invisible(text: str) -> None:
    normal = normalize(text).text
    assert "  " not in normal
    assert "\n\n" not in normal
    assert not set("\u200b\u200c\u200d\u00ad\u202e\ufeff\x00") & set(normal)
    assert not any("A" <= char <= "Z" for char in normal)


@given(TEXTS.map(lambda text: f"é{text}"))
@example("ascii\x00 TAB\t" + "".join(map(chr, range(0xA0, 0x400))))
def test_a_text_is_folded_byte_by_byte_as_it_is_character_by_character(text: str) -> None:
    assert _folded_beyond(text)[0] == text.translate(FoldTable())
