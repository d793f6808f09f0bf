"""Tests the assertions about the text of a reply: words, patterns, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from afterturn.errors import UnreadableInputError, UsageError
from afterturn.evals._records import AssertionResult
from afterturn.evals.assertions import assertion_names, open_assertion

Check = Callable[..., AssertionResult | None]
SCHEMA = {
    "type": "object",
    "required": ["city"],
    "properties": {"city": {"type": "string"}, "days": {"type": "array", "items": {"type": "integer"}}},
}


def _said(result: AssertionResult | None) -> tuple[bool, str | None]:
    assert result is not None
    return result.passed, result.reason


@pytest.mark.parametrize(
    ("spec", "text", "passed"),
    [
        ("contains:refund", "Your REFUND is on its way.", True),
        ("contains:refund", "Your parcel is on its way.", False),
        ({"name": "contains", "value": "refund", "case": True}, "Your REFUND", False),
        ({"name": "contains", "value": ["a", "b"]}, "b and a", True),
        ({"name": "contains", "value": ["a", "b"]}, "only a", False),
        ("not_contains:sorry", "Sorry!", False),
        ("not_contains:sorry", "Gladly!", True),
        ("equals:Paris", " paris\n", True),
        ("equals:Paris", "Paris.", False),
        ({"name": "equals", "value": ["yes", "no"]}, "No", True),
        ("regex:R-[0-9]{2}", "It is R-17.", True),
        ("regex:^R-[0-9]{2}$", "It is R-17.", False),
        ({"name": "regex", "value": "paris", "ignore_case": True}, "PARIS", True),
        ("not_regex:[0-9]{16}", "card 1234123412341234", False),
        ("not_regex:[0-9]{16}", "no card", True),
    ],
)
def test_texts_and_patterns_are_found_in_the_reply(check: Check, spec: Any, text: str, passed: bool) -> None:
    assert _said(check(spec, text))[0] == passed


def test_without_a_text_the_rows_expected_is_sought(check: Check) -> None:
    assert _said(check("contains", "It is in Lyon.", row={"expected": "Lyon"})) == (True, None)
    assert _said(check("equals", "It is in Lyon.", row={"expected": "Lyon"})) == (False, "fails_equals")
    assert check("contains", "It is in Lyon.") is None


def test_what_the_customer_does_not_see_is_not_read_unless_asked(check: Check) -> None:
    text = "<think>Lyon or Paris?</think>Paris [c1]."
    assert _said(check("equals:Paris.", text, passages=["c1"]))[0]
    assert _said(check("not_contains:Lyon", text))[0]
    assert not _said(check({"name": "not_contains", "value": "Lyon", "raw": True}, text))[0]
    assert _said(check({"name": "regex", "value": "Lyon", "raw": True}, text))[0]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{"city": "Paris", "days": [1, 2]}', (True, None)),
        ('```json\n{"city": "Paris"}\n```', (True, None)),
        ('<think>hm</think>{"city": "Paris"}', (True, None)),
        ('Here you are: {"city": "Paris"}', (False, "not_json")),
        ('{"city": "Paris"} {"city": "Rome"}', (False, "not_json")),
        ('{"city": NaN}', (False, "not_json")),
        ("[" * 100_000, (False, "not_json")),
        ("", (False, "not_json")),
        ('{"days": ["x"]}', (False, "does_not_fit")),
    ],
)
def test_the_whole_reply_is_json_that_fits(check: Check, text: str, result: tuple[bool, str | None]) -> None:
    assert _said(check({"name": "json_schema", "value": SCHEMA}, text)) == result


def test_where_json_does_not_fit_is_told_without_its_values(check: Check) -> None:
    result = check({"name": "json_schema", "value": SCHEMA}, '{"city": "Paris", "days": [1, "secret"]}')
    assert result is not None
    assert result.details == {"wrong": [{"path": "days[1]", "rule": "type"}]}


def test_a_schema_may_stand_in_a_file(check: Check, tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(SCHEMA), encoding="utf-8")
    assert _said(check(f"json_schema:{path}", '{"city": "Rome"}'))[0]
    with pytest.raises(UnreadableInputError, match=r"cannot read .*absent\.json"):
        open_assertion(f"json_schema:{tmp_path}/absent.json")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(UnreadableInputError, match="is no JSON"):
        open_assertion(f"json_schema:{path}")


def test_a_reference_of_a_schema_is_never_fetched(check: Check) -> None:
    elsewhere = {"name": "json_schema", "value": {"$ref": "http://127.0.0.1:9/schema.json"}}
    with pytest.raises(UsageError, match="a reference that is not in it"):
        check(elsewhere, "{}")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("contians:x", "did you mean contains?"),
        ("regex", "regex takes a pattern"),
        ("regex:(", "is no regular expression: missing ), unterminated subpattern at position 0"),
        ("json_schema", "json_schema takes a JSON schema"),
        ({"name": "json_schema", "value": {"type": "objekt"}}, "the schema of json_schema is none"),
        ({"name": "contains", "value": 3}, "the value of contains is a text or a list of texts"),
        ({"name": "contains", "value": " "}, "contains takes a text"),
        ({"name": "contains", "value": "x", "case": "no"}, "contains.case is true or false"),
        ({"name": "equals", "value": "x", "cases": True}, "did you mean case?"),
        ({}, "no assertion is called ''"),
    ],
)
def test_a_mistake_is_named_with_what_to_write(spec: Any, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_assertion(spec)
    assert says in str(caught.value)


def test_a_text_names_itself_and_an_object_is_named_by_label_or_kind() -> None:
    specs: list[Any] = [
        "contains:a",
        {"name": "contains", "value": "a"},
        {"name": "regex", "value": "a", "label": "has a"},
    ]
    assert [open_assertion(spec).name for spec in specs] == ["contains:a", "contains", "has a"]


@pytest.mark.parametrize("name", assertion_names())
def test_every_assertion_opens_by_its_name_or_says_what_it_takes(name: str) -> None:
    try:
        said = open_assertion(name).name
    except UsageError as error:
        said = str(error)
    assert said == name or f"{name} takes" in said
