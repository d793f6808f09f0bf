"""What the database holds is shown at each scrape, cheaply, and never at a turn's expense."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from afterturn import failopen
from afterturn.calibration import Series
from afterturn.calls import Planned
from afterturn.errors import ConfigError, StoreError
from afterturn.ledger import PrometheusSink, StoredVerdicts, stored_verdicts
from afterturn.ledger._bounded import MOST_CODES, MOST_TENANTS
from afterturn.ledger.stored import PAUSES, PLACE
from afterturn.store import open_store
from afterturn.turns import Message, Turn
from afterturn.verdicts import Verdict

MakeVerdict = Callable[..., Verdict]

_STORED, _OPEN, _FAILED = (
    "afterturn_stored_verdicts",
    "afterturn_open_questions",
    "afterturn_stored_scrapes_failed_total",
)


def _series(**fields: str) -> Series:
    values: dict[str, Any] = {
        "tenant": "acme",
        "agent": "support",
        "classifier": "safety",
        "version": "1",
        "status": "finding",
        "label": "self_harm",
        "reason": None,
        "replayed_by": None,
    }
    return Series(**(values | fields))


class Held:
    """Is a store of these counts, which may break, or take its time on a clock of its own."""

    def __init__(self, *totals: tuple[Series, int], takes_s: float = 0.0) -> None:
        self.held = totals
        self.breaks: BaseException | None = None
        self.reads = 0
        self.time_s = 0.0
        self._takes_s = takes_s

    def totals(self) -> tuple[tuple[Series, int], ...]:
        self.reads += 1
        self.time_s += self._takes_s
        if self.breaks is not None:
            raise self.breaks
        return self.held

    def open_questions(self) -> int:
        return 3


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


def _labels(**fields: str) -> dict[str, str]:
    return {
        "tenant": "acme",
        "classifier": "safety",
        "status": "finding",
        "label": "self_harm",
        "reason": "",
    } | fields


def test_what_any_process_stored_is_shown_apart_from_what_this_one_published(
    registry: CollectorRegistry, tmp_path: Path, verdict: MakeVerdict
) -> None:
    PrometheusSink(registry=registry).publish([verdict()])
    with open_store(tmp_path / "a.db") as store, stored_verdicts(store, registry=registry):
        assert registry.get_sample_value(_OPEN) == 0
        with open_store(tmp_path / "a.db") as other:  # as another process would
            asked = Planned(classifier="safety", version="1", metric="m", judge="encoder", plan="")
            skipped = Planned(classifier="sources", version="1", metric="m", judge="", plan="", skip="no_reply")
            said = (Message(role="user", text="Where is my parcel?"),)
            other.add_turn(Turn(messages=said, tenant="acme", session="s", id="t"), [asked, skipped])
        skips = _labels(classifier="sources", status="skipped", label="", reason="no_reply")
        assert registry.get_sample_value(_STORED, skips) == 1
        assert registry.get_sample_value(_OPEN) == 1
    text = generate_latest(registry)
    assert b"afterturn_verdicts_total{" in text
    assert _STORED.encode() not in text  # a closed store is shown no more


def test_agents_and_versions_are_summed_and_labels_are_bounded(registry: CollectorRegistry) -> None:
    tenants = [(_series(tenant=f"t-{number}"), 1) for number in range(MOST_TENANTS + 4)]
    codes = [(_series(tenant="t-0", classifier="own", label=f"code_{n}"), 2) for n in range(MOST_CODES + 3)]
    held = Held(*tenants, (_series(tenant="t-0", agent="b"), 5), (_series(tenant="t-0", version="2"), 7), *codes)
    with stored_verdicts(held, registry=registry):
        assert registry.get_sample_value(_STORED, _labels(tenant="t-0")) == 13
        assert registry.get_sample_value(_STORED, _labels(tenant="other")) == 4
        assert registry.get_sample_value(_STORED, _labels(tenant="t-0", classifier="own", label="other")) == 6
        assert b"support" not in generate_latest(registry)


def test_a_scrape_that_cannot_read_is_counted_and_shows_no_stale_figures(registry: CollectorRegistry) -> None:
    held, before = Held((_series(), 1)), failopen.counts[PLACE]
    with stored_verdicts(held, registry=registry):
        assert registry.get_sample_value(_FAILED) == 0
        held.breaks = StoreError("locked for sure", code="busy")
        text = generate_latest(registry).decode()
        assert f"{_FAILED} 1.0" in text
        assert f"\n{_STORED}{{" not in text
        assert f"\n{_OPEN} " not in text
        held.breaks = None
        assert registry.get_sample_value(_STORED, _labels()) == 1
    assert failopen.counts[PLACE] == before + 1


def test_a_large_database_is_read_for_a_twentieth_of_the_time() -> None:
    held = Held((_series(), 1), takes_s=2.0)
    collector = StoredVerdicts(held, clock=lambda: held.time_s, cpu=lambda: held.time_s)

    def shown() -> float:
        (stored, *_) = collector.collect()
        return stored.samples[0].value

    assert shown() == 1
    held.held = ((_series(), 9),)
    held.time_s += 2 * PAUSES - 0.1
    assert (shown(), held.reads) == (1, 1)
    held.time_s += 0.2
    assert (shown(), held.reads) == (9, 2)


def test_metrics_have_the_names_of_the_host_and_stand_once_in_a_registry(registry: CollectorRegistry) -> None:
    with stored_verdicts(Held((_series(), 1)), event_names={_STORED: "held"}, registry=registry):
        assert registry.get_sample_value("held", _labels()) == 1
        with (
            pytest.raises(ConfigError, match="shown already"),
            stored_verdicts(Held(), event_names={_STORED: "held"}, registry=registry),
        ):
            pass
    with pytest.raises(ConfigError, match=f"event_names: {_OPEN}"):
        StoredVerdicts(Held(), event_names={_OPEN: "no name"})
