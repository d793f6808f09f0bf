"""Builds, from the names of an agent's tools, the patterns that find its leaked calls (rules T1 to T3)."""

from __future__ import annotations

import re
from functools import lru_cache

from afterturn.stream._prefix import beginnings

TAGS = {
    "<tool_call>": "</tool_call>",
    "<function_call>": "</function_call>",
    "<tool_use>": "</tool_use>",
    "<|tool_call>": "<tool_call|>",
    "<|tool_calls_section_begin|>": "<|tool_calls_section_end|>",
    "<|tool_call_begin|>": "<|tool_call_end|>",
    "<｜tool▁calls▁begin｜>": "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>": "<｜tool▁call▁end｜>",
    "<｜DSML｜function_calls>": "</｜DSML｜function_calls>",
}
"""Openers and closers of calls that models write; Kimi and DeepSeek wrap each call, and all of them once more."""

LIST_TAG = "[TOOL_CALLS]"
"""Opens a JSON value with no closer of its own."""

PREFIXES = ("call:", "function:", "functions.", "tool:", "tools.", "default_api:")
MOST_PREFIXES = 8

# Scripts that put no blank between words: a Latin name right after such a letter is a whole word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# An apostrophe after a letter is inside a word: no name starts at the last letter of "it's".
_WORD_START = rf"(?:(?<![\w-])(?<!\w['’])|(?<=[{_UNSPACED}]))"
_PREFIX = "(?:" + "|".join(map(re.escape, PREFIXES)) + ")"
_CHAIN = rf"(?:(?=<)|{_WORD_START})(?:<|{_PREFIX}){{0,{MOST_PREFIXES}}}"


@lru_cache(maxsize=256)
def names_of(tools: frozenset[str]) -> Names:
    """Gives the patterns for a set of tools, made once for all its messages."""
    return Names(tools)


class Names:
    """Holds the patterns for one set of tools.

    Attributes:
        known: The names.
        words: Matches a name as a whole word.
        openers: Matches what opens a leak, or a run of backticks or tildes that may open a fence. Groups: `call`
            (with `name`, `paren`), `element` (with `element_name`), `tag`, `list`, `run`.
        beginning: Matches, at the end of a text, what may become an opener.
        beginnings: Every beginning of a name or prefix.
        reach: The most characters that a beginning has.
        list_lead: Matches the list tag and what may stand between it and its JSON value. Group: `name`.
        list_lead_so_far: Matches every beginning of that.
    """

    def __init__(self, tools: frozenset[str]) -> None:
        self.known = tools
        name = "(?:" + "|".join(map(re.escape, sorted(self.known, key=len, reverse=True))) + ")"
        self.words = re.compile(rf"{_WORD_START}{name}(?![\w-])")
        self.openers = re.compile(
            r"(?P<run>`+|~+)"
            rf"|(?P<tag>{'|'.join(map(re.escape, TAGS))})|(?P<list>{re.escape(LIST_TAG)})"
            rf"|(?P<element><{_PREFIX}{{1,{MOST_PREFIXES}}}(?P<element_name>{name})(?=[^\w({{-]|\([^{{]))"
            rf"|(?P<call>{_CHAIN}(?P<name>{name})(?P<paren>\()?\{{)"
        )
        self.list_lead = re.compile(
            rf"{re.escape(LIST_TAG)}\s*(?:(?P<name>{name})\s*(?:\[CALL_ID\]\w*)?(?:\[ARGS\])?\s*(?=\{{)|(?=[\[{{]))"
        )
        some_names = "|".join(beginnings(tool) for tool in self.known)
        self.list_lead_so_far = re.compile(
            rf"{re.escape(LIST_TAG)}\s*(?:{some_names}|{name}\s*(?:\[CALL_ID\]\w*)?(?:{beginnings('[ARGS]')}|\[ARGS\]\s*)"
            rf"|{name}\s*{beginnings('[CALL_ID]')})"
        )
        words = [*PREFIXES, *(f"{tool}(" for tool in self.known)]
        starts = "|".join(f"{beginnings(word)}\\Z" for word in words)
        tags = "|".join(f"{beginnings(tag)}\\Z" for tag in (*TAGS, LIST_TAG))
        self.beginning = re.compile(rf"(?=[<\[])(?:{tags})|(?!\Z){_CHAIN}(?:{starts})")
        self.beginnings = frozenset(word[:n] for word in words for n in range(1, len(word) + 1))
        self.reach = MOST_PREFIXES * max(map(len, PREFIXES)) + max(map(len, (*words, *TAGS)))
