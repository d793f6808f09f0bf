"""States what holds for every text and every split of it.

`AFTERTURN_FUZZ_EXAMPLES` sets how many examples each property gets (`make fuzz`: 1,000,000).
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afterturn.stream import StreamFilter

ALIASES = ["c1", "c2", "c3"]
TOOLS = ["search", "search_docs", "log_case", "my-tool", "call"]

MARKERS = ["[c1]", "[c1, c9]", "[[c2]]", "【c3】", "［c1；c2］", "[c1-c3]", "[c1 and c2]", "[c1, and c2]", "[ C２ ]"]
GRAMMAR = [*"[]【】［］()（）*`~\\,;&、>-–", "[[", "]]", "**", "c", "c1", "12", "and", "an", "](", "](u)", "(u)"]
SPACE = [" ", "  ", "\t", "\u00a0", "\u3000", "\n", "\n\n", "\r\n", "\r", "\u2028"]
CODE = ["```", "```json\n", "```tool_call\n", "```py\n", "\n```", "\n```\n", "~~~\n", "\n~~~", "``", "````", "> "]
WORDS = ["word", "x", ".", "!", "。", "”", "—", "文字", "é", "😀", "\ud83d", "\ude00", "٣", "search", "the", "y" * 50]
CALLS = [
    *("search{q:1}", 'search{"q": "x } [c1]"}', "search({})", "search({a:1}", "search{}", "my-tool{a: {b: 1}}"),
    *("search_docs{", "search{a, b}", "log_case(", "search(", "{", "}", ":", '"', '\\"', "call:", "functions.", "<"),
    *("<call:default_api:search{q:1}/>", '<call:search q="a>b"/>', "<call:default_api:search ", "/>", ">", "<|x"),
    *("<tool_call>", "</tool_call>", '{"name": "search", "arguments": {"q": 1}}', '[{"name": "call", "args": 1}]'),
    *("<|tool_call_begin|>", "functions.search:0", "<|tool_call_end|>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
    *("[TOOL_CALLS]", "[TOOL_CALLS] [", "[ARGS]", "<function_call>", "<tool_use>", "</tool_use>"),
    *("```json\n" + '{"name": "search", "args": {}}' + "\n```", "z" * 4000),
]
REASONING = [
    *("<think>", "</think>", "<|channel>thought", "<channel|>", "<unused94>thought", "<unused95>", "<|im_end|>"),
    *("<|channel|>", "analysis", "final", "<|message|>", "<|start|>assistant", "<|end|>", "<|", "|>", "<thi", "<b>"),
]
PARTS = [*MARKERS, *GRAMMAR, *SPACE, *CODE, *WORDS, *CALLS, *REASONING]


class Result(NamedTuple):
    text: str
    cited: list[str]
    unknown: list[str]
    marks: list[tuple[str, int, int]]
    leaks: list[str]
    reasoning: str
    raw: str
    handed_over: list[tuple[str, str]]


def run(deltas: list[str]) -> Result:
    handed_over: list[tuple[str, str]] = []
    chain = StreamFilter(ALIASES, TOOLS, lambda name, arguments: handed_over.append((name, arguments)))
    text = "".join(chain.feed(delta) for delta in deltas) + chain.close()
    marks = [(mark.alias, mark.offset_cp, mark.offset_utf16) for mark in chain.marks]
    return Result(text, chain.cited, chain.unknown, marks, chain.leaks, chain.reasoning, chain.raw, handed_over)


def joined(deltas: list[str]) -> str:
    """Joins deltas as a provider's text: surrogates that meet are one character already."""
    return "".join(deltas)


DELTAS = st.lists(
    st.one_of(*(st.sampled_from(parts) for parts in (MARKERS, GRAMMAR, SPACE, CODE, WORDS, CALLS, REASONING)))
    | st.text(max_size=3),
    max_size=20,
)
fuzzed = settings(
    max_examples=int(os.environ.get("AFTERTURN_FUZZ_EXAMPLES", "250")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@fuzzed
@given(DELTAS, st.data())
def test_the_result_depends_on_the_joined_text_only(deltas: list[str], data: st.DataObject) -> None:
    text = joined(deltas)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=12)) | {0, len(text)})
    whole = run([text])
    assert run(deltas) == whole
    assert run(list(text)) == whole
    assert run([text[start:end] for start, end in pairwise(cuts)]) == whole


@fuzzed
@given(DELTAS)
def test_nothing_is_ever_inserted(deltas: list[str]) -> None:
    result = run(deltas)
    rest = iter(result.raw)
    assert all(character in rest for character in result.text)


@fuzzed
@given(DELTAS)
def test_a_mark_lies_in_the_clean_reply_and_gives_both_units(deltas: list[str]) -> None:
    result = run(deltas)
    places = [offset_cp for _, offset_cp, _ in result.marks]
    assert places == sorted(places)
    for _, offset_cp, offset_utf16 in result.marks:
        assert offset_cp <= len(result.text)
        assert offset_utf16 == len(result.text[:offset_cp].encode("utf-16-le")) // 2


@fuzzed
@given(DELTAS)
def test_what_was_cited_is_what_was_marked(deltas: list[str]) -> None:
    result = run(deltas)
    marked = list(dict.fromkeys(alias for alias, _, _ in result.marks))
    assert result.cited == [alias for alias in marked if alias in ALIASES]
    assert result.unknown == [alias for alias in marked if alias not in ALIASES]
    assert [name for name, _ in result.handed_over] == result.leaks


@fuzzed
@given(st.lists(st.sampled_from(["word ", " word", ", and ", "so.\n", "文字", "😀", " 2 > 1 ", "é"]), max_size=20))
def test_plain_text_is_given_out_at_once_but_for_the_blanks_at_its_end(deltas: list[str]) -> None:
    chain = StreamFilter(ALIASES, ["search"])
    fed = given_out = ""
    for delta in deltas:
        fed += delta
        given_out += chain.feed(delta)
        held = fed[len(given_out) :]
        assert fed.startswith(given_out)
        assert held == fed[len(fed.rstrip(" ")) :]
    assert given_out + chain.close() == fed
