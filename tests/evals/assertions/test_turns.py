"""Tests the assertions about what else a reply did: cite, leak, hand over, take time and money."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from afterturn.errors import UsageError
from afterturn.evals._records import AssertionResult
from afterturn.evals.assertions import open_assertion

Check = Callable[..., AssertionResult | None]


def _reason(result: AssertionResult | None) -> str | None:
    assert result is not None
    assert result.passed == (result.reason is None)
    return result.reason


@pytest.mark.parametrize(
    ("spec", "text", "passages", "reason"),
    [
        ("citations", "27 days [c1].", ["c1"], None),
        ("citations", "27 days [C1; c2].", ["c1", "c2"], None),
        ("citations", "27 days.", ["c1"], "no_citation"),
        ("citations", "27 days [c2].", ["c1"], "unknown_passage"),
        ("citations", "27 days [c1], or [c9].", ["c1"], "unknown_passage"),
        ("citations", "27 days [c1].", None, "unknown_passage"),
        ("citations", "27 days.", [], "no_citation"),
        ("citations:valid", "27 days.", ["c1"], None),
        ("citations:valid", "27 days [c2].", ["c1"], "unknown_passage"),
        ("citations:none", "27 days.", ["c1"], None),
        ("citations:none", "27 days [c1].", ["c1"], "cites"),
        ({"name": "citations", "at_least": 2}, "27 days [c1] [c1].", ["c1", "c2"], "too_few_citations"),
        ({"name": "citations", "aliases": ["c2"]}, "27 days [c1].", ["c1", "c2"], "passage_not_cited"),
        ({"name": "citations", "aliases": "c2"}, "27 days [c2].", ["c1", "c2"], None),
    ],
)
def test_citations_are_present_and_of_passages_that_were_handed_out(
    check: Check, spec: Any, text: str, passages: list[str] | None, reason: str | None
) -> None:
    assert _reason(check(spec, text, passages=passages)) == reason


def test_the_passages_of_the_row_count_where_the_agent_tells_none(check: Check) -> None:
    assert _reason(check("citations", "27 days [c1].", row={"context": ["Leave is 27 days."]})) is None


@pytest.mark.parametrize(
    ("spec", "text", "reason"),
    [
        ("no_leak", "All is well [c1].", None),
        ("no_leak", 'search{"q": "x"} All is well.', "leaked_calls"),
        ("no_leak", "<think>hm</think>All is well.", "leaked_reasoning"),
        ("no_leak", "All is well [c7].", "leaked_markers"),
        ("no_leak:markers", "All is well [c1].", "leaked_markers"),
        ("no_leak:calls", "<think>hm</think>All is well.", None),
        ("no_leak:reasoning", 'search{"q": "x"}', None),
        ("no_leak", "Write array[c] and other{things}.", None),
    ],
)
def test_what_the_customer_should_not_see_is_a_leak(check: Check, spec: str, text: str, reason: str | None) -> None:
    assert _reason(check(spec, text, tools=["search"], passages=["c1"])) == reason


@pytest.mark.parametrize(
    ("spec", "fields", "reason"),
    [
        ("latency:200", {"latency_ms": 200.0}, None),
        ("latency:0.2s", {"latency_ms": 200.1}, "too_slow"),
        ("latency:2s", {}, "latency_unknown"),
        ("cost:0.01", {"cost_usd": 0.01}, None),
        ("cost:0.01", {"cost_usd": 0.02}, "too_expensive"),
        ("cost:0.01", {"cost_usd": None}, "cost_unknown"),
        ("cost:0", {"cost_usd": 0.0}, None),
        ({"name": "latency", "value": 200}, {"latency_ms": 100.0}, None),
    ],
)
def test_a_limit_holds_only_for_figures_that_are_known(
    check: Check, spec: Any, fields: dict[str, Any], reason: str | None
) -> None:
    assert _reason(check(spec, "x", **fields)) == reason


@pytest.mark.parametrize(
    ("spec", "fields", "reason"),
    [
        ("handoff", {"called": ["transfer_to_billing"]}, None),
        ("handoff", {"called": ["search"]}, "no_handoff"),
        ("handoff:billing", {"called": ["transfer_to_billing"]}, None),
        ("handoff:Bill*", {"called": ["transfer_to_billing"]}, None),
        ("handoff:sales", {"called": ["transfer_to_billing"]}, "handed_to_another"),
        ("handoff", {"called": ["done"], "conclusion_tool": "done"}, None),
        ("handoff", {"extra": {"handoff": True}}, None),
        ("handoff:sales", {"extra": {"handoff": "Sales"}}, None),
        ("handoff:sales", {"extra": {"handoff": True}}, "handed_to_another"),
        ("handoff:none", {"called": ["escalate_to_human"]}, "handed_over"),
        ("handoff:none", {"called": ["transfer_money"]}, "handed_over"),
        ("handoff:none", {"called": ["search"]}, None),
        ({"name": "handoff", "value": False}, {"called": []}, None),
        ({"name": "handoff", "tools": ["call_person"]}, {"called": ["call_person"]}, None),
    ],
)
def test_a_handoff_is_told_by_the_target_or_by_a_call(
    check: Check, spec: Any, fields: dict[str, Any], reason: str | None
) -> None:
    assert _reason(check(spec, "x", **fields)) == reason


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("latency", "latency takes an amount"),
        ("latency:fast", "in milliseconds"),
        ("latency:1usd", "in milliseconds"),
        ("cost:-1", "in US dollars"),
        ({"name": "cost", "value": float("nan")}, "in US dollars"),
        ({"name": "latency", "value": True}, "in milliseconds"),
        ("citations:all", "the kind of citations is one of present, valid, none"),
        ({"name": "citations", "at_least": 0}, "at_least is a whole number"),
        ("no_leak:secrets", "the kind of no_leak is one of"),
        ({"name": "handoff", "value": 3}, "handoff takes a name"),
        ({"name": "handoff", "to": "x"}, "handoff has no option 'to'"),
    ],
)
def test_a_mistake_is_named_with_what_to_write(spec: Any, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_assertion(spec)
    assert says in str(caught.value)
