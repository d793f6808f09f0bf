"""What verdicts lead to is decided in a trail that only grows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from afterturn.calibration import ModeRule, RuleMode
from afterturn.errors import UsageError
from afterturn.store import Evidence, Store, _modes, open_store

_PROOF = Evidence(digest="ab" * 32, figures={"threshold": 80, "labels": {"used": 300}})


def _rule(mode: RuleMode, threshold: int | None = None, tenant: str | None = None) -> ModeRule:
    return ModeRule(classifier="safety", tenant=tenant, mode=mode, threshold=threshold)


def test_every_decision_stays_with_who_when_from_what_and_on_what_evidence(
    store: Store, time: list[datetime], pass_s: Callable[[float], None]
) -> None:
    first_at = time[0]
    store.modes.set(_rule("advise", 70), by="anna")
    pass_s(3600)
    store.modes.set(_rule("enforce", 80), by="ben", evidence=_PROOF)
    store.modes.set(_rule("shadow", tenant="acme"), by="ben")
    first, second, third = store.modes.history()
    assert (first.rule, first.before, first.by, first.at) == (_rule("advise", 70), None, "anna", first_at)
    assert (second.rule, second.before, second.evidence) == (_rule("enforce", 80), _rule("advise", 70), _PROOF)
    assert (second.at, second.without_evidence) == (time[0], False)
    assert (third.before, third.evidence) == (None, None)
    assert store.modes.history(tenant="acme") == (third,)
    assert [change.rule for change in store.modes.rules()] == [second.rule, third.rule]


def test_enforce_without_evidence_is_said_and_recorded(store: Store) -> None:
    with pytest.raises(UsageError, match="enforce needs evidence"):
        store.modes.set(_rule("enforce"), by="anna")
    assert store.modes.history() == ()
    change = store.modes.set(_rule("enforce"), by="anna", without_evidence=True)
    assert (change.without_evidence, change.evidence) == (True, None)
    assert store.modes.history() == (change,)


def test_a_decision_that_was_taken_back_holds_no_longer_and_stays_in_the_trail(store: Store) -> None:
    store.modes.set(_rule("enforce"), by="anna", without_evidence=True)
    store.modes.set(_rule("inherit"), by="ben")
    assert store.modes.rules() == ()
    assert [change.rule.mode for change in store.modes.history()] == ["enforce", "inherit"]


def test_what_holds_is_seen_at_once_here_and_after_a_moment_in_other_processes(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("afterturn.store._modes.time.monotonic", lambda: now[0])
    with open_store(path) as other:
        assert other.modes.current().of("acme", "support", "safety") is None
        store.modes.set(_rule("advise"), by="anna")
        assert store.modes.current().of("acme", "support", "safety") == _rule("advise")
        assert other.modes.current().of("acme", "support", "safety") is None
        now[0] += _modes.READ_AGAIN_S
        assert other.modes.current().of("acme", "support", "safety") == _rule("advise")


def test_where_the_rules_cannot_be_read_the_last_known_ones_hold(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.modes.set(_rule("advise"), by="anna")
    assert store.modes.current().of("acme", "support", "safety") == _rule("advise")
    monkeypatch.setattr(_modes, "READ_AGAIN_S", 0)
    with sqlite3.connect(path) as raw:
        raw.execute("ALTER TABLE modes RENAME TO lost")
    raw.close()
    with capture_logs() as lines:
        assert store.modes.current().of("acme", "support", "safety") == _rule("advise")
    assert [line["place"] for line in lines] == ["store.modes"]
