"""Tests that single arguments are compared as their matcher says."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from afterturn.errors import UsageError
from afterturn.evals._records import AssertionResult
from afterturn.evals.assertions._dates import read_moment, same_moment
from afterturn.evals.assertions._matchers import MATCHER_KINDS, read_matcher

Calls = Callable[..., AssertionResult]

# matcher, expected, accepted, refused
CASES: list[tuple[Any, Any, list[Any], list[Any]]] = [
    ("exact", 1, [1, 1.0], ["1", True, 2, None]),
    ("exact", True, [True], [1, "true"]),
    ("exact", None, [None], ["", 0, False]),
    ("exact", {"a": [1, 2]}, [{"a": [1.0, 2]}], [{"a": [2, 1]}, {"a": [1, 2], "b": 1}]),
    ("casefold", "Paris, France", ["paris,  FRANCE ", "PARIS, france"], ["Paris", 5]),
    ("casefold", "Straße", ["STRASSE"], ["Strase"]),
    ("casefold", ["A", {"k": "B"}], [["a", {"k": "b"}]], [["b", {"k": "a"}]]),
    ("number", 10, [10, 10.0, "10", " 10.0 "], [10.1, "ten", True, None, math.inf, "nan", "1" * 400]),
    ({"kind": "number", "tolerance": 0.5}, 10, [10.5, 9.5], [10.6]),
    ({"kind": "number", "relative": 0.1}, 100, [91, 109], [120]),
    ("number", 10**400, [10**400], [1]),
    ("date", "2026-11-30", ["30 November 2026", "2026-11-30T00:00:00", "Nov 30, 2026", "2026/11/30"], ["2026-12-01"]),
    ("date", "2026-11-30 09:00:00", ["2026-11-30T09:00", "November 30, 2026 at 9 am"], ["2026-11-30", "9:00"]),
    ("date", "2026-11-30T09:00Z", ["2026-11-30T10:00+01:00"], ["2026-11-30T10:00Z", "2026-11-30T09:00"]),
    ("date", "18:30", ["18:30:00", "6:30 pm", "6:30 P.M."], ["6:30", "06:30 am", "18.30"]),
    ({"kind": "regex", "value": "^R-[0-9]+$"}, None, ["R-17"], ["R-", "xR-1", None, ["R-1"]]),
    ("regex", "parcel|package", ["my package"], ["my letter"]),
    ("contains", "Refund", ["a refund, please"], ["money back", 3]),
    ("contains", ["a", "b"], [["b", "c", "a"]], [["a"], "ab"]),
    ({"kind": "any_of", "value": ["NYC", "New York"]}, None, ["NYC"], ["nyc", "Boston"]),
    ({"kind": "any_of", "value": ["NYC", "New York"], "by": "casefold"}, None, ["nyc"], ["Boston"]),
    ({"kind": "any_of", "value": ["2026-11-30"], "by": "date"}, None, ["30 Nov 2026"], ["1 Dec 2026"]),
    ("ignore", "x", ["y", None, 3], []),
]


@pytest.mark.parametrize(("spec", "expected", "accepted", "refused"), CASES, ids=range(len(CASES)))
def test_a_matcher_accepts_what_means_the_same_and_nothing_else(
    spec: Any, expected: Any, accepted: list[Any], refused: list[Any]
) -> None:
    matcher = read_matcher(spec, "match.x")
    assert [matcher.accepts(expected, value) for value in accepted] == [True] * len(accepted)
    assert [matcher.accepts(expected, value) for value in refused] == [False] * len(refused)


def test_every_kind_is_tested() -> None:
    assert {spec if isinstance(spec, str) else spec["kind"] for spec, *_ in CASES} == set(MATCHER_KINDS)


@pytest.mark.parametrize("text", ["03/04/2026", "tomorrow", "20261130", "2026-13-01", "25:00", "31 February 2026", ""])
def test_what_may_be_two_days_or_none_is_no_date(text: str) -> None:
    assert read_moment(text) is None
    assert not same_moment(text, text)


def test_a_missing_argument_fits_only_where_it_is_optional(calls: Calls) -> None:
    call = {"name": "a", "arguments": {"x": 1}}
    assert not calls([call | {"match": {"unit": {"kind": "any_of", "value": ["m"]}}}], [("a", {"x": 1})]).passed
    optional = call | {"match": {"unit": {"kind": "any_of", "value": ["m"], "optional": True}}}
    assert calls([optional], [("a", {"x": 1})]).passed
    assert calls([optional], [("a", {"x": 1, "unit": "m"})]).passed
    assert not calls([optional], [("a", {"x": 1, "unit": "ft"})]).passed
    assert not calls([optional], [("a", {"x": 1, "unit": None})]).passed


def test_matchers_reach_inner_arguments_and_items_of_lists(calls: Calls) -> None:
    call = {
        "name": "order",
        "arguments": {"to": {"city": "Paris"}, "items": [{"name": "Pen", "n": 1}, {"name": "Ink", "n": 2}]},
        "match": {"to.city": "casefold", "items[*].n": {"kind": "number", "tolerance": 0.5}, "items[0].name": "ignore"},
    }
    made = {"to": {"city": "PARIS"}, "items": [{"name": "Nib", "n": "1.2"}, {"name": "Ink", "n": 2}]}
    assert calls([call], [("order", made)]).passed
    made["items"] = [{"name": "Pen", "n": 3}, {"name": "Nib", "n": 2}]
    differing: Any = calls([call], [("order", made)]).details["differing"]
    assert differing[0]["paths"] == ["items[0].n", "items[1].name"]


def test_a_star_compares_every_value_that_has_no_matcher_of_its_own(calls: Calls) -> None:
    call = {"name": "a", "arguments": {"city": "Paris", "code": "X1", "n": 1}, "match": {"code": "exact"}}
    assert calls([call], [("a", {"city": "paris", "code": "X1", "n": 1})], match={"*": "casefold"}).passed
    assert not calls([call], [("a", {"city": "paris", "code": "x1", "n": 1})], match={"*": "casefold"}).passed


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("fuzzy", "m.kind is one of exact, casefold"),
        (3, "m is no matcher"),
        ({"kind": "regex", "value": "("}, "m is no regular expression"),
        ({"kind": "any_of"}, "takes a list of values"),
        ({"kind": "exact", "tolerance": 1}, "has no option 'tolerance'"),
        ({"kind": "number", "tolerance": True}, "m.tolerance is a number"),
        ({"kind": "any_of", "value": [1], "by": "nope"}, "m.by.kind is one of"),
    ],
)
def test_a_mistake_in_a_matcher_is_named(spec: Any, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_matcher(spec, "m")
    assert says in str(caught.value)


def test_a_matcher_without_anything_to_compare_with_says_so(calls: Calls) -> None:
    with pytest.raises(UsageError, match="give it a `value`"):
        calls([{"name": "a", "arguments": {}, "match": {"x": "casefold"}}], [("a", {"x": "y"})])
