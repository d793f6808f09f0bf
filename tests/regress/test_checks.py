"""What each check of the regression suites says of what was seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from afterturn.errors import UsageError
from afterturn.regress import CHECKS, Check, ModelReport, RegressReport, Seen, load_suites
from afterturn.regress._checks import checked
from afterturn.store import events
from afterturn.turns import JsonValue

GOOD = Seen(
    shown="You get 27 days.",
    stored="You get 27 days.",
    sources=(("c1", "cited"),),
    title="Paid leave",
    categories=("HR",),
    verdicts={"conversation": [("finding", None)], "sources": [("skipped", "cited")]},
    events={events.SOURCES_CITED: 1, events.SESSION_TITLE: 1, events.SESSION_CATEGORIES: 1},
    judge_calls=1,
)
ARGUMENTS: dict[str, JsonValue] = {
    "grounded": ["27"],
    "relevant_source": ["c1", "c2"],
    "expected_category": ["HR"],
}


def check(name: str, seen: Seen) -> tuple[str, str | None]:
    found = checked("rag", 1, name, ARGUMENTS.get(name, True), seen, ("HR", "IT"))
    return found.state, found.reason


def test_a_good_turn_passes_every_check_but_that_it_has_no_title() -> None:
    found = {name: check(name, GOOD) for name in CHECKS}
    assert {name for name, (state, _) in found.items() if state != "pass"} == {"no_title"}
    assert found["no_title"] == ("fail", "title")


@pytest.mark.parametrize(
    ("name", "seen", "reason"),
    [
        ("grounded", replace(GOOD, shown="You get 270 days."), "not_in_answer"),
        ("no_marker", replace(GOOD, shown="27 [c1].", stored="27 [c1]."), "marker_left"),
        ("no_marker", replace(GOOD, shown="27 [ C1; c2", stored="27 [ C1; c2"), "marker_left"),
        ("no_marker", replace(GOOD, stored="27 days."), "stored_differs"),
        ("relevant_source", replace(GOOD, sources=(("c7", "cited"),)), "no_relevant_source"),
        ("sources_once", replace(GOOD, events={}), "not_once"),
        ("sources_once", replace(GOOD, events={events.SOURCES_CITED: 1, events.SOURCES_ATTRIBUTED: 1}), "not_once"),
        ("metadata_once", replace(GOOD, events={**GOOD.events, events.SESSION_TITLE: 2}), "not_once"),
        ("metadata_once", replace(GOOD, categories=()), "not_once"),
        ("one_classification", replace(GOOD, judge_calls=2), "not_one"),
        ("categories_in_list", replace(GOOD, categories=("HR", "Other")), "outside_list"),
        ("expected_category", replace(GOOD, categories=("IT",)), "other_category"),
        ("expected_category", replace(GOOD, categories=("IT", "HR")), "whole_list"),
        ("title", replace(GOOD, title=None), "no_title"),
    ],
)
def test_what_does_not_hold_fails_with_a_reason(name: str, seen: Seen, reason: str) -> None:
    assert check(name, seen) == ("fail", reason)


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_an_unanswered_turn_passes_no_check(name: str) -> None:
    assert check(name, Seen(error="rate_limited")) == ("error", "rate_limited")


@pytest.mark.parametrize(
    "name", ["metadata_once", "one_classification", "categories_in_list", "expected_category", "title", "no_title"]
)
def test_a_classification_that_failed_passes_nothing_that_rests_on_it(name: str) -> None:
    failed = replace(GOOD, title=None, verdicts={"conversation": [("error", "invalid_json")]})
    assert check(name, failed) == ("error", "invalid_json")


def test_inline_citations_need_no_judge_but_attribution_does() -> None:
    broken = {"conversation": [("error", "timeout")], "sources": [("error", "timeout")]}
    assert check("relevant_source", replace(GOOD, verdicts=broken)) == ("pass", None)
    assert check("relevant_source", replace(GOOD, verdicts=broken, sources=())) == ("error", "timeout")
    assert check("sources_once", replace(GOOD, verdicts=broken, sources=(), events={})) == ("error", "timeout")


@pytest.mark.parametrize(
    ("states", "exit_code"),
    [(["pass"], 0), (["pass", "fail", "error"], 1), (["pass", "error"], 3), (["error"], 3), ([], 3)],
)
def test_only_a_report_in_which_everything_passed_ends_with_zero(states: list[str], exit_code: int) -> None:
    checks = tuple(Check(suite="rag", turn=1, name="title", state=state) for state in states)  # pyright: ignore[reportArgumentType]
    report = RegressReport(suites=("rag",), models=(ModelReport(model="a", judge="a", checks=checks, turns=()),))
    assert report.exit_code == exit_code


def test_every_check_of_every_suite_exists_and_every_suite_keeps_the_notice_of_its_source() -> None:
    suites = load_suites()
    assert [suite.name for suite in suites] == ["rag", "large_prompt"]
    named = {name for suite in suites for turn in suite.turns for name in turn.checks}
    assert named == set(CHECKS)
    with pytest.raises(UsageError, match="there are rag, large_prompt"):
        load_suites(["RAG"])
