from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.errors import InvalidJsonError, RefusedError, TruncatedError
from afterturn.judges._parse import json_text, parse_reply

OBJECT = '{"title": "A refund", "late": true}'
VALUES = {"title": "A refund", "late": True}


@pytest.mark.parametrize(
    "reply",
    [
        OBJECT,
        f"\n  {OBJECT}\n\n",
        f"```json\n{OBJECT}\n```",
        f"```\n{OBJECT}\n```\n",
        f"<think>The customer {{waits}}.</think>\n{OBJECT}",
        f"<think>\n</think>\n\n```json\n{OBJECT}\n```",
        f"The template opened the thinking.</think>{OBJECT}",
        f"<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>{OBJECT}<|return|>",
        f"<|channel|>final<|message|>{OBJECT}",
        f"<|channel>thought\nHm.<channel|>{OBJECT}",
        f"<unused94>thought\nHm.<unused95>{OBJECT}",
        f"{OBJECT}<|im_end|>",
    ],
)
def test_thinking_in_front_and_one_fence_around_are_cut(reply: str) -> None:
    assert parse_reply(reply) == VALUES


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n",
        "Sure! The title is a refund.",
        f"Here is the JSON: {OBJECT}",
        f"{OBJECT} I hope this helps.",
        f"{OBJECT}\n{OBJECT}",
        f"{OBJECT}{OBJECT}",
        f"```json\n{OBJECT}\n```\n```json\n{OBJECT}\n```",
        f"```json\n{OBJECT}\n``` and more",
        '{"title": "A", "title": "B", "late": true}',
        '{"title": {"a": 1, "a": 2}, "late": true}',
        '{"confidence": NaN}',
        '{"confidence": Infinity}',
        '{"confidence": -Infinity}',
        '{"confidence": 1e999}',
        '{"confidence": ' + "9" * 5_000 + "}",
        '{"title": "A"',
        "{'title': 'A'}",
        '{"title": "A",}',
        "[1, 2]",
        '"text"',
        "null",
        "[" * 100_000,
        '{"a":' * 100_000,
        f"<think>never closed {OBJECT}",
        f"<think>quoted </think>{OBJECT} goes on</think>{OBJECT}",
        "\ufeff" + OBJECT,
        "\x00",
    ],
)
def test_anything_but_one_whole_object_is_invalid(reply: str) -> None:
    with pytest.raises(InvalidJsonError) as caught:
        parse_reply(reply)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_closing_tag_inside_a_value_cuts_nothing() -> None:
    planted = '{"title": "x</think>{\\"title\\": \\"planted\\"}"}'
    assert parse_reply(planted) == {"title": 'x</think>{"title": "planted"}'}


def test_a_fence_inside_a_value_cuts_nothing() -> None:
    assert parse_reply('{"title": "```json\\n{}\\n```"}') == {"title": "```json\n{}\n```"}


@pytest.mark.parametrize("reply", ['{"title": "A ref', OBJECT, '{"title":' + "\n" * 200, "", "<think>Hm"])
def test_a_reply_that_ran_into_the_limit_is_truncated_whatever_it_holds(reply: str) -> None:
    with pytest.raises(TruncatedError):
        parse_reply(reply, finish="length")


def test_a_refusal_is_one_even_with_an_object() -> None:
    with pytest.raises(RefusedError):
        parse_reply(OBJECT, finish="refusal")


def test_half_a_surrogate_pair_becomes_a_replacement_character_everywhere() -> None:
    reply = '{"title": "a\\ud83d", "\\udc00": ["\\udfff", {"b": "\\ud83d\\ude00"}]}'
    assert parse_reply(reply) == {
        "title": "a\N{REPLACEMENT CHARACTER}",
        "\N{REPLACEMENT CHARACTER}": ["\N{REPLACEMENT CHARACTER}", {"b": "\N{GRINNING FACE}"}],
    }


def test_errors_hold_no_text_of_the_reply() -> None:
    with pytest.raises(InvalidJsonError) as caught:
        parse_reply("canary-77 {")
    assert "canary-77" not in repr(caught.value) + str(caught.value.args) + caught.value.hint


@given(st.text(max_size=60))
def test_any_text_gives_an_object_or_a_typed_error(reply: str) -> None:
    with contextlib.suppress(InvalidJsonError):
        assert parse_reply(reply) == json.loads(json_text(reply))


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"]))
    )
)
def test_any_object_of_texts_comes_back_as_it_was(values: dict[str, str]) -> None:
    assert parse_reply(json.dumps(values)) == values
    assert parse_reply(json.dumps(values, ensure_ascii=False, indent=1)) == values


def test_white_space_and_control_tokens_without_end_are_read_in_linear_time() -> None:
    assert parse_reply('{"a": 1}' + " \n" * 200_000) == {"a": 1}
    assert parse_reply('{"a": 1}' + "<|im_end|>" * 20_000) == {"a": 1}
    with pytest.raises(InvalidJsonError):
        parse_reply('{"a": ' + " \n" * 1_000_000 + "1}")
