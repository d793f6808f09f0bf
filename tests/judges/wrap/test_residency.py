from __future__ import annotations

import pytest

from afterturn.calls import Location
from afterturn.judges import Residency, allows
from afterturn.testing import ScriptedJudge


@pytest.mark.parametrize(
    ("rule", "name", "location", "allowed"),
    [
        (Residency(), "openai:m", "remote", True),
        (Residency(local_only=True), "openai:m", "remote", False),
        (Residency(local_only=True), "openai:m", "local", True),
        (Residency(local_only=True), "encoder", "local", True),
        (Residency(local_only=True, providers=frozenset({"openai"})), "openai:m", "remote", False),
        (Residency(providers=frozenset({"openai"})), "openai:m", "remote", True),
        (Residency(providers=frozenset({"openai:m"})), "openai:m", "remote", True),
        (Residency(providers=frozenset({"openai:other"})), "openai:m", "remote", False),
        (Residency(providers=frozenset({"anthropic"})), "openai:m", "remote", False),
        (Residency(providers=frozenset()), "openai:m", "remote", False),
        (Residency(providers=frozenset()), "encoder", "local", True),
        (Residency(providers=frozenset({"open"})), "openai:m", "remote", False),
    ],
)
def test_place_and_name_decide_who_may_be_asked(rule: Residency, name: str, location: Location, allowed: bool) -> None:
    judge = ScriptedJudge({}, name=name, location=location)
    assert allows(rule, judge) is allowed
    assert judge.calls == []
