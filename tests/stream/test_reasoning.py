"""Reasoning and control tokens are no part of the reply; what only looks like them is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

HARMONY = (
    "<|start|>assistant<|channel|>analysis<|message|>plan<|end|>"
    "<|start|>assistant<|channel|>final<|message|>Hello.<|return|>"
)

# (text, clean text, reasoning)
ROWS = [
    ("<think>plan</think>Hello.", "Hello.", "plan"),
    ("<think>\nplan [c1]\n</think>\n\nHello.", "\n\nHello.", "\nplan [c1]\n"),
    ("a <think>b</think> c <think>d</think>", "a  c ", "bd"),
    ("<think></think>Hello.", "Hello.", ""),
    ("<think>a < b </thin </think>Hello.", "Hello.", "a < b </thin "),
    ("<think>plan", "<think>plan", ""),
    (" \n<think>plan</thi", " \n<think>plan</thi", ""),
    ("<unused94>thought\nplan", "<unused94>thought\nplan", ""),
    ("a <think> b", "a <think> b", ""),
    ("The `<think>` tag is shown.", "The `<think>` tag is shown.", ""),
    ("<|channel>thought<channel|>plan<channel|>Hello.", "Hello.", "plan"),
    ("<|channel>thought\nplan\n<channel|>Hello.", "Hello.", "\nplan\n"),
    ("<|channel>thought<channel|>Hello.", "Hello.", ""),
    ("<unused94>thought\nplan<unused95>Hello.", "Hello.", "\nplan"),
    ("a <unused94> b", "a <unused94> b", ""),
    (HARMONY, "Hello.", "plan"),
    ("<|channel|>analysis<|message|>plan<|channel|>final<|message|>Hello.", "Hello.", "plan"),
    ("<|channel|>analysis<|message|>plan", "", "plan"),
    ('<|channel|>commentary to=x <|constrain|>json<|message|>{"q": 1}<|call|>', "", '{"q": 1}'),
    ("<|channel|>commentary<|message|>I look it up.<|end|>", "I look it up.", ""),
    ("Hello.<|im_end|>", "Hello.", ""),
    ("Hello.<｜end▁of▁sentence｜>", "Hello.", ""),
    ("<|eot_id|><|start_header_id|>Hello.", "Hello.", ""),
    ("```\ncode\n```<|im_end|>", "```\ncode\n```", ""),
    ("2 < 3, <b>bold</b> and a<b", "2 < 3, <b>bold</b> and a<b", ""),
    ("a <| b |> c <|d", "a <| b |> c <|d", ""),
    ("a <|im_end", "a <|im_end", ""),
    (f"a <|{'x' * 41}|> b", f"a <|{'x' * 41}|> b", ""),
    ("<thinking>a</thinking>", "<thinking>a</thinking>", ""),
    ("<<think>a</think>", "<", "a"),
]


@pytest.mark.parametrize(("text", "clean", "reasoning"), ROWS)
@pytest.mark.parametrize(("aliases", "tools"), [(None, []), (["c1"], ["search"])], ids=["alone", "whole chain"])
def test_a_text_comes_out_exactly(
    text: str,
    clean: str,
    reasoning: str,
    aliases: list[str] | None,
    tools: list[str],
    filtered: Callable[..., Any],
) -> None:
    outcome = filtered(text, aliases=aliases, tools=tools)
    assert (outcome.text, outcome.reasoning, outcome.marks, outcome.leaks) == (clean, reasoning, [], [])


def test_tokens_in_a_leaked_call_are_left_to_its_reader(filtered: Callable[..., Any]) -> None:
    text = '<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"q": "<|x|>"}<|tool_call_end|><|end|>b'
    outcome = filtered(text, tools=["search"])
    assert (outcome.text, outcome.calls) == ("b", [("search", '{"q": "<|x|>"}')])


def test_a_call_closer_without_an_opener_is_a_stray_token(filtered: Callable[..., Any]) -> None:
    assert filtered("a<|tool_call_end|> b", tools=["search"]).text == "a b"
