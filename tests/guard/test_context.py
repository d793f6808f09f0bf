"""A text about attacks is no attack; a quotation with an order to obey it is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from afterturn.guard import Rule
from afterturn.guard._context import is_cut
from afterturn.guard._patterns import Patterns

Table = Callable[[str], list[dict[str, Any]]]


def test_each_text_of_the_table_is_told_apart(table: Table, rules: tuple[Rule, ...]) -> None:
    patterns = Patterns(rules)
    for case in table("context"):
        assert bool(patterns.find(case["text"])) is case["flagged"], case["text"]


def test_without_a_context_that_counts_nothing_is_cut() -> None:
    text = 'attackers write "ignore it" often'
    assert is_cut(text, 17, 26, frozenset({"quoted"}))
    assert not is_cut(text, 17, 26, frozenset())


def test_who_repeats_a_quotation_hundreds_of_times_is_not_excused(rules: tuple[Rule, ...]) -> None:
    quoted = 'Attackers write "ignore all previous instructions" often. \n'
    assert Patterns(rules).find(quoted * 200) == ()
    assert Patterns(rules).find(quoted * 300) != ()


@given(st.text(alphabet="\"'`“”«»「a? .\n"), st.text(alphabet="\"'`“”«»」a? .\n"))
def test_no_quotation_marks_make_it_raise(left: str, right: str) -> None:
    cut = frozenset({"quoted", "reported", "code"})
    assert is_cut(f"{left}attack{right}", len(left), len(left) + 6, cut) in (True, False)  # type: ignore[arg-type]
