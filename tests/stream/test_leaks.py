"""The rules for leaked tool calls, T1 to T7, each on the forms that the case table leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from afterturn import failopen
from afterturn.stream import StreamFilter, clean

TOOLS = ["search", "search_docs", "log_case", "my-tool"]

KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>"
    '{"q": "x"}<|tool_call_end|><|tool_call_begin|>functions.log_case:1<|tool_call_argument_begin|>{}'
    "<|tool_call_end|><|tool_calls_section_end|>"
)
DEEPSEEK = (
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n"
    '{"q": "x"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
)
DSML = '<｜DSML｜function_calls>\n<｜DSML｜invoke name="search">\n</｜DSML｜invoke>\n</｜DSML｜function_calls>'

Rows = list[tuple[str, str, list[tuple[str, str]]]]  # text, clean text, calls as name and arguments
NAMES: Rows = [
    ("a Search{q:1} b", "a Search{q:1} b", []),
    ("a research{q:1} x_search{q:1} b", "a research{q:1} x_search{q:1} b", []),
    ("a my-search{q:1} search2{q:1} b", "a my-search{q:1} search2{q:1} b", []),
    ("a my-tool{q:1} b", "a b", [("my-tool", "{q:1}")]),
    ("a search_docs{q:1} b", "a b", [("search_docs", "{q:1}")]),
    ("Done.search{q:1} b", "Done. b", [("search", "{q:1}")]),
    ("résearch{q:1}", "résearch{q:1}", []),
    ("我来查search{q:1}好", "我来查好", [("search", "{q:1}")]),
    ("`search{q:1}` b", "`search{q:1}` b", []),
    ("`a` search{q:1} `b`", "`a` `b`", [("search", "{q:1}")]),
    ("` search{q:1} b\n` c", "` b\n` c", [("search", "{q:1}")]),
    ("`search{q:`b`} c", "`search{q:`b`} c", []),
    ("```\nsearch{q:1}\n```\nsearch{q:2} b", "```\nsearch{q:1}\n```\nb", [("search", "{q:2}")]),
    ("~~~py\nsearch{q:1}\n~~~", "~~~py\nsearch{q:1}\n~~~", []),
    ("> ```\n> search{q:1}\n", "> ```\n> search{q:1}\n", []),
    ("`<tool_call>search{}</tool_call>` b", "`<tool_call>search{}</tool_call>` b", []),
]
OBJECTS: Rows = [
    ("a search{} b", "a b", [("search", "{}")]),
    ("a search{ } b", "a b", [("search", "{ }")]),
    ("a search{\n  q: 1\n} b", "a b", [("search", "{\n  q: 1\n}")]),
    ("a search{'q': 1} b", "a b", [("search", "{'q': 1}")]),
    ('a search{"q\\"": {"r": [1, {}]}} b', "a b", [("search", '{"q\\"": {"r": [1, {}]}}')]),
    ('a search{"q": "}\\\\"} b', "a b", [("search", '{"q": "}\\\\"}')]),
    ("a search {q:1} b", "a search {q:1} b", []),
    ("a search ({q:1}) b", "a search ({q:1}) b", []),
    ("a search( {q:1}) b", "a search( {q:1}) b", []),
    ("a search{1, 2} b", "a search{1, 2} b", []),
    ("a search{{q:1}} b", "a search{{q:1}} b", []),
    ("a search{q} b", "a search{q} b", []),
    ('a search{"q"} b', 'a search{"q"} b', []),
    ("a search({q:1}) b", "a b", [("search", "{q:1}")]),
    ("a search({q:1}, x) b", "a search({q:1}, x) b", []),
    ("a search{a, log_case{b:1}} c", "a search{a,} c", [("log_case", "{b:1}")]),
]
AFFIXES: Rows = [
    ("a call:search{q:1} b", "a b", [("search", "{q:1}")]),
    ("a function:functions.search({q:1}) b", "a b", [("search", "{q:1}")]),
    ("a <call:default_api:search{q:1}/> b", "a b", [("search", "{q:1}")]),
    ("a <tool:tools.search({q:1})> b", "a b", [("search", "{q:1}")]),
    ("a search{q:1}/> b", "a b", [("search", "{q:1}")]),
    ("a call:search{q:1}) b", "a b", [("search", "{q:1}")]),
    ("a (search{q:1}) b", "a () b", [("search", "{q:1}")]),
    ("a recall:search{q:1} b", "a recall: b", [("search", "{q:1}")]),
    ("a call: search{q:1} b", "a call: b", [("search", "{q:1}")]),
    ("a search{q:1}/ b", "a / b", [("search", "{q:1}")]),
]
TAGS: Rows = [
    ('a <tool_call>\n{"name": "search", "arguments": {"q": "x"}}\n</tool_call> b', "a b", [("search", '{"q": "x"}')]),
    ('<tool_call>{"name":"search","args":"{\\"q\\":1}"}</tool_call>', "", [("search", '{"q":1}')]),
    ('<tool_call>{"function": {"name": "search"}, "parameters": {}}</tool_call>', "", [("search", "{}")]),
    ('<tool_call>{"name":"search"}{"name":"log_case"}</tool_call>', "", [("search", ""), ("log_case", "")]),
    ("a <function_call>search({q:1})</function_call> b", "a b", [("search", "{q:1}")]),
    ('<tool_use><name>search</name><input>{"q": 1}</input></tool_use>', "", [("search", '{"q": 1}')]),
    ("a <tool_call>searching</tool_call> b", "a <tool_call>searching</tool_call> b", []),
    ("<tool_call>{}</tool_call>", "<tool_call>{}</tool_call>", []),
    ("<Tool_call>search{}</Tool_call>", "<Tool_call></Tool_call>", [("search", "{}")]),
    (f"a {KIMI} b", "a b", [("search", '{"q": "x"}'), ("log_case", "{}")]),
    (f"a {DEEPSEEK} b", "a b", [("search", '{"q": "x"}')]),
    (f"a\n{DSML}\nb", "a\nb", [("search", "</｜DSML｜invoke>")]),
    ("<tool_call><function=search><p=q>x</p></function></tool_call>", "", [("search", "<p=q>x</p></function>")]),
    ('<|tool_call>call:search{q:<|"|>x<|"|>}<tool_call|> b', "b", [("search", '{q:<|"|>x<|"|>}')]),
    ("<|tool_call_begin|>f.nope:0 {}<|tool_call_end|> b", "<|tool_call_begin|>f.nope:0 {}<|tool_call_end|> b", []),
    ('[TOOL_CALLS][{"name": "search", "arguments": {"q": "]"}}] b', "b", [("search", '{"q": "]"}')]),
    ('[TOOL_CALLS]search{"q": 1} b', "b", [("search", '{"q": 1}')]),
    ('[TOOL_CALLS]search[CALL_ID]x1[ARGS]{"q": 1} b', "b", [("search", '{"q": 1}')]),
    ('[TOOL_CALLS] {"name": "nope"} b', '[TOOL_CALLS] {"name": "nope"} b', []),
    ("Write [TOOL_CALLS] here.", "Write [TOOL_CALLS] here.", []),
    ('a <call:default_api:search q="a/> b" n=1 /> c', "a c", [("search", 'q="a/> b" n=1')]),
    ("a <call:search/> b", "a b", [("search", "")]),
    ('a <call:default_api:search(q="x")/> b', "a b", [("search", '(q="x")')]),
    ("a <call:search_more/> b", "a <call:search_more/> b", []),
    ("a <call:nope q/> b", "a <call:nope q/> b", []),
]
FENCES: Rows = [
    ('a\n```\n{"name": "search", "input": {}}\n```\nb', "a\nb", [("search", "{}")]),
    ('a\n```JSON\n[{"name": "search", "args": {"q": 1}}]\n```\nb', "a\nb", [("search", '{"q": 1}')]),
    ('~~~~ tool_call\n{"tool": "search", "parameters": {}}\n~~~~~ \nb', "b", [("search", "{}")]),
    ('```json\n{"name": "search"}\n```\nb', '```json\n{"name": "search"}\n```\nb', []),
    ('```json\n{"name": "nope", "args": {}}\n```', '```json\n{"name": "nope", "args": {}}\n```', []),
    ('```json\n{"name": "search", "args": {}} x\n```', '```json\n{"name": "search", "args": {}} x\n```', []),
    ('```json\n[{"name": "search", "args": {}}, 1]\n```', '```json\n[{"name": "search", "args": {}}, 1]\n```', []),
    ('```js\n{"name": "search", "args": {}}\n```', '```js\n{"name": "search", "args": {}}\n```', []),
    ('a ```\n{"name": "search", "args": {}}\n```', 'a ```\n{"name": "search", "args": {}}\n```', []),
    ("```json\n[]\n```\nb", "```json\n[]\n```\nb", []),
    ("```json\n" + "[" * 2000 + "\n```", "```json\n" + "[" * 2000 + "\n```", []),
    ('```json\r\n{"name": "search", "args": {}}\r\n```\r\nb', "b", [("search", "{}")]),
]
BLANKS: Rows = [
    ("a search{q:1}. b", "a. b", [("search", "{q:1}")]),
    ("a search{q:1}b", "a b", [("search", "{q:1}")]),
    ("a  search{q:1}  b", "a  b", [("search", "{q:1}")]),
    ("search{q:1} search{q:2} b", "b", [("search", "{q:1}"), ("search", "{q:2}")]),
    ("a search{q:1}search{q:2} b", "a b", [("search", "{q:1}"), ("search", "{q:2}")]),
    ("a\nsearch{q:1}\nsearch{q:2}\nb", "a\nb", [("search", "{q:1}"), ("search", "{q:2}")]),
    ("a\nsearch{q:1} search{q:2} \nb", "a\nb", [("search", "{q:1}"), ("search", "{q:2}")]),
    ("a\r\nsearch{q:1}\r\nb", "a\r\nb", [("search", "{q:1}")]),
    ("a\rsearch{q:1}\rb", "a\rb", [("search", "{q:1}")]),
    ("a\n\nsearch{q:1}\n\nb", "a\n\n\nb", [("search", "{q:1}")]),
    ("a\nsearch{q:1}", "a\n", [("search", "{q:1}")]),
    ("a\n  search{q:1} b", "a\n  b", [("search", "{q:1}")]),
    ("a search{q:1}\nb", "a\nb", [("search", "{q:1}")]),
    ("- search{q:1}\n- b", "-\n- b", [("search", "{q:1}")]),
]
CUT_OFF: Rows = [
    ("a search{", "a", [("search", "{")]),
    ("a search({", "a", [("search", "{")]),
    ('a search{"q": "x', "a", [("search", '{"q": "x')]),
    ("a search({q:1}", "a", [("search", "{q:1}")]),
    ("a search", "a search", []),
    ("a search(", "a search(", []),
    ("a call:", "a call:", []),
    ('a <tool_call>{"name":"sea', 'a <tool_call>{"name":"sea', []),
    ("a <tool_call>\nsearch", "a", [("search", "")]),
    ("Use <tool_call> to search.", "Use", [("search", ".")]),
    ("Use <tool_call> to look.", "Use <tool_call> to look.", []),
    ("a <|tool_call_begin|>functions.search:0 {", "a", [("search", "{")]),
    ('a [TOOL_CALLS] [{"name": "search", "arg', "a", [("search", "")]),
    ("a [TOOL_CALLS] [", "a [TOOL_CALLS] [", []),
    ('a <call:search q="', "a", [("search", 'q="')]),
    ('```json\n{"name": "search", "args": {', '```json\n{"name": "search", "args": {', []),
    ("`search{q:", "`", [("search", "{q:")]),
]


@pytest.mark.parametrize(
    ("text", "clean_text", "calls"), [*NAMES, *OBJECTS, *AFFIXES, *TAGS, *FENCES, *BLANKS, *CUT_OFF]
)
def test_a_text_comes_out_exactly(
    text: str, clean_text: str, calls: list[tuple[str, str]], filtered: Callable[..., Any]
) -> None:
    outcome = filtered(text, tools=TOOLS)
    assert (outcome.text, outcome.calls) == (clean_text, calls)
    assert outcome.leaks == [name for name, _ in calls]


def test_a_call_of_4096_code_points_is_a_leak_and_a_longer_one_is_prose() -> None:
    longest = f"search{{a:{'x' * 4086}}}"
    assert len(longest) == 4096
    assert clean(f"{longest} b", tools=TOOLS).text == "b"
    longer = longest.replace("a:", "aa:")
    for deltas in ([longer], [longer[:4000], longer[4000:], " b"], list(longer)):
        chain = StreamFilter(tools=TOOLS)
        assert "".join(map(chain.feed, deltas)) + chain.close() == "".join(deltas)
        assert chain.leaks == []


def test_a_long_unfinished_call_is_released_while_the_reply_goes_on() -> None:
    chain = StreamFilter(tools=TOOLS)
    text = "".join(chain.feed(delta) for delta in ["a <tool_call>search ", *["word "] * 900])
    assert text.startswith("a <tool_call>search word")


def test_an_alias_inside_a_leak_is_no_citation_and_one_beside_it_is(filtered: Callable[..., Any]) -> None:
    outcome = filtered('a [c1] search{"q": "[c2]"} [c3]. b', aliases=["c1", "c2", "c3"], tools=TOOLS)
    assert (outcome.text, outcome.cited) == ("a. b", ["c1", "c3"])


def test_without_tools_calls_are_left_alone(filtered: Callable[..., Any]) -> None:
    text = 'a search{q:1} <tool_call>{"name": "search"}</tool_call> b '
    assert filtered(text, aliases=[]).text == text


def test_a_host_that_fails_to_take_a_call_does_not_break_the_stream() -> None:
    def refuse(_name: str, _arguments: str) -> None:
        raise OSError

    before = failopen.counts["stream.on_leaked_call"]
    chain = StreamFilter(tools=TOOLS, on_leaked_call=refuse)
    assert chain.feed("a search{q:1} b") + chain.close() == "a b"
    assert chain.leaks == ["search"]
    assert failopen.counts["stream.on_leaked_call"] == before + 1
