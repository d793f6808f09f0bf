"""Patterns of users end on every text, and mean what Python's `re` means."""

from __future__ import annotations

import re

import pytest

from afterturn.errors import UsageError
from afterturn.evals import Reply, Row, _patterns
from afterturn.evals._pace import Pace
from afterturn.evals._patterns import BoundedPattern
from afterturn.evals._row import RowRunner, Setup
from afterturn.evals._schemas import bounded_validator
from afterturn.evals.assertions import open_assertion
from afterturn.evals.assertions._matchers import read_matcher
from afterturn.evals.simulate._moves import Move
from afterturn.evals.targets.python import PythonTarget
from afterturn.gate.redteam._records import Sign
from afterturn.gate.redteam._seen import success
from afterturn.turns import JsonObject, Message

ENDLESS = r"(.*a){20}$"
LONG = "A" * 5_000 + "!"
ASKED = Row(id="a", input=(Message(role="user", text="Hello!"),))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(_patterns, "PATTERN_S", 0.05)


@pytest.mark.parametrize(
    "pattern",
    [
        "refund(s|ed)?",
        "x{e}",
        "x{1}",
        r"\{e\}",
        "{e<=1}x",
        "[{]e",
        r"^no\b",
        "(?i)REFUND",
        "a{,2}b",
        "(?P<n>a)(?P=n)",
        ".",
    ],
)
@pytest.mark.parametrize("text", ["refunds", "x{e}", "x", "{e}", "{e<=1}x", "y", "no, Refund", "aab", "", "aé\n"])
@pytest.mark.parametrize("flags", [0, re.IGNORECASE, re.IGNORECASE | re.DOTALL])
def test_a_pattern_means_what_it_means_to_re(pattern: str, text: str, flags: int) -> None:
    assert BoundedPattern(pattern, "p", flags).found(text) is (re.search(pattern, text, flags) is not None)


def test_what_is_no_pattern_to_re_is_none() -> None:
    for wrong in ("(", r"\p{Lu}", r"\L<x>"):
        with pytest.raises(re.error):
            re.compile(wrong)
        with pytest.raises(UsageError, match="p is no regular expression: "):
            BoundedPattern(wrong, "p")


def test_a_pattern_that_takes_too_long_is_named_without_the_text() -> None:
    with pytest.raises(UsageError) as caught:
        BoundedPattern(ENDLESS, "the pattern of regex", re.IGNORECASE).found(LONG)
    assert str(caught.value) == (
        "the pattern of regex takes over 0.05 s on a text of 5,001 characters; "
        "write it without a repeat within a repeat"
    )


def _said_long(_: object) -> str:
    return LONG.lower()


async def test_a_row_whose_pattern_takes_too_long_is_neither_pass_nor_fail() -> None:
    target = PythonTarget(_said_long, name="agent")
    setup = Setup(target=target, assertions=(open_assertion(f"regex:{ENDLESS}"),))
    result = await RowRunner(setup, Pace(1)).run(ASKED, 1)
    assert (result.state, result.reason) == ("judge_error", "assertion_broke")
    assert result.message.startswith("the pattern of regex takes over 0.05 s")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": ENDLESS}, LONG.lower()),
        ({"patternProperties": {ENDLESS: True}}, {LONG.lower(): 1}),
        ({"patternProperties": {ENDLESS: True}, "additionalProperties": False}, {LONG.lower(): 1}),
        ({"properties": {"a": {"items": {"pattern": ENDLESS}}}}, {"a": [LONG.lower()]}),
    ],
)
def test_patterns_of_a_schema_end(schema: JsonObject, value: object) -> None:
    with pytest.raises(UsageError, match=r"a pattern of the schema takes over 0\.05 s"):
        list(bounded_validator(schema).iter_errors(value))


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"id": "A1", "x-note": "n"}, []),
        ({"id": "1A"}, ["pattern"]),
        ({"id": "A1", "x-note": 3}, ["type"]),
        ({"id": "A1", "more": 3}, ["additionalProperties"]),
    ],
)
def test_patterns_of_a_schema_are_checked(value: object, wrong: list[str]) -> None:
    schema: JsonObject = {
        "properties": {"id": {"pattern": "^[A-Z]"}},
        "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": False,
    }
    assert [error.validator for error in bounded_validator(schema).iter_errors(value)] == wrong


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"items": {"pattern": "("}}, "a pattern of the schema is no regular expression"),
        ({"patternProperties": {"a": True}, "unevaluatedProperties": False}, "use additionalProperties"),
    ],
)
def test_a_schema_whose_patterns_cannot_be_checked_is_refused(schema: JsonObject, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        bounded_validator(schema)


def test_an_argument_a_move_and_a_sign_of_an_attack_end_too() -> None:
    with pytest.raises(UsageError, match=r"takes over 0\.05 s"):
        Move(when_reply_matches=ENDLESS, say="Go on.").fits(LONG)
    with pytest.raises(UsageError, match=r"takes over 0\.05 s"):
        success(Sign(matches=ENDLESS), Reply(text=LONG))
    with pytest.raises(UsageError, match=r"takes over 0\.05 s"):
        read_matcher("regex", "match.q").accepts(ENDLESS, LONG.lower())
