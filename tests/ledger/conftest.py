"""A verdict to publish, and a receiver of what is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from otlp_receiver import Receiver, receiving

from afterturn.verdicts import Verdict


@pytest.fixture
def verdict() -> Callable[..., Verdict]:
    def made(**fields: Any) -> Verdict:
        values: dict[str, Any] = {
            "tenant": "acme",
            "agent": "support",
            "session": "s-1",
            "turn": "t-1",
            "classifier": "scope_drift",
            "version": "2",
            "plan": "0" * 16,
            "metric": "agent.scope_drift.verdict",
            "status": "finding",
            "label": "off_topic",
            "confidence": 91,
            "confidence_source": "encoder",
            "judge": "encoder",
            "latency_ms": 2.5,
            "created_at": datetime(2026, 11, 30, 12, tzinfo=UTC),
        }
        return Verdict(**(values | fields))

    return made


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with receiving() as opened:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", opened.endpoint)
        yield opened
