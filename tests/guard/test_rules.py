"""The rules: each finds its positives, leaves its negatives alone, and finds its positives again in disguise."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Mapping
from typing import get_args

import pytest

from afterturn.guard import Category, Guard, GuardResult
from afterturn.guard._rules import Rule, builtin_rules

RULES = builtin_rules()
LANGUAGES = frozenset(["en", "fr", "de", "es", "pt", "it", "nl", "pl", "ru", "uk", "tr", "ar", "hi", "zh", "ja", "ko"])
CYRILLIC = dict(zip("aceopsxyi", "асеорѕхуі", strict=True))
LEET = dict(zip("aeiost", "431057", strict=True))

by_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def check(guard: Guard, rule: Rule, text: str) -> GuardResult:
    if rule.scope == "carried":
        text = base64.b64encode(text.encode()).decode()
    return guard.check_tool_output(text) if rule.scope == "tool_output" else guard.check(text)


def homoglyphs(text: str) -> str:
    """Writes every other letter that has a Cyrillic twin in Cyrillic."""
    written: list[str] = []
    twins = 0
    for char in text:
        twins += char in CYRILLIC
        written.append(CYRILLIC[char] if char in CYRILLIC and twins % 2 else char)
    return "".join(written)


def full_width(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def spaced(text: str) -> str:
    return "   ".join(" ".join(word) for word in text.split(" "))


def leet(text: str) -> str:
    """Writes digits for letters; addresses stay, since they would lead nowhere, and so do the shortest words."""
    return " ".join(
        word if len(word) < 3 or "/" in word or "@" in word else "".join(LEET.get(char, char) for char in word)
        for word in text.split(" ")
    )


ANY_SCRIPT: Mapping[str, Callable[[str], str]] = {
    "case": str.upper,
    "zero width": "\u200b".join,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
}
LATIN_ONLY: Mapping[str, Callable[[str], str]] = {
    "homoglyphs": homoglyphs,
    "full width": full_width,
    "spaces": spaced,
    "leet": leet,
}


DISGUISES = {**ANY_SCRIPT, **LATIN_ONLY}


def is_latin(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return sum(map(str.isascii, letters)) > len(letters) * 0.6


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard()


@by_rule
def test_a_rule_finds_each_of_its_positives(rule: Rule, guard: Guard) -> None:
    assert [text for text in rule.positive if rule.id not in check(guard, rule, text).rules] == []


@by_rule
def test_no_rule_finds_anything_in_a_negative(rule: Rule, guard: Guard) -> None:
    assert {text: check(guard, rule, text).rules for text in rule.negative if check(guard, rule, text).flagged} == {}


@by_rule
def test_a_rule_finds_nine_of_ten_of_its_positives_in_each_disguise(rule: Rule, guard: Guard) -> None:
    missed = {
        name: [text for text in texts if rule.id not in check(guard, rule, hide(text)).rules]
        for name, hide in DISGUISES.items()
        if (texts := [text for text in rule.positive if name in ANY_SCRIPT or is_latin(text)])
    }
    assert {name: texts for name, texts in missed.items() if len(texts) > len(rule.positive) * 0.1} == {}


@by_rule
def test_a_rule_has_three_examples_of_either_kind_and_each_once(rule: Rule) -> None:
    assert len(rule.positive) >= 3
    assert len(rule.negative) >= 3
    assert Counter((*rule.positive, *rule.negative)).most_common(1)[0][1] == 1


@by_rule
def test_every_pattern_compiles_under_re2(rule: Rule) -> None:
    re2 = pytest.importorskip("re2", reason="google-re2 is not installed")
    options = re2.Options()
    options.log_errors = False
    for pattern in rule.patterns:
        assert re2.compile(pattern.text, options).groups == 0


@by_rule
def test_every_pattern_is_needed_by_a_word(rule: Rule) -> None:
    """A pattern without a word that it needs would be tried on every text."""
    assert [pattern.text for pattern in rule.patterns if not pattern.needs] == []


def test_ids_are_unique() -> None:
    assert [rule_id for rule_id, times in Counter(rule.id for rule in RULES).items() if times > 1] == []


def test_every_category_has_rules() -> None:
    assert {rule.category for rule in RULES} == set(get_args(Category))


@pytest.mark.parametrize("category", ["override", "prompt_extraction", "persona"])
def test_override_extraction_and_persona_are_read_in_sixteen_languages(category: str) -> None:
    assert {language for rule in RULES if rule.category == category for language in rule.languages} >= LANGUAGES
