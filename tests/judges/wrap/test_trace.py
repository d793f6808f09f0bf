from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from afterturn.calls import Answer
from afterturn.errors import RefusedError
from afterturn.judges import Trace
from afterturn.testing import CANARY, HANG, ScriptedJudge, Step, sample_call
from afterturn.verdicts import JudgeParams, Usage

IDS = {
    "afterturn.judge": "scripted",
    "afterturn.judge.location": "local",
    "afterturn.view": "exchange",
    "afterturn.plan": "0123456789abcdef",
    "afterturn.tenant": "default",
    "afterturn.agent": "default",
    "afterturn.session": "s-1",
    "afterturn.turn": "t-1",
    "afterturn.classifiers": ("sample",),
}


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


def only(spans: InMemorySpanExporter) -> ReadableSpan:
    (span,) = spans.get_finished_spans()
    return span


async def test_a_span_has_ids_enums_and_numbers(spans: InMemorySpanExporter) -> None:
    answer = Answer(
        values={"title": CANARY},
        usage=Usage(input_tokens=3, output_tokens=4),
        params=JudgeParams(temperature=0.0, max_tokens=50, response_format="json_schema"),
    )
    assert await Trace(ScriptedJudge(answer)).ask(sample_call()) is answer
    span = only(spans)
    assert span.name == "afterturn.judge"
    assert dict(span.attributes or {}) == {
        **IDS,
        "afterturn.response_format": "json_schema",
        "afterturn.temperature": 0.0,
        "afterturn.max_tokens": 50,
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.usage.output_tokens": 4,
        "afterturn.unsure": 0,
    }
    assert CANARY not in span.to_json()


@pytest.mark.parametrize(
    ("error", "attributes"),
    [
        (RefusedError(CANARY), {"error.type": "RefusedError", "afterturn.error.code": "refusal"}),
        (ValueError(CANARY), {"error.type": "ValueError"}),
    ],
)
async def test_an_error_leaves_its_class_and_code_and_no_message(
    spans: InMemorySpanExporter, error: Exception, attributes: dict[str, str]
) -> None:
    with pytest.raises(type(error)):
        await Trace(ScriptedJudge(error)).ask(sample_call())
    span = only(spans)
    assert dict(span.attributes or {}) == {**IDS, **attributes}
    assert span.status.status_code is trace.StatusCode.ERROR
    assert span.status.description is None
    assert span.events == ()
    assert CANARY not in span.to_json()


async def test_a_cancelled_call_is_no_failure_of_the_judge(spans: InMemorySpanExporter) -> None:
    judge = ScriptedJudge(HANG)
    task = asyncio.ensure_future(Trace(judge).ask(sample_call()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    span = only(spans)
    assert span.status.status_code is trace.StatusCode.UNSET
    assert (span.attributes or {})["error.type"] == "CancelledError"


@pytest.mark.parametrize("step", [Answer(values={"late": True}), RefusedError()])
async def test_without_an_sdk_nothing_changes(step: Step) -> None:
    judge = Trace(ScriptedJudge(step))
    if isinstance(step, Answer):
        assert await judge.ask(sample_call()) is step
    else:
        with pytest.raises(RefusedError):
            await judge.ask(sample_call())
