from __future__ import annotations

import math

import pytest

from afterturn.judges._logprobs import Token, confidences, tokens_of
from afterturn.turns import JsonObject

BOOLEAN: JsonObject = {"type": "boolean"}
TARGET: JsonObject = {"enum": ["ai", "situation", "none"]}
NULLABLE: JsonObject = {"anyOf": [{"type": "string", "enum": ["red", "rose"]}, {"type": "null"}]}


def token(text: str, p: float = 1.0, **others: float) -> Token:
    """A token of probability p with its alternatives; underscores stand for blanks."""
    top = {text: p, **{other.replace("_", " "): q for other, q in others.items()}}
    ordered = sorted(top.items(), key=lambda pair: -pair[1])
    return Token(text=text.encode(), logprob=math.log(p), top=tuple((t.encode(), math.log(q)) for t, q in ordered))


def percents(tokens: list[Token], **fields: JsonObject) -> dict[str, int]:
    body = b"".join(t.text for t in tokens).decode()
    schema: JsonObject = {"type": "object", "properties": fields}
    found = confidences(body[body.index("{") : body.rindex("}") + 1], schema, tokens)
    assert all(confidence.source == "logprob" for confidence in found.values())
    return {name: confidence.percent for name, confidence in found.items()}


def test_a_boolean_is_renormalised_over_true_and_false() -> None:
    tokens = [token('{"late":'), token(" true", 0.6, _false=0.2, _maybe=0.2), token("}")]
    assert percents(tokens, late=BOOLEAN) == {"late": 75}


def test_probabilities_from_before_the_grammar_mask_are_renormalised() -> None:
    tokens = [token('{"late": '), token("false", 0.03, The=0.8, true=0.01), token("}")]
    assert percents(tokens, late=BOOLEAN) == {"late": 75}


def test_spellings_with_and_without_a_blank_count_together() -> None:
    tokens = [token('{"late":'), token(" true", 0.4, true=0.2, _false=0.1, false=0.1), token("}")]
    assert percents(tokens, late=BOOLEAN) == {"late": 75}


def test_a_token_that_starts_before_the_value_is_compared_with_those_that_start_alike() -> None:
    tokens = [token('{"late'), token('":true', 0.6, **{'":false': 0.2, "true": 0.2}), token("}")]
    assert percents(tokens, late=BOOLEAN) == {"late": 75}


def test_a_token_that_runs_beyond_the_value_counts() -> None:
    tokens = [token('{"late":'), token("true}", 0.6, **{"false}": 0.2, "false": 0.0001})]
    assert percents(tokens, late=BOOLEAN) == {"late": 75}


def test_an_enum_multiplies_the_steps_at_which_it_is_decided() -> None:
    tokens = [
        token('{"target": "'),
        token("s", 0.5, a=0.25, none=0.25),
        token("ituation", 1.0),
        token('"}'),
    ]
    assert percents(tokens, target=TARGET) == {"target": 50}


def test_values_with_a_common_beginning_are_told_apart_where_they_part() -> None:
    tokens = [token('{"c":'), token('"r', 0.9, null=0.1), token("ed", 0.75, ose=0.25), token('"}')]
    assert percents(tokens, c=NULLABLE) == {"c": round(100 * 0.9 * 0.75)}


def test_null_is_one_of_the_values_of_a_nullable_field() -> None:
    tokens = [token('{"c": '), token("null", 0.8, **{'"': 0.2}), token("}")]
    assert percents(tokens, c=NULLABLE) == {"c": 80}


def test_an_alternative_that_is_not_shown_may_be_as_likely_as_the_last_one_shown() -> None:
    tokens = [token('{"late":'), token("true", 0.3, x=0.2, y=0.1), token("}")]
    assert percents(tokens, late=BOOLEAN) == {"late": 75}


def test_an_alternative_that_is_not_shown_has_at_most_what_is_left() -> None:
    tokens = [token('{"late":'), token("true", 0.98, x=0.02), token("}")]
    assert percents(tokens, late=BOOLEAN) == {"late": 100}


def test_text_in_front_of_the_object_and_fields_of_other_kinds_are_passed_over() -> None:
    tokens = [
        token("<think>"),
        token(' "late": true </think>'),
        token('{"title": "true", "tags": ["true"], "n": 1, "late": '),
        token("true", 0.75, false=0.25),
        token(', "more": {"late": false}}'),
    ]
    fields = {"title": {"type": "string"}, "tags": {"type": "array"}, "n": {"type": "integer"}, "more": {}}
    assert percents(tokens, late=BOOLEAN, **fields) == {"late": 75}


def test_text_beyond_ascii_does_not_shift_the_alignment() -> None:
    body = '{"title": "Größe 😀", "late": true}'
    raw = body.encode()
    at = raw.index(b"true")
    emoji = raw.index("😀".encode()) + 2  # a token may end inside a character
    tokens = [
        Token(text=raw[:emoji], logprob=0.0, top=((raw[:emoji], 0.0),)),
        Token(text=raw[emoji:at], logprob=0.0, top=((raw[emoji:at], 0.0),)),
        token("true", 0.75, false=0.25),
        token("}"),
    ]
    found = confidences(body, {"properties": {"title": {"type": "string"}, "late": BOOLEAN}}, tokens)
    assert {name: c.percent for name, c in found.items()} == {"late": 75}


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        [token("something else entirely {}")],
        [Token(text=b'{"late": true}', logprob=0.0)],
        [token('{"late": "true"}')],
    ],
)
def test_where_the_tokens_do_not_tell_there_is_no_confidence(tokens: list[Token]) -> None:
    assert confidences('{"late": true}', {"properties": {"late": BOOLEAN}}, tokens) == {}


def test_the_openai_form_is_read_with_bytes_or_text() -> None:
    items: list[object] = [
        {"token": "?", "bytes": [195], "logprob": -0.5, "top_logprobs": [{"token": "a", "logprob": -1, "bytes": None}]},
        {"token": "é", "bytes": None, "logprob": -1.5, "top_logprobs": []},
    ]
    assert tokens_of(items) == (
        Token(text=b"\xc3", logprob=-0.5, top=((b"a", -1.0),)),
        Token(text="é".encode(), logprob=-1.5),
    )


@pytest.mark.parametrize("items", [None, "x", 3, [1], [{}], [{"token": "a"}], [{"token": 1, "logprob": 0.0}]])
def test_another_form_gives_no_tokens(items: object) -> None:
    assert tokens_of(items) == ()
