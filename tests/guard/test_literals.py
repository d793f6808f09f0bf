"""The words that a pattern needs are in every text that it matches."""

from __future__ import annotations

import pytest

from afterturn.guard import Rule
from afterturn.guard._literals import study
from afterturn.guard._normalize import normalize
from afterturn.guard._rarity import EDGE
from afterturn.guard._syntax import for_re, refine


@pytest.mark.parametrize(
    ("pattern", "ways"),
    [
        ("ignore", [[{"ignore"}]]),
        (r"\bignore\b", [[{"ignore"}]]),
        (r"\bend\b", [[{f"{EDGE}end{EDGE}"}]]),
        ("ignore (?:all )?rules", [[{"ignore rules", "ignore all rules"}]]),
        ("(?:ignore|disregard)d?", [[{"ignore", "disregard"}]]),
        ("ignore.{0,9}zebra", [[{"ignore"}, {"zebra"}]]),
        ("(?:ignore|x.y)", []),
        ("(?:ignore)?", []),
        ("(?:ignore){1,3}", [[{"ignore"}]]),
        ("(?:[=#]){4,}", [[{"==", "=#", "#=", "##"}]]),
        ("[abc]lpha", [[{"alpha", "blpha", "clpha"}]]),
        (r"\w+", []),
        ("ab", []),
        ("忽略", [[{"忽略"}]]),
        (r"[.!] ?[(\[]{0,2}end[)\s]", [[{f"{EDGE}end{EDGE}"}]]),
        (r"\w?end.?", [[{"end"}]]),
        (r".{0,9}\b(?:(?:ex|former)[ -]+agent)", [[{f"{EDGE}ex{EDGE}", f"{EDGE}former"}, {"agent"}]]),
        (
            r"zebra \S+ (?:lion|tiger.owl)",
            [[{"zebra"}, {"lion"}], [{"zebra"}, {"tiger"}, {"owl"}]],
        ),
    ],
)
def test_a_pattern_needs_these_words(pattern: str, ways: list[list[set[str]]]) -> None:
    found = study(for_re(refine(pattern))).ways
    assert sorted(sorted(map(sorted, way)) for way in found) == sorted(sorted(map(sorted, way)) for way in ways)


@pytest.mark.parametrize(
    ("pattern", "width"),
    [("abc", 3), ("a.{0,9}b", 11), (r"\bab\b", 2), ("a|bcd", 3), (r"(?:\S+ ){2}", 82), ("[ab]?", 1)],
)
def test_a_match_is_at_most_so_wide(pattern: str, width: int) -> None:
    assert study(for_re(refine(pattern))).width == width


def test_every_example_holds_a_word_of_each_group_of_one_of_its_patterns(rules: tuple[Rule, ...]) -> None:
    for rule in rules:
        for text in rule.positive:
            flat = normalize(text).text.replace("\n", " ")
            assert any(
                all(any(word.strip(EDGE) in flat for word in group) for group in way)
                for pattern in rule.patterns
                for way in pattern.needs
            )
