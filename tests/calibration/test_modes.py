from __future__ import annotations

import pytest

from afterturn.calibration import ModeRule, Modes

_ALL = ModeRule(classifier="safety", mode="shadow")
_TENANT = ModeRule(classifier="safety", tenant="acme", mode="advise", threshold=80)
_AGENT = ModeRule(classifier="safety", tenant="acme", agent="support", mode="enforce", threshold=90)


@pytest.mark.parametrize(
    ("tenant", "agent", "classifier", "rule"),
    [
        ("acme", "support", "safety", _AGENT),
        ("acme", "sales", "safety", _TENANT),
        ("other", "support", "safety", _ALL),
        ("acme", "support", "scope_drift", None),
    ],
)
def test_the_most_special_rule_decides(tenant: str, agent: str, classifier: str, rule: ModeRule | None) -> None:
    assert Modes([_ALL, _TENANT, _AGENT]).of(tenant, agent, classifier) == rule


def test_a_rule_that_was_taken_back_lets_the_next_one_hold() -> None:
    back = ModeRule(classifier="safety", tenant="acme", agent="support", mode="inherit")
    assert Modes([_TENANT, back]).of("acme", "support", "safety") == _TENANT


@pytest.mark.parametrize(
    ("rule", "status", "confidence", "version", "reached"),
    [
        (_ALL, "finding", None, "1", True),
        (_ALL, "no_finding", 10, "1", False),
        (_TENANT, "finding", 80, "1", True),
        (_TENANT, "finding", 79, "1", False),
        (_TENANT, "finding", None, "1", False),
        (_TENANT, "skipped", None, "1", False),
        (ModeRule(classifier="safety", mode="advise", threshold=40), "no_finding", 60, "1", True),
        (ModeRule(classifier="safety", mode="advise", version="1"), "finding", 99, "2", False),
    ],
)
def test_a_verdict_counts_from_its_score_on_and_only_of_the_version_it_was_chosen_for(
    rule: ModeRule, status: str, confidence: int | None, version: str, reached: bool
) -> None:
    assert rule.reached(status, confidence, version=version) is reached


def test_what_means_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="1 to 100"):
        ModeRule(classifier="safety", mode="advise", threshold=0)
    with pytest.raises(ValueError, match="give the tenant"):
        ModeRule(classifier="safety", mode="advise", agent="support")
