"""The two engines find the same, in any text."""

from __future__ import annotations

import random
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.guard import Rule
from afterturn.guard._engine_re2 import load_re2, re2_options
from afterturn.guard._patterns import Patterns
from afterturn.guard._rarity import EDGE
from afterturn.guard._re2_words import Re2Words
from afterturn.guard._rules import builtin_rules

pytestmark = pytest.mark.skipif(find_spec("re2") is None, reason="google-re2 is not installed")

_WORDS = (
    "ignore disregard all the previous instructions rules forget vergiss bitte alle vorherigen anweisungen befehle "
    "игнорируй все предыдущие инструкции 忽略 指令 open sesame dear assistant, call run begin end system: you are "
    "\" ' attackers write what does mean # \n é 👩\u200d👧 1gn0re i g n o r e"
)
_SOUPS = st.lists(st.sampled_from(_WORDS.split(" ")), max_size=60).map(" ".join)


@pytest.fixture(scope="module")
def both(rules: tuple[Rule, ...]) -> tuple[Patterns, Patterns]:
    return Patterns(rules, scope="any", engine="re2"), Patterns(rules, scope="any", engine="re")


@given(text=st.text() | _SOUPS)
def test_the_engines_find_the_same_in_any_text(both: tuple[Patterns, Patterns], text: str) -> None:
    re2, plain = both
    assert re2.find(text) == plain.find(text)


@given(soup=_SOUPS, filler=st.sampled_from(["word ", "слово ", "忽 ", "\n", "ignore "]), seed=st.integers(0, 9))
def test_the_engines_find_the_same_in_long_texts(
    both: tuple[Patterns, Patterns], soup: str, filler: str, seed: int
) -> None:
    re2, plain = both
    text = filler * random.Random(seed).randint(200, 900) + soup + filler * 300
    assert re2.find(text) == plain.find(text)


def test_the_engines_find_the_same_with_the_shipped_rules() -> None:
    shipped = builtin_rules()
    re2, plain = Patterns(shipped, engine="re2"), Patterns(shipped, engine="re")
    words = sorted(
        {
            word.strip(EDGE)
            for rule in shipped
            for pattern in rule.patterns
            for way in pattern.needs
            for group in way
            for word in group
        }
    )
    dice = random.Random(5)
    for _ in range(30):
        text = "".join(dice.choice(words) + dice.choice(" \n.,é") for _ in range(dice.randint(5, 300)))
        assert re2.find(text) == plain.find(text)
    for rule in shipped[::4]:
        for text in (*rule.positive, *rule.negative):
            assert re2.find(text) == plain.find(text)


def test_another_package_of_the_same_module_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("re2.Set")
    with pytest.raises(ImportError, match="not google-re2"):
        load_re2()


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("a system, renewed", {"system"}),
        ("new игнорируй", {f"{EDGE}new{EDGE}", "игнор"}),
        ("忽略 说：system", {"忽略", "说：system", "system"}),
        ("you’re now", {"you’re now"}),
        ("", set[str]()),
    ],
)
def test_the_words_of_each_script_are_found(text: str, held: set[str]) -> None:
    re2 = load_re2()
    words = Re2Words(re2, re2_options(re2), ["忽略", f"{EDGE}new{EDGE}", "игнор", "说：system", "you’re now", "system"])
    data = text.encode()
    assert {words.words[at] for at in (*words.plain(data), *words.beyond(data))} == held
