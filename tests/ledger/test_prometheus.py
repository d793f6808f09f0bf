from __future__ import annotations

import urllib.request
from collections.abc import Callable

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from afterturn import failopen
from afterturn.errors import ConfigError
from afterturn.ledger import PrometheusSink, Sink, dropped, serve_metrics
from afterturn.ledger._bounded import MOST_CODES
from afterturn.verdicts import Verdict

MakeVerdict = Callable[..., Verdict]


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


def _value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(name, labels)


def test_verdicts_are_counted_by_tenant_classifier_status_label_and_reason(
    registry: CollectorRegistry, verdict: MakeVerdict
) -> None:
    sink = PrometheusSink(registry=registry)
    skip = verdict(status="skipped", label=None, confidence=None, reason="short_reply", latency_ms=0.0)
    sink.publish([verdict(), verdict(turn="t-2", session="s-2"), skip])
    common = {"tenant": "acme", "classifier": "scope_drift"}
    name = "afterturn_verdicts_total"
    assert _value(registry, name, **common, status="finding", label="off_topic", reason="") == 2
    assert _value(registry, name, **common, status="skipped", label="", reason="short_reply") == 1
    assert isinstance(sink, Sink)


def test_latency_is_a_histogram_over_the_verdicts_that_a_call_gave(
    registry: CollectorRegistry, verdict: MakeVerdict
) -> None:
    sink = PrometheusSink(registry=registry)
    sink.publish([verdict(), verdict(latency_ms=300.0), verdict(latency_ms=0.0)])
    name = "afterturn_judge_latency_seconds"
    assert _value(registry, f"{name}_count", classifier="scope_drift") == 2
    assert _value(registry, f"{name}_bucket", classifier="scope_drift", le="0.0025") == 1
    assert _value(registry, f"{name}_bucket", classifier="scope_drift", le="0.5") == 2


def test_no_session_turn_or_agent_is_told(registry: CollectorRegistry, verdict: MakeVerdict) -> None:
    PrometheusSink(registry=registry).publish([verdict(session="s-secret", turn="t-secret", agent="a-secret")])
    assert b"secret" not in generate_latest(registry)


def test_codes_past_the_bound_are_other(registry: CollectorRegistry, verdict: MakeVerdict) -> None:
    sink = PrometheusSink(registry=registry)
    sink.publish([verdict(label=f"code_{number}") for number in range(MOST_CODES + 7)])
    labels = {"tenant": "acme", "classifier": "scope_drift", "status": "finding", "reason": ""}
    assert _value(registry, "afterturn_verdicts_total", **labels, label="other") == 7


def test_two_sinks_count_in_the_same_metrics(registry: CollectorRegistry, verdict: MakeVerdict) -> None:
    PrometheusSink(registry=registry).publish([verdict()])
    PrometheusSink(registry=registry).publish([verdict()])
    labels = {"tenant": "acme", "classifier": "scope_drift", "status": "finding", "label": "off_topic", "reason": ""}
    assert _value(registry, "afterturn_verdicts_total", **labels) == 2


def test_what_was_dropped_and_what_failed_open_is_shown(registry: CollectorRegistry) -> None:
    PrometheusSink(registry=registry)
    dropped["shown"] += 3
    failopen.counts["ledger.shown"] += 1
    assert _value(registry, "afterturn_ledger_dropped_total", sink="shown") == dropped["shown"]
    assert _value(registry, "afterturn_failed_open_total", place="ledger.shown") == failopen.counts["ledger.shown"]


def test_metrics_have_the_names_of_the_host(registry: CollectorRegistry, verdict: MakeVerdict) -> None:
    PrometheusSink(registry=registry, event_names={"afterturn_verdicts": "judged"}).publish([verdict()])
    assert b"\njudged_total{" in generate_latest(registry)
    with pytest.raises(ConfigError, match="event_names: afterturn_verdicts"):
        PrometheusSink(registry=registry, event_names={"afterturn_verdicts": "no name"})


def test_metrics_are_served_on_a_port_of_this_machine(verdict: MakeVerdict) -> None:
    PrometheusSink().publish([verdict(tenant="served")])
    server = serve_metrics(0)
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics") as reply:
        assert b'tenant="served"' in reply.read()
    with pytest.raises(ConfigError, match="give another port"):
        serve_metrics(server.port)
    server.close()
