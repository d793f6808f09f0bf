from __future__ import annotations

from collections.abc import Callable

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from otlp_receiver import Receiver

from afterturn.errors import OutputError
from afterturn.ledger import OTelSink, Queued, Sink
from afterturn.verdicts import Verdict

MakeVerdict = Callable[..., Verdict]


def test_a_collector_receives_each_verdict_as_an_evaluation_result(receiver: Receiver, verdict: MakeVerdict) -> None:
    sink = OTelSink()
    sink.publish([verdict(), verdict(turn="t-2", status="no_finding", label=None, reason="unsure", confidence=None)])
    sink.close()
    assert (len(receiver.bodies), receiver.paths) == (1, ["/v1/logs"])  # a batch is one request
    first, second = receiver.events
    assert (first.name, first.scope, first.resource["service.name"]) == (
        "gen_ai.evaluation.result",
        "afterturn",
        "afterturn",
    )
    assert first.time_unix_nano == 1_796_040_000_000_000_000
    assert first.attributes == {
        "gen_ai.evaluation.name": "scope_drift",
        "gen_ai.evaluation.score.value": 91.0,
        "gen_ai.evaluation.score.label": "off_topic",
        "gen_ai.response.id": "t-1",
        "afterturn.tenant": "acme",
        "afterturn.agent": "support",
        "afterturn.session": "s-1",
        "afterturn.classifier": "scope_drift",
        "afterturn.classifier.version": "2",
        "afterturn.plan": "0" * 16,
        "afterturn.verdict.status": "finding",
        "afterturn.verdict.confidence_source": "encoder",
        "afterturn.verdict.attempt": 1,
        "afterturn.judge": "encoder",
        "afterturn.judge.latency_ms": 2.5,
    }
    assert second.attributes["gen_ai.evaluation.score.label"] == "no_finding"
    assert "gen_ai.evaluation.score.value" not in second.attributes
    assert second.attributes["afterturn.verdict.reason"] == "unsure"


def test_an_error_has_a_type_and_neither_it_nor_a_skip_has_a_score(receiver: Receiver, verdict: MakeVerdict) -> None:
    sink = OTelSink()
    none = {"label": None, "confidence": None, "confidence_source": None}
    sink.publish(
        [verdict(status="error", reason="timeout", **none), verdict(status="skipped", reason="no_head", **none)]
    )
    sink.close()
    error, skip = (event.attributes for event in receiver.events)
    assert (error["error.type"], error["afterturn.verdict.status"]) == ("timeout", "error")
    assert (skip.get("error.type"), skip["afterturn.verdict.reason"]) == (None, "no_head")
    assert [key for key in (*error, *skip) if "score" in key or "explanation" in key] == []


def test_event_and_evaluation_have_the_names_of_the_host(receiver: Receiver, verdict: MakeVerdict) -> None:
    sink = OTelSink(event_names={"gen_ai.evaluation.result": "judged", "agent.scope_drift.verdict": "left_scope"})
    sink.publish([verdict()])
    sink.close()
    (event,) = receiver.events
    assert (event.name, event.attributes["gen_ai.evaluation.name"]) == ("judged", "left_scope")


def test_the_service_has_the_name_of_the_environment(
    receiver: Receiver, verdict: MakeVerdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "desk")
    sink = OTelSink()
    sink.publish([verdict()])
    sink.close()
    assert receiver.events[0].resource["service.name"] == "desk"


def test_the_events_go_through_the_hosts_provider_where_there_is_one(receiver: Receiver, verdict: MakeVerdict) -> None:
    kept = InMemoryLogRecordExporter()
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(SimpleLogRecordProcessor(kept))
    sink = OTelSink(provider=provider)
    sink.publish([verdict()])
    sink.close()
    (record,) = kept.get_finished_logs()
    assert record.log_record.event_name == "gen_ai.evaluation.result"
    assert receiver.bodies == []
    provider.shutdown()


def test_a_collector_that_refuses_is_an_error_which_the_queue_counts(receiver: Receiver, verdict: MakeVerdict) -> None:
    receiver.status = 400  # not to be tried again
    sink = OTelSink()
    with pytest.raises(OutputError, match="none of 1 verdicts"):
        sink.publish([verdict()])
    sink.close()
    queue = Queued(OTelSink(), drain_s=30)
    queue.publish([verdict(), verdict()])
    queue.close()
    assert queue.dropped == 2


def test_a_closed_sink_opens_again(receiver: Receiver, verdict: MakeVerdict) -> None:
    sink = OTelSink()
    for _ in range(2):
        sink.publish([verdict()])
        sink.close()
    assert len(receiver.events) == 2
    assert isinstance(sink, Sink)
