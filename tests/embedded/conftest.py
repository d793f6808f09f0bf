"""A library on a database of its own, with the judge that a test gives it."""

from __future__ import annotations

import io
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from otlp_receiver import Receiver, receiving

from afterturn import Afterturn, Agent, Tool
from afterturn.calls import Judge
from afterturn.config import Config

MakeAfterturn = Callable[..., Afterturn]

AGENT = Agent(
    "support", instructions="You help.", categories=("Leave", "IT"), parent="desk", tools=(Tool(name="search"),)
)


@pytest.fixture
def agent() -> Agent:
    return AGENT


@pytest.fixture
async def make_afterturn(tmp_path: Path) -> AsyncIterator[MakeAfterturn]:
    opened: list[Afterturn] = []

    def make(judge: Judge | None = None, **options: Any) -> Afterturn:
        settings = {"db": str(tmp_path / "test.db"), "judge": "scripted" if judge else None, "retry_s": 0}
        settings |= options.pop("config", {})

        def opener(name: str) -> Judge:
            assert judge is not None
            return judge

        at = Afterturn(config=Config.model_validate(settings), open_judge=opener if judge else None, **options)
        opened.append(at)
        return at

    yield make
    for at in opened:
        await at.aclose()


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """Everything that anybody logs, from DEBUG on, through structlog and the standard library."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s %(exc_text)s %(args)s"))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        logger_factory=structlog.PrintLoggerFactory(file=stream),  # pyright: ignore[reportArgumentType]
    )
    yield stream
    root.removeHandler(handler)
    root.setLevel(before)


@pytest.fixture(scope="session")
def exporter() -> InMemorySpanExporter:
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    return spans


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with receiving() as opened:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", opened.endpoint)
        yield opened
