"""Long instructions are cut to the parts that matter for the reply, and never dropped."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.calls import CUT
from afterturn.classifiers import project
from afterturn.classifiers._scope import SCOPE_CHARACTERS, scope_of
from afterturn.replies import filtered

TOPICS = (
    "parcels",
    "invoices",
    "passwords",
    "holidays",
    "laptops",
    "parking",
    "coffee",
    "badges",
    "printers",
    "travel",
)
FILLER = "Stay calm, answer in full sentences and keep to the facts of the case. "
RULE = "Never promise a refund above forty euros without a manager."


def _long(separator: str) -> str:
    rules = [f"About {topic}: {FILLER * 6}" for topic in TOPICS * 4]
    rules.insert(33, RULE)
    return separator.join(["You are Nora of Acme.", *rules])


@pytest.mark.parametrize("separator", ["\n\n", "\n", " "], ids=["paragraphs", "lines", "one line"])
def test_of_long_instructions_the_beginning_and_the_rule_in_question_are_kept(separator: str) -> None:
    cut = scope_of(_long(separator), "I will refund you eighty euros, promised.")
    assert 5_000 < len(cut) <= SCOPE_CHARACTERS
    assert cut.startswith("You are Nora of Acme.")
    assert RULE in cut
    assert CUT in cut


def test_the_kept_parts_stay_in_their_order_and_a_cut_is_marked_where_something_is_missing() -> None:
    text = "You sell bikes.\n\nBrakes cost ten.\n\nNo cars.\n\nBells cost two.\n\nLamps cost six."
    assert scope_of(text, "Bells and brakes", limit=75) == (
        f"You sell bikes.\nBrakes cost ten.{CUT}\nBells cost two.{CUT}"
    )


def test_instructions_that_fit_are_shown_as_they_are() -> None:
    text = "You help.\n\n\n  Be brief. " * 250
    assert len(text) == SCOPE_CHARACTERS
    assert scope_of(text, "Yes.") == text


def test_a_reply_in_another_language_still_gets_the_beginning_and_all_that_fits() -> None:
    cut = scope_of(_long("\n\n"), "Das kann ich Ihnen leider nicht sagen.")
    assert cut.startswith("You are Nora of Acme.")
    assert 5_000 < len(cut) <= SCOPE_CHARACTERS


def test_the_scope_view_shows_the_cut_instructions(make_turn: Any) -> None:
    turn = filtered(make_turn("q", "I refund you eighty euros.", instructions=_long("\n\n")))
    assert project(turn, "scope").agent.instructions == scope_of(_long("\n\n"), "I refund you eighty euros.")


@given(st.text(min_size=1, max_size=400), st.text(max_size=60), st.integers(min_value=40, max_value=200))
def test_whatever_the_instructions_are_the_cut_fits_and_is_not_empty(text: str, reply: str, limit: int) -> None:
    cut = scope_of(text, reply, limit)
    assert len(cut) <= max(limit, len(CUT))
    assert cut
