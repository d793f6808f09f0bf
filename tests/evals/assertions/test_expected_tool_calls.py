"""Tests that the calls made are compared with the expected ones as their mode says."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterturn.errors import UsageError
from afterturn.evals import Reply, Row
from afterturn.evals._records import AssertionResult
from afterturn.evals.assertions import check_row, open_assertion, own_assertions
from afterturn.evals.assertions._pairing import in_any_order, in_order
from afterturn.turns import ToolCall

Calls = Callable[..., AssertionResult]
MODES = ("strict", "ordered", "unordered", "subset", "superset")

# expected, made, the modes in which it passes
LISTS: list[tuple[Sequence[str], Sequence[str], str]] = [
    ([], [], "strict ordered unordered subset superset"),
    ([], ["a"], ""),
    (["a"], [], "subset"),
    (["a", "b"], ["a", "b"], "strict ordered unordered subset superset"),
    (["a", "b"], ["b", "a"], "unordered subset superset"),
    (["a", "b"], ["a", "c", "b"], "ordered superset"),
    (["a", "b"], ["b", "c", "a"], "superset"),
    (["a", "b"], ["a"], "subset"),
    (["a", "b"], ["c"], ""),
    (["a", "a", "b"], ["a", "b", "b"], ""),
    (["a", "a", "b"], ["a", "b", "a"], "unordered subset superset"),
    (["a", "a", "b"], ["a", "a", "b"], "strict ordered unordered subset superset"),
    (["a"], ["a", "a"], "ordered superset"),
    (["a", "a"], ["a"], "subset"),
    (["a", "b", "a"], ["b", "a", "b", "a"], "ordered superset"),
]


@pytest.mark.parametrize(("expected", "made", "passing"), LISTS)
@pytest.mark.parametrize("mode", MODES)
def test_each_mode_passes_its_lists_and_no_others(
    calls: Calls, expected: Sequence[str], made: Sequence[str], passing: str, mode: str
) -> None:
    assert calls(expected, made, mode).passed == (mode in passing.split())


BAD_CALLS: list[tuple[Any, str]] = [
    ({"mode": "in-order", "calls": []}, "the mode of expected_tool_calls is one of"),
    ([{"name": "a", "match": {"x": {"kind": "number", "tolerance": -1}}}], "[0].match.x.tolerance is a number"),
    (["a", {"name": "b", "args": {}}], "expected_tool_calls[1] has no option 'args'"),
]


def test_a_row_without_expected_calls_asserts_nothing(make_row: Callable[..., Row]) -> None:
    assert open_assertion("expected_tool_calls").check(make_row(), Reply(text="x")) is None


def test_an_empty_list_says_that_no_tool_may_be_called(calls: Calls) -> None:
    result = calls([], ["search"], "superset")
    assert (result.reason, result.details) == (
        "call_not_allowed",
        {"mode": "superset", "expected": 0, "actual": 1, "matched": 0, "extra": ["search"]},
    )


@pytest.mark.parametrize(
    ("expected", "made", "mode", "reason", "details"),
    [
        (["a", "b"], ["a"], "strict", "call_missing", {"missing": ["b"]}),
        (["a"], ["a", "b"], "strict", "extra_call", {"extra": ["b"]}),
        (["a"], ["b"], "strict", "wrong_tool", {"missing": ["a"], "extra": ["b"]}),
        (["a", "b"], ["b", "a"], "ordered", "order_differs", {"misplaced": ["b"]}),
        (
            [{"name": "a", "arguments": {"x": 1, "y": {"z": 2}}}],
            [("a", {"x": 1, "y": {"z": 3}, "w": 4})],
            "unordered",
            "arguments_differ",
            {"differing": [{"tool": "a", "expected": 0, "actual": 0, "paths": ["y.z", "w"]}]},
        ),
    ],
)
def test_a_failure_says_what_is_wrong_and_where(
    calls: Calls, expected: object, made: Sequence[object], mode: str, reason: str, details: dict[str, object]
) -> None:
    result = calls(expected, made, mode)
    counts = {"mode", "expected", "actual", "matched"}
    assert result.reason == reason
    assert {key: value for key, value in result.details.items() if key not in counts} == details


def test_no_value_of_an_argument_is_in_a_result(calls: Calls) -> None:
    result = calls([{"name": "pay", "arguments": {"iban": "DE1"}}], [("pay", {"iban": "DE-SECRET"})])
    assert "SECRET" not in str(result.details)


def test_a_call_is_not_given_to_one_expected_call_while_another_goes_without(calls: Calls) -> None:
    any_city: dict[str, Any] = {"name": "weather", "arguments": {}, "compare": "subset"}
    paris = {"name": "weather", "arguments": {"city": "Paris"}}
    made = [("weather", {"city": "Paris"}), ("weather", {"city": "Rome"})]
    assert calls([any_city, paris], made).passed
    assert calls([paris, any_city], made[::-1]).passed


def test_the_rows_own_mode_comes_before_that_of_the_run(calls: Calls) -> None:
    expected = {"mode": "superset", "calls": ["a"]}
    assert calls(expected, ["b", "a"], "strict").passed


def test_arguments_count_where_the_row_has_them(calls: Calls) -> None:
    call = {"name": "a", "arguments": {"x": {"y": 1}}}
    assert not calls([call], [("a", {"x": {"y": 1}, "z": 1})]).passed
    assert calls([call], [("a", {"x": {"y": 1, "q": 2}, "z": 1})], compare="subset").passed
    assert calls([call], [("a", {})], compare="ignore").passed
    assert calls([{**call, "compare": "ignore"}], [("a", {})]).passed
    assert calls(["a"], [("a", {"anything": 1})]).passed
    assert not calls([{"name": "a", "arguments": {}}], [("a", {"anything": 1})]).passed


def test_a_matcher_of_the_whole_assertion_is_for_the_calls_that_have_its_argument(calls: Calls) -> None:
    expected = [{"name": "find", "arguments": {"city": "Bonn"}}, {"name": "book", "arguments": {"price": 10}}]
    made = [("find", {"city": "Bonn"}), ("book", {"price": "10.0"})]
    assert calls(expected, made, match={"price": "number"}).passed
    assert not calls(expected, made, match={"price": {"kind": "number", "value": 10}}).passed


def test_arguments_that_are_no_json_fit_only_where_they_do_not_count(calls: Calls) -> None:
    made = [("a", "{broken")]
    assert calls([{"name": "a", "arguments": {"x": 1}}], made).details["differing"] == [
        {"tool": "a", "expected": 0, "actual": 0, "paths": ["(arguments)"]}
    ]
    assert calls(["a"], made).passed


def test_calls_of_free_tools_do_not_count(calls: Calls) -> None:
    made = ["search_mail", "send", "search_calendar"]
    assert calls(["send"], made, free=["search_*"]).passed
    assert calls(["send"], made, only=["send", "delete"]).passed
    assert calls([], ["search_mail"], free="search_*").passed
    assert not calls(["send"], made).passed


def test_a_call_may_be_repeated_where_that_is_said(calls: Calls) -> None:
    send, other = ("send", {"to": "a"}), ("send", {"to": "b"})
    expected = [{"name": "send", "arguments": {"to": "a"}}]
    assert not calls(expected, [send, send]).passed
    assert calls(expected, [send, send], repeats=True).passed
    assert calls(expected, [send, send], "strict", repeats=True).passed
    assert calls(expected, [send, other], repeats=True).reason == "extra_call"
    assert calls(expected * 2, [send], repeats=True).reason == "call_missing"
    assert calls([], [send, send], repeats=True).details["actual"] == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"value": "stricd"}, "did you mean strict?"),
        ({"compare": "loose"}, "expected_tool_calls.compare is one of exact, subset, ignore"),
        ({"match": {"x": "fuzzy"}}, "expected_tool_calls.match.x.kind is one of"),
        ({"modus": "strict"}, "has no option 'modus' (did you mean mode?)"),
        ({"free": 3}, "expected_tool_calls.free is a text or a list of texts"),
    ],
)
def test_a_mistake_in_the_assertion_is_named(options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_assertion({"name": "expected_tool_calls", **options})
    assert says in str(caught.value)


@pytest.mark.parametrize(("expected", "says"), BAD_CALLS)
def test_a_mistake_in_a_rows_calls_is_found_before_the_run(
    make_row: Callable[..., Row], expected: object, says: str
) -> None:
    with pytest.raises(UsageError) as caught:
        check_row(make_row(expected_tool_calls=expected))
    assert says in str(caught.value)


def test_a_row_asserts_what_it_declares_once(make_row: Callable[..., Row]) -> None:
    row = make_row(expected_tool_calls=[], **{"assert": ["contains:parcel", {"name": "latency", "value": "2s"}]})
    assert [assertion.name for assertion in own_assertions(row)] == ["contains", "latency", "expected_tool_calls"]
    given_already = [open_assertion("expected_tool_calls:strict")]
    assert [assertion.name for assertion in own_assertions(row, given_already)] == ["contains", "latency"]


@given(st.lists(st.sampled_from("abc"), max_size=5), st.lists(st.sampled_from("abc"), max_size=5))
def test_calls_by_name_alone_are_compared_as_multisets_and_sequences(expected: list[str], made: list[str]) -> None:
    def fits(i: int, j: int) -> bool:
        return expected[i] == made[j]

    shared = sum(min(expected.count(name), made.count(name)) for name in "abc")
    assert len(in_any_order(len(expected), len(made), fits)) == shared
    orders = [picked for size in range(len(made) + 1) for picked in itertools.combinations(made, size)]
    longest = max(len(one) for one in orders if _is_subsequence(one, expected))
    pairs = in_order(len(expected), len(made), fits)
    assert len(pairs) == longest
    assert list(pairs) == sorted(pairs)
    assert list(pairs.values()) == sorted(pairs.values())


@given(st.lists(st.sets(st.integers(0, 4)), max_size=5))
def test_the_pairing_is_a_maximum_whatever_fits_whom(near: list[set[int]]) -> None:
    pairs = in_any_order(len(near), 5, lambda i, j: j in near[i])
    best = max(
        sum(j in near[i] for i, j in enumerate(order[: len(near)])) for order in itertools.permutations(range(5))
    )
    assert len(pairs) == best
    assert all(j in near[i] for i, j in pairs.items())
    assert len(set(pairs.values())) == len(pairs)


def test_a_thousand_calls_of_one_tool_are_paired() -> None:
    calls = tuple(ToolCall(name="a", arguments={"n": n}) for n in range(1000))
    assert in_any_order(1000, 1000, lambda i, j: calls[i].arguments == calls[999 - j].arguments)[0] == 999


def _is_subsequence(items: Sequence[str], of: Sequence[str]) -> bool:
    rest = iter(of)
    return all(item in rest for item in items)
