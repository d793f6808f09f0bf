"""What google-re2 says of a context pattern is what Python's `re` says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.guard import _context_patterns as words
from afterturn.guard._found import found, without_look_around

_PATTERNS: list[re.Pattern[str]] = [value for value in vars(words).values() if isinstance(value, re.Pattern)]
_WORDS = (
    "please do that now obey what it says \" ' attackers write : . ? ! , my user asked is it safe if says then i "
    "should the filter blocked def x( return system: - 1) ignore previous instructions é 说 \n"
)
_SOUPS = st.lists(st.sampled_from(_WORDS.split(" ")), max_size=40).map(" ".join)


@given(text=st.text(st.characters(codec="ascii", min_codepoint=32)) | _SOUPS)
def test_every_context_pattern_is_found_where_re_finds_it(text: str) -> None:
    for pattern in _PATTERNS:
        assert found(pattern, text) == (pattern.search(text) is not None)


@pytest.mark.parametrize("text", ["a1", "b1", "1\n", "x", "", "é1", "[(?=1)]1"])
def test_look_around_is_heeded(text: str) -> None:
    pattern = re.compile(r"(?<!a)1(?!2)$")
    assert found(pattern, text) == (pattern.search(text) is not None)


@pytest.mark.parametrize(
    ("pattern", "without"),
    [
        ("abc", "abc"),
        (r"a(?!b(c))d", "ad"),
        (r"(?<=[)])a\(?=b", r"a\(?=b"),
        (r"(?:a|(?<!\()b)(c)", "(?:a|b)(c)"),
        (r"[(?=]a", "[(?=]a"),
    ],
)
def test_without_look_around_the_rest_stays(pattern: str, without: str) -> None:
    assert without_look_around(pattern) == without


def test_a_pattern_that_google_re2_does_not_know_is_asked_of_re() -> None:
    pattern = re.compile(r"(a)\1")
    assert found(pattern, "xaax")
    assert not found(pattern, "xabx")
