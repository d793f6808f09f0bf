from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from structlog.testing import capture_logs

from afterturn import failopen
from afterturn.ledger import LogSink, Sink, publish
from afterturn.verdicts import Verdict


def _verdict(**fields: Any) -> Verdict:
    values: dict[str, Any] = {
        "tenant": "acme",
        "agent": "support",
        "session": "s-1",
        "turn": "t-1",
        "classifier": "safety",
        "version": "1",
        "plan": "0" * 16,
        "metric": "agent.safety.verdict",
        "status": "no_finding",
        "judge": "encoder",
        "latency_ms": 2.5,
        "created_at": datetime(2026, 11, 30, tzinfo=UTC),
    }
    return Verdict(**(values | fields))


_IDS = {
    "tenant": "acme",
    "agent": "support",
    "session": "s-1",
    "turn": "t-1",
    "classifier": "safety",
    "version": "1",
    "judge": "encoder",
}


class _Broken:
    name = "broken"

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        raise RuntimeError("CANARY")


class _Kept:
    name = "kept"

    def __init__(self) -> None:
        self.verdicts: list[Verdict] = []

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        self.verdicts += verdicts


def test_every_verdict_is_one_info_line_under_its_metric() -> None:
    with capture_logs() as lines:
        publish([_verdict(), _verdict(status="skipped", reason="greeting", latency_ms=0.0)], [LogSink()])
    common = {"log_level": "info", "event": "agent.safety.verdict", "confidence": None, "label": None, "attempt": 1}
    assert lines == [
        {**common, **_IDS, "verdict": "no_finding", "reason": None, "latency_ms": 2.5},
        {**common, **_IDS, "verdict": "skipped", "reason": "greeting", "latency_ms": 0.0},
    ]


@pytest.mark.parametrize(
    ("classifier", "metric", "field"),
    [
        ("injection_classifier", "agent.injection_classifier.verdict", "category"),
        ("ai_frustration", "agent.ai_frustration.verdict", "target"),
        ("scope_drift", "agent.scope_drift.verdict", "label"),
    ],
)
def test_a_label_stands_under_the_name_that_operators_know(classifier: str, metric: str, field: str) -> None:
    verdict = _verdict(classifier=classifier, metric=metric, status="finding", label="persona", confidence=91)
    with capture_logs() as lines:
        publish([verdict], [LogSink()])
    (line,) = lines
    assert (line["event"], line[field], line["confidence"], line["verdict"]) == (metric, "persona", 91, "finding")


def test_an_error_has_a_line_of_its_own_beside_its_verdict() -> None:
    with capture_logs() as lines:
        publish([_verdict(status="error", reason="rate_limited")], [LogSink()])
    error, info = lines
    assert error == {
        "log_level": "error",
        "event": "agent.judgement.failed",
        "error": "RateLimitedError",
        "code": "rate_limited",
        **_IDS,
    }
    assert (info["log_level"], info["verdict"], info["reason"]) == ("info", "error", "rate_limited")


def test_metrics_are_logged_under_the_names_of_the_host() -> None:
    names = {"agent.safety.verdict": "safety_seen", "agent.judgement.failed": "judge_down"}
    with capture_logs() as lines:
        publish([_verdict(status="error", reason="timeout")], [LogSink(event_names=names)])
    assert [line["event"] for line in lines] == ["judge_down", "safety_seen"]


def test_a_sink_that_breaks_costs_its_own_lines_only() -> None:
    kept = _Kept()
    before = failopen.counts["ledger.broken"]
    with capture_logs() as lines:
        publish([_verdict()], [_Broken(), kept])
    assert kept.verdicts == [_verdict()]
    assert failopen.counts["ledger.broken"] == before + 1
    assert [(line["place"], line["error"]) for line in lines] == [("ledger.broken", "RuntimeError")]


def test_no_verdicts_are_no_call() -> None:
    with capture_logs() as logged:
        publish([], [_Broken()])
    assert logged == []  # a call would have broken, and said so


def test_without_structlog_configured_the_lines_go_to_the_standard_library(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.INFO, "afterturn.ledger"):
        publish([_verdict()], [LogSink()])
    (record,) = caplog.records
    line = json.loads(record.getMessage())
    assert (record.levelno, line["event"], line["verdict"]) == (logging.INFO, "agent.safety.verdict", "no_finding")
    assert capsys.readouterr().out == ""  # a host's standard output is its own


def test_the_log_is_a_sink() -> None:
    assert isinstance(LogSink(), Sink)
