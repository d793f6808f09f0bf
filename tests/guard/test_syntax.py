"""A pattern is rewritten for normalised text; what the engines do not share is refused, with what to do."""

from __future__ import annotations

import re

import pytest

from afterturn.guard._engine_re2 import lint
from afterturn.guard._syntax import for_re, refine


@pytest.mark.parametrize(
    ("pattern", "refined"),
    [
        ("a b", r"a[ \n]b"),
        ("a b{2}", r"a[ \n]b{2}"),
        ("[a ,]", r"[a \n,]"),
        ("[ -~]", "[ -~]"),
        ("[^ ]x", r"[^ \n]x"),
        (r"\b\w\S\W", r"\b\w\S\W"),
        ("Été", "ete"),
        ("[àé]", "[ae]"),
        ("groß?", "gro(?:ss)?"),
        ("ё|Й", "е|и"),
        (r"\[x\]", r"\[x\]"),
        ("[[]x]", "[[]x]"),
        ("[]a]", "[]a]"),
        (r"(?:a|b){1,3}?", r"(?:a|b){1,3}?"),
        ("👉\ufe0f x", r"👉[ \n]x"),
    ],
)
def test_a_pattern_is_rewritten_for_normalised_text(pattern: str, refined: str) -> None:
    assert refine(pattern) == refined


@pytest.mark.parametrize(
    ("pattern", "told"),
    [(r"\pL", "write the letters out"), ("(?i)a", "only"), ("(?=a)", "only"), ("(?<a>b)", "only"), (r"a\z", "use \\$")],
)
def test_syntax_that_the_engines_do_not_share_is_refused(pattern: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        refine(pattern)


def test_the_end_of_the_text_is_its_very_end_in_either_engine() -> None:
    assert for_re("a$|[$]|\\$") == "a\\Z|[$]|\\$"
    assert re.search(for_re("a$"), "a\n") is None


@pytest.mark.parametrize(
    ("pattern", "is_well"), [("a{1,30}", True), (r"(a)\1", False), ("a{1001}", False), ("a++", False)]
)
def test_the_lint_is_whether_re2_takes_it(pattern: str, is_well: bool) -> None:
    pytest.importorskip("re2")
    assert (lint(pattern) is None) is is_well
