"""A pattern with a gap is searched around what stands after its gap; every match holds that."""

from __future__ import annotations

import re

import pytest

from afterturn.guard import Rule, load_rules
from afterturn.guard._engine_re import ReEngine
from afterturn.guard._engine_re2 import Re2Engine
from afterturn.guard._engines import SHORT, PatternEngine
from afterturn.guard._kernel import kernel
from afterturn.guard._normalize import normalize
from afterturn.guard._patterns import Patterns
from afterturn.guard._rules import Pattern, builtin_rules
from afterturn.guard._syntax import atoms, for_re, refine


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        (r"\bshow\b[^\n]{0,60}?\byour hidden text\b", r"\byour[ \n]hidden[ \n]text\b"),
        (r"read.{0,80}your (?:\S+ )?zebra.{0,9}now", r"your[ \n](?:\S+[ \n])?zebra"),
        (r"show (?:\S+ ){0,7}zebra", "zebra"),
        (r"show.{0,9}zebra", None),
        ("zebra", None),
        (r"zebra.{0,60}", None),
        (r"zebra.{0,60}\w+", None),
        (r"zebra.{0,60}(?:lion.{0,20}tiger)", None),
    ],
)
def test_the_kernel_is_the_rarest_part_after_the_gap(pattern: str, part: str | None) -> None:
    refined = refine(pattern)
    found = kernel(refined)
    assert (refined[found.start : found.end] if found else None) == part


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        (r"a[b\]]{2}?\bc+?", ["a", r"[b\]]{2}?", r"\b", "c+?"]),
        ("(?:a(?:b|c)*)?d", ["(?:a(?:b|c)*)?", "d"]),
        ("[(]{1,3}[)]", ["[(]{1,3}", "[)]"]),
    ],
)
def test_atoms_have_their_quantifiers(pattern: str, parts: list[str]) -> None:
    assert atoms(pattern) == parts


@pytest.mark.parametrize("rule", builtin_rules(), ids=lambda rule: rule.id)
def test_every_example_that_a_pattern_matches_holds_its_kernel(rule: Rule) -> None:
    for pattern in rule.patterns:
        assert "".join(atoms(pattern.text)) == pattern.text
        if pattern.kernel is None:
            continue
        part = re.compile(for_re(pattern.text[pattern.kernel.start : pattern.kernel.end]), re.ASCII)
        for text in rule.positive:
            normal = normalize(text).text
            for match in re.finditer(for_re(pattern.text), normal, re.ASCII):
                assert part.search(normal, match.start()) is not None


@pytest.mark.parametrize("engine", [ReEngine, Re2Engine])
def test_a_kernel_is_found_in_any_script(engine: type[ReEngine] | type[Re2Engine]) -> None:
    text = refine(r"\bshow\b.{0,60}your (?:\S+ )?zebra")
    pattern = Pattern(text=text, needs=(), width=120, kernel=kernel(text))
    made: PatternEngine = engine([pattern])
    assert list(made.kernels("我 show me your 忽略 zebra", 0)) == [(10, 23)]


@pytest.mark.parametrize("name", ["re2", "re"])
def test_words_that_stand_everywhere_hide_no_match(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("rules") / "own.yaml"
    path.write_text(
        "category: override\nrules:\n- id: override-own\n  description: Own.\n  severity: low\n  confidence: 50\n"
        "  languages: [en]\n  patterns: ['\\bshow\\b[^\\n]{0,60}?\\byour zebra text\\b']\n  cut: []\n"
        "  positive: [a, b, c]\n  negative: [a, b, c]\n"
    )
    filler = "show zebra your text " * (SHORT // 10)
    text = f"{filler}show it: your zebra text {filler}"
    place = text.index("show it")
    found = Patterns(load_rules(path), engine="re2" if name == "re2" else "re").find(text)
    ends = [finding.end for finding in found]
    assert len(found) == 1
    assert text[: ends[0]].endswith("your zebra text")
    assert place - 60 <= found[0].start <= place
