"""What goes over the wire to a collector is OTLP, and says what the semantic conventions ask of an evaluation result.

The event `gen_ai.evaluation.result` has a name (required), a score's value and label (where there is a score), the
error's type (where it failed) and the response's id (since the span of the response is not at hand). An explanation is
only recommended there, and would be text of a conversation: it is never sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.semconv._incubating.attributes import (  # pyright: ignore[reportMissingTypeStubs]
    gen_ai_attributes as conventions,
)
from opentelemetry.semconv.attributes import error_attributes
from otlp_receiver import Receiver

from afterturn import Afterturn, Message, Turn
from afterturn.config import Config
from afterturn.ledger import OTelSink
from afterturn.ledger import _names as names
from afterturn.testing import ScriptedJudge
from afterturn.verdicts import Verdict

MakeVerdict = Callable[..., Verdict]

_NO_ANSWER: dict[str, Any] = {"label": None, "confidence": None, "confidence_source": None}
_OF_AN_EVALUATION = {
    conventions.GEN_AI_EVALUATION_NAME: "string_value",
    conventions.GEN_AI_EVALUATION_SCORE_VALUE: "double_value",
    conventions.GEN_AI_EVALUATION_SCORE_LABEL: "string_value",
    conventions.GEN_AI_RESPONSE_ID: "string_value",
    error_attributes.ERROR_TYPE: "string_value",
}


def _sent(receiver: Receiver, *verdicts: Verdict) -> list[LogRecord]:
    sink = OTelSink()
    sink.publish(verdicts)
    sink.close()
    (request,) = receiver.requests
    (resource,) = request.resource_logs
    (scope,) = resource.scope_logs
    return list(scope.log_records)


def _kinds(record: LogRecord) -> dict[str, str | None]:
    return {one.key: one.value.WhichOneof("value") for one in record.attributes}


def test_the_names_are_those_of_the_semantic_conventions() -> None:
    assert names.EVALUATION_RESULT == "gen_ai.evaluation.result"
    ours = {
        names.EVALUATION_NAME,
        names.SCORE_VALUE,
        names.SCORE_LABEL,
        names.RESPONSE_ID,
        names.ERROR_TYPE,
    }
    assert ours == set(_OF_AN_EVALUATION)


def test_every_attribute_has_the_type_that_the_conventions_give_it(receiver: Receiver, verdict: MakeVerdict) -> None:
    answer, error = _sent(receiver, verdict(), verdict(status="error", reason="timeout", **_NO_ANSWER))
    expected = dict(_OF_AN_EVALUATION)
    assert {key: kind for key, kind in _kinds(answer).items() if key in expected} == {
        key: kind for key, kind in expected.items() if key != error_attributes.ERROR_TYPE
    }
    assert _kinds(error)[error_attributes.ERROR_TYPE] == "string_value"


def test_what_the_conventions_do_not_know_is_in_our_own_namespace(receiver: Receiver, verdict: MakeVerdict) -> None:
    records = _sent(receiver, verdict(), verdict(status="error", reason="timeout", **_NO_ANSWER))
    others = {key for record in records for key in _kinds(record)} - set(_OF_AN_EVALUATION)
    assert [key for key in others if not key.startswith("afterturn.")] == []
    assert conventions.GEN_AI_EVALUATION_EXPLANATION not in others


def test_an_event_is_a_log_record_with_a_name_and_without_a_body(receiver: Receiver, verdict: MakeVerdict) -> None:
    (record,) = _sent(receiver, verdict())
    assert record.event_name == "gen_ai.evaluation.result"
    assert record.body.WhichOneof("value") is None
    assert (record.severity_number, record.severity_text) == (9, "INFO")
    assert record.observed_time_unix_nano >= record.time_unix_nano > 0
    assert (record.trace_id, record.span_id) == (b"", b"")  # so the response is named by its id


def test_a_collector_may_ask_for_a_key_and_for_compressed_requests(
    receiver: Receiver, verdict: MakeVerdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=k-1")
    assert len(_sent(receiver, verdict(), verdict())) == 2
    (headers,) = receiver.headers
    assert (headers["content-type"], headers["content-encoding"], headers["x-key"]) == (
        "application/x-protobuf",
        "gzip",
        "k-1",
    )


async def test_all_verdicts_of_a_turn_reach_the_collector_of_a_configured_host(
    receiver: Receiver, tmp_path: Any
) -> None:
    config = Config.model_validate({"db": str(tmp_path / "a.db"), "sinks": ["otel"], "judge": "j"})
    said = (Message(role="user", text="Hello"), Message(role="assistant", text="Hello, how can I help you today?"))
    async with Afterturn(config=config, open_judge=_opened) as at:
        turn = Turn(messages=said, tenant="acme", session="s", id="t-9")
        await at.classify_async(turn, store=True)
        stored = {(one.turn, one.classifier) for one in at.store.verdicts()}
    told = {(event.attributes[names.RESPONSE_ID], event.attributes[names.EVALUATION_NAME]) for event in receiver.events}
    assert told == stored
    assert len(receiver.events) == len(stored) == 6


def _opened(name: str) -> ScriptedJudge:
    return ScriptedJudge({}, name=name)
