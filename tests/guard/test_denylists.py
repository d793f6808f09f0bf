"""A denylist finds its words, domains and patterns, exactly."""

from __future__ import annotations

import pytest

from afterturn.guard import (
    Denylist,
    Finding,
    Policy,
    Topic,
)
from afterturn.guard._hosts import Hosts, domain
from afterturn.guard._lists import PolicyLists
from afterturn.guard._safe_patterns import Patterns
from afterturn.guard._terms import Terms


def found(text: str, **lists: tuple[str, ...]) -> list[str]:
    """What a denylist finds in a text, as written there."""
    lines = PolicyLists(Policy(denylists=(Denylist(id="list", **lists),)))  # type: ignore[arg-type]
    return [text[finding.start : finding.end] for finding in lines.find(text)]


# --- words ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("globex", "Is Globex cheaper? GLOBEX!", ["Globex", "GLOBEX"]),
        ("globex", "globexes, my-globex, xglobex", ["globex"]),
        ("globex", "Ｇｌｏｂｅｘ and glo\u200bbex", ["Ｇｌｏｂｅｘ", "glo\u200bbex"]),
        ("Ärger", "nur ARGER, kein Ärgernis", ["ARGER"]),
        ("straße", "die STRASSE", ["STRASSE"]),
        (
            "wire transfer",
            "wire  transfer, wire-transfer, wire\ntransfer",
            ["wire  transfer", "wire-transfer", "wire\ntransfer"],
        ),
        ("wire transfer", "wire transfers; a wire, transfer", []),
        ("krypto*", "Kryptowährung krypto xkrypto", ["Kryptowährung", "krypto"]),
        ("buy krypto*", "buy kryptowährungen", ["buy kryptowährungen"]),
        ("at&t", "AT&T at t at& t", ["AT&T"]),
        ("c++", "C++ c+ c", ["C++"]),
        ("can't breathe", "I can’t breathe", ["can’t breathe"]),
        ("比特币", "我想买比特币吗", ["比特币"]),
        ("비트코인", "비트코인을 사다", ["비트코인"]),
        ("हिन्दी", "वह हिन्दी है, हिन्दीं नहीं", ["हिन्दी"]),
        ("хер", "you хер", ["хер"]),
        ("🖕", "a 🖕!", ["🖕"]),
        ("no", "no, nothing", ["no"]),
    ],
)
def test_a_word_is_found_whole_in_any_case_and_script(word: str, text: str, expected: list[str]) -> None:
    assert found(text, words=(word,)) == expected


def test_a_finding_names_the_list_never_the_words() -> None:
    policy = Policy(
        denylists=(Denylist(id="rivals", words=("globex",)),), topics=(Topic(id="law", terms=("lawsuit",)),)
    )
    assert PolicyLists(policy).find("globex lawsuit") == (
        Finding(rule="deny:rivals", category="denylist", severity="high", confidence=100, start=0, end=6),
        Finding(rule="topic:law", category="blocked_topic", severity="high", confidence=100, start=7, end=14),
    )


@pytest.mark.parametrize("text", ["", "\x00", "\ud800 globex", "a" * 200_000 + " globex"])
def test_any_text_is_read_to_its_end(text: str) -> None:
    assert found(text, words=("globex",)) == (["globex"] if "globex" in text else [])


# --- domains --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://evil.example/a?b=evil.example", ["evil.example", "evil.example"]),
        ("mail x@login.EVIL.example.", ["login.EVIL.example"]),
        ("evil[.]example and evil。example", ["evil[.]example", "evil。example"]),
        ("notevil.example evil.example.org evil.examples evil-example", []),
        ("evil . example", []),
    ],
)
def test_a_domain_covers_what_lies_below_it_and_nothing_beside_it(text: str, expected: list[str]) -> None:
    assert found(text, domains=("evil.example",)) == expected


@pytest.mark.parametrize("written", ["münchen.example", "xn--mnchen-3ya.example", "*.MÜNCHEN.example"])
def test_a_domain_with_other_letters_is_found_in_both_spellings(written: str) -> None:
    text = "www.münchen.example or xn--mnchen-3ya.example"
    assert found(text, domains=(written,)) == ["www.münchen.example", "xn--mnchen-3ya.example"]


@pytest.mark.parametrize("written", ["https://evil.example", "localhost", "a@evil.example", "a b.example", ""])
def test_what_is_no_domain_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"example\.com"):
        domain(written)


# --- patterns -------------------------------------------------------------------------------------------------------

PATTERNS: list[tuple[str, str, list[str]]] = [
    (r"\bacct-\d+\b", "acct-1 ACCT-23 acct-x", ["acct-1", "ACCT-23"]),
    (r"send .{0,20}money", "send\nthe money", ["send\nthe money"]),
    (r"gefährlich", "GEFÄHRLICH", ["GEFÄHRLICH"]),
    (r"(?:foo|bar)x{2,}", "foox fooxx barxxx", ["fooxx", "barxxx"]),
    (r"end$", "end of the end", ["end"]),
    (r"end$", "end\n", []),
    (r"[^a-z ]{2,9}", "ab 12-34\n5", ["12-34"]),
    (r"[$ ]{2}", "a $$ b", [" $", "$ "]),
    (r"pin é", "pin é \ud800 pin é", ["pin é", "pin é"]),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), PATTERNS)
def test_a_pattern_is_found_in_the_normalised_text(pattern: str, text: str, expected: list[str]) -> None:
    assert found(text, patterns=(pattern,)) == expected


@pytest.mark.parametrize(("pattern", "text", "expected"), PATTERNS)
def test_both_engines_find_the_same(pattern: str, text: str, expected: list[str]) -> None:
    pytest.importorskip("re2", reason="google-re2 is not installed")
    pairs = [(pattern, "p"), ("zzz", "z")]
    assert Patterns(pairs, engine="re2").find(text.lower()) == Patterns(pairs, engine="re").find(text.lower())


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (r"(?=a)b", "looks around"),
        (r"(?<!a)b", "looks around"),
        (r"(?>a)b", "its group is none of"),
        (r"(?P<n>a)(?P=n)", "its group is none of"),
        (r"\pL", "write the letters out"),
        (r"(a)\1", r"uses \\1"),
        (r"a++", "possessively"),
        (r"(a", "not valid"),
        (r"a*", "empty text"),
        (r"(a+)+b", "repeats what holds a repeat"),
    ],
)
def test_a_pattern_that_is_not_safe_is_refused_with_what_to_do(pattern: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Patterns([(pattern, "")], engine="re")


@pytest.mark.parametrize("unit", ["a", "a.", "evil.example ", "word1 ", "-", "1", "foo", "http://x.y/"])
def test_long_texts_of_one_thing_come_to_an_end(unit: str) -> None:
    lists = PolicyLists(
        Policy(
            denylists=(
                Denylist(
                    id="list",
                    words=(*(f"word{number} foo" for number in range(5000)), "be*"),
                    patterns=(r"\d+x", r"foo.*bar", r"\w+@\w+"),
                    domains=("evil.example", "y.example"),
                ),
            )
        )
    )
    text = unit * (200_000 // len(unit))
    assert len(lists.find(text)) == (text.count(unit) if unit == "evil.example " else 0)


def test_terms_and_hosts_of_an_empty_list_find_nothing() -> None:
    assert (Terms([]).find("a b"), Hosts([]).find("a.b"), Patterns([]).find("a")) == ([], [], [])
