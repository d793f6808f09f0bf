"""The citation rules, R1 to R12, each on the forms that the case tables leave out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

HANDED_OUT = ["c1", "c2", "c3", "c12"]

# rule: (text, clean text, aliases in order of their marks)
SHAPE = [
    ("a [c1,] b", "a b", "c1"),
    ("a [c1 ; ] b", "a b", "c1"),
    ("a [c1, and] b", "a b", "c1"),
    ("a [c1 and] b", "a b", "c1"),
    ("a [c1,and c2] b", "a b", "c1 c2"),
    ("a [c1，AND c2] b", "a b", "c1 c2"),
    ("a [c1 ａｎｄ c2] b", "a b", "c1 c2"),
    ("a [c1\tc2] b", "a b", "c1 c2"),
    ("a [c1；c2、c3] b", "a b", "c1 c2 c3"),
    ("a ［ｃ１］ b", "a b", "c1"),
    ("a [Ｃ１２] b", "a b", "c12"),
    ("a [c१२] b", "a b", "c12"),
    ("a [c𝟏] b", "a b", "c1"),
    ("a [\u3000c1\u3000] b", "a b", "c1"),
    ("a [c1—c3] b", "a b", "c1 c2 c3"),
    ("a [c1‑3] b", "a b", "c1 c2 c3"),
    ("a [c1-C3] b", "a b", "c1 c2 c3"),
    ("a [c1 – c3] b", "a b", "c1 c2 c3"),
    ("a [c1-c2, c3] b", "a b", "c1 c2 c3"),
    ("a [c2-c2] b", "a b", "c2 c2"),
    ("a [c1-c22] b", "a b", "c1 c22"),
    ("a [c1-c9999] b", "a b", "c1 c9999"),
    ("a [c01-c03] b", "a b", "c01 c02 c03"),
    ("a 【【c1】】 b", "a b", "c1"),
    ("a ［［c1］］ b", "a b", "c1"),
    ("a [[c1]] [[c2]] b", "a b", "c1 c2"),
    ("a [[c1] b", "a [ b", "c1"),
    ("a [c1]] b", "a] b", "c1"),
    ("a [【c1】] b", "a [] b", "c1"),
    ("a [c1\n] b", "a [c1\n] b", ""),
    ("a [c1】 b", "a [c1】 b", ""),
    ("a [,c1] b", "a [,c1] b", ""),
    ("a [c1,,c2] b", "a [c1,,c2] b", ""),
    ("a [c1and c2] b", "a [c1and c2] b", ""),
    ("a [c1 andc2] b", "a [c1 andc2] b", ""),
    ("a [c1; and c2] b", "a [c1; and c2] b", ""),
    ("a [c1c2] b", "a [c1c2] b", ""),
    ("a [c1-c2-c3] b", "a [c1-c2-c3] b", ""),
    ("a [c1-] b", "a [c1-] b", ""),
    ("a [c1/c2] b", "a [c1/c2] b", ""),
    ("a [с1] b", "a [с1] b", ""),  # a Cyrillic letter
    ("a [c²] b", "a [c²] b", ""),  # a digit, but no decimal one
    ("a {c1} (c1) c1 b", "a {c1} (c1) c1 b", ""),
    (f"[[c1{' ' * 42}]]", "", "c1"),  # 48 with both brackets
    (f"[[c1{' ' * 43}]]", "[]", "c1"),  # 49, but 47 within
]
NO_MARKER = [
    (r"a \[c1] b", r"a \[c1] b", ""),
    (r"a \\[c1] b", "a \\\\ b", "c1"),
    (r"a \\\[c1] b", r"a \\\[c1] b", ""),
    (r"a \【c1】 b", r"a \【c1】 b", ""),
    (r"a \[[c1]] b", r"a \[] b", "c1"),
    ("a [c1] (b) c", "a (b) c", "c1"),
    ("a 【c1】(b) c", "a (b) c", "c1"),
    ("a [see [c1]](u) b", "a [see [c1]](u) b", ""),
    ("a [c1][c2](u) b", "a [c2](u) b", "c1"),
    ("a [c1]([c2]) b", "a [c1] b", "c2"),
    ("a [c1]](u) b", "a [c1]](u) b", ""),
    ("![c1](u) [c1, c2](u)", "![c1](u) [c1, c2](u)", ""),
    ("`a` [c1] `b`", "`a` `b`", "c1"),
    ("`a [c1]` [c2]", "`a [c1]`", "c2"),
    ("``a` [c1]`` b", "``a` [c1]`` b", ""),
    ("` a [c1]\n` b [c2]", "` a\n` b", "c1 c2"),
    ("`a `` [c1] `` b", "`a `` [c1] `` b", ""),
    ("`a `` b `` [c1] c", "`a `` b `` c", "c1"),
    (r"a \` [c1] ` b [c2]", r"a \` ` b", "c1 c2"),
    (r"`a\` [c1] b", r"`a\` b", "c1"),
    (f"` [c1]{'y' * 120}`", f"` [c1]{'y' * 120}`", ""),
    (f"` [c1]{'y' * 121}`", f"` {'y' * 121}`", "c1"),
    (f"` [c1]{'y' * 121}` [c2] `", f"` {'y' * 121}` [c2] `", "c1"),
    ("```py\n[c1]\n```\n[c2] a", "```py\n[c1]\n```\na", "c2"),
    ("~~~\n[c1]\n~~~\n[c2] a", "~~~\n[c1]\n~~~\na", "c2"),
    ("~~~ `x`\n[c1]\n~~~\na [c2]", "~~~ `x`\n[c1]\n~~~\na", "c2"),
    ("```\n[c1]\n~~~\n[c1]", "```\n[c1]\n~~~\n[c1]", ""),
    ("```\n[c1]\n``` x\n[c1]", "```\n[c1]\n``` x\n[c1]", ""),
    ("```\n[c1]\n`````  \n[c2] a", "```\n[c1]\n`````  \na", "c2"),
    ("~~~~\n~~~\n[c1]\n~~~~\na [c2]", "~~~~\n~~~\n[c1]\n~~~~\na", "c2"),
    ("> > ```\n> > [c1]\n> > ```\n> a [c2]", "> > ```\n> > [c1]\n> > ```\n> a", "c2"),
    ("``` [c1]\nx", "``` [c1]\nx", ""),
    ("``` [c1] ``` b", "``` [c1] ``` b", ""),
    ("``` [c1] `` b\n[c2] c", "``` `` b\nc", "c1 c2"),
    ("a ```\n[c1] b", "a ```\nb", "c1"),
    ("a ~~~\n[c1] b", "a ~~~\nb", "c1"),
    ("~~ a [c1]~~ b", "~~ a~~ b", "c1"),
    ("    [c1] indented\n\ta [c2]", "    indented\n\ta", "c1 c2"),
    ("```\r\n[c1]\r\n```\r\na [c2].", "```\r\n[c1]\r\n```\r\na.", "c2"),
]
GROUPS = [
    ("a [c1]、[c2] b", "a b", "c1 c2"),
    ("a [c1] and [c2] b", "a b", "c1 c2"),
    ("a [c1], and [c2] b", "a b", "c1 c2"),
    ("a [c1] & 【c2】；［c3］ b", "a b", "c1 c2 c3"),
    ("a [c1] and b", "a and b", "c1"),
    ("a [c1], an [c2] b", "a, an b", "c1 c2"),
    ("a [c1],, [c2] b", "a,, b", "c1 c2"),
    ("a [c1],\n[c2] b", "a,\nb", "c1 c2"),
    ("a [c1], [c2](u) b", "a, [c2](u) b", "c1"),
    ("a [c1]; and [c2] b", "a; and b", "c1 c2"),
    ("a [c1]. [c2]. b", "a.. b", "c1 c2"),
]
WRAPPERS = [
    ("a ([c1]) b", "a b", "c1"),
    ("a（ [c1] ）b", "ab", "c1"),
    ("a ([c1] and [c2]). b", "a. b", "c1 c2"),
    ("a ([c1], x) b", "a (, x) b", "c1"),
    ("a ([c1] b", "a ( b", "c1"),
    ("a ([c1]） b", "a (） b", "c1"),
    ("a (see [c1]) b", "a (see) b", "c1"),
    ("a (**[c1]**) b", "a () b", "c1"),
    ("a **([c1])** b", "a **** b", "c1"),
    ("a ** [c1]** b", "a **** b", "c1"),
    ("a **[c1] ** b", "a ** ** b", "c1"),
    ("a **[c1]* b", "a * b", "c1"),
    ("a *[c1]** b", "a* b", "c1"),
    ("a ***[c1]*** b", "a ** b", "c1"),
    ("a ([c1]) ([c2]) b", "a b", "c1 c2"),
    ("a ([c1]), [c2] b", "a, b", "c1 c2"),
    ("([c1]) a", "a", "c1"),
    ("(a) [c1]", "(a)", "c1"),
    ("a (", "a (", ""),
    ("a ( **", "a ( **", ""),
]
BLANKS = [
    ("a  [c1]  b", "a  b", "c1"),
    ("a\t[c1]\u3000b", "a\u3000b", "c1"),
    ("a [c1]\u00a0!", "a\u00a0!", "c1"),
    ("\t[c1]\tb", "\tb", "c1"),
    ("[c1] [c2] b", "b", "c1 c2"),
    ("[c1] ([c2]) b", "b", "c1 c2"),
    ("a\r[c1] b", "a\rb", "c1"),
    ("a\u2028[c1] b", "a\u2028b", "c1"),
    ("a [c1]\u2029b", "a\u2029b", "c1"),
    ("  [c1]  \nb", "  \nb", "c1"),
    ("a [c1] \nb", "a \nb", "c1"),
    ("文 [c1]」。", "文」。", "c1"),
    ("a [c1]\u201d b", "a\u201d b", "c1"),
    ("„a [c1]“ b", "„a“ b", "c1"),
    ("«a [c1]» b", "«a» b", "c1"),
    ("'a [c1]' b", "'a' b", "c1"),
    ("a [c1]… b", "a… b", "c1"),
    ("a [c1]—b", "a—b", "c1"),
    ("a [c1]–b", "a–b", "c1"),
    ("~~a [c1]~~ b", "~~a~~ b", "c1"),
    ("_a [c1]_ b", "_a_ b", "c1"),
    ("a [c1]۔", "a۔", "c1"),
    ("a [c1]। b", "a। b", "c1"),
    ("a [c1]「b」", "a 「b」", "c1"),
    ("a [c1](b)", "a [c1](b)", ""),
    ("a [c1]$5", "a $5", "c1"),
    ("a [c1][b]", "a [b]", "c1"),
    ("a [c1]`b`", "a `b`", "c1"),
]
OTHER = [
    ("a [[c1] [c2]] b", "a [] b", "c1 c2"),
    ("[c[c2]1] [c1]", "[c1]", "c2 c1"),
    ("x\u0301 [c1]\u200d y", "x\u0301 \u200d y", "c1"),
    ("\ud83d[c1] a", "\ufffd a", "c1"),
    ("\ude00 [c1]", "\ufffd", "c1"),
    ("\ud83d\ud83d\ude00 [c1]", "\ufffd😀", "c1"),
    ("a\x00[c1]\x00", "a\x00\x00", "c1"),
]


@pytest.mark.parametrize(("text", "clean", "aliases"), [*SHAPE, *NO_MARKER, *GROUPS, *WRAPPERS, *BLANKS, *OTHER])
def test_a_text_comes_out_exactly(text: str, clean: str, aliases: str, filtered: Callable[..., Any]) -> None:
    outcome = filtered(text, aliases=HANDED_OUT)
    assert (outcome.text, " ".join(alias for alias, _, _ in outcome.marks)) == (clean, aliases)


def test_a_range_counts_each_member_up_to_a_span_of_20(filtered: Callable[..., Any]) -> None:
    assert filtered("[c1-c21]", aliases=[]).unknown == [f"c{n}" for n in range(1, 22)]
    assert filtered("[c1-c22]", aliases=[]).unknown == ["c1", "c22"]


def test_known_and_unknown_aliases_are_told_apart_and_listed_once(filtered: Callable[..., Any]) -> None:
    outcome = filtered("[c9] [c2, c1] [c2] [c9-c10]", aliases=["c1", "c2"])
    assert (outcome.cited, outcome.unknown) == (["c2", "c1"], ["c9", "c10"])


def test_every_item_is_marked_where_its_group_stood_in_code_points_and_utf_16_units(
    filtered: Callable[..., Any],
) -> None:
    outcome = filtered("😀 a [c1], [c1-c2]. 😀[c3]\n  [c9] b", aliases=HANDED_OUT)
    assert outcome.text == "😀 a. 😀\n  b"
    assert outcome.marks == [("c1", 3, 4), ("c1", 3, 4), ("c2", 3, 4), ("c3", 6, 8), ("c9", 9, 11)]


def test_without_aliases_markers_are_left_alone(filtered: Callable[..., Any]) -> None:
    outcome = filtered("a [c1] b ([c2])", aliases=None)
    assert (outcome.text, outcome.marks) == ("a [c1] b ([c2])", [])
