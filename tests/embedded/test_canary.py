"""No text of a conversation in logs at DEBUG, exceptions, spans or the verdict table, whatever fails."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from canary import CANARY, TURN, marked
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from otlp_receiver import Receiver
from prometheus_client import CollectorRegistry, generate_latest

from afterturn import Message
from afterturn.calls import Answer
from afterturn.judges import Deadline, ModelJudge, Retry, Trace
from afterturn.judges._ladder import forget
from afterturn.ledger import LogSink, OTelSink, PrometheusSink, Queued
from afterturn.testing import ScriptedJudge


def _echo(asked: Any) -> bytes:
    """A provider whose error repeats the whole prompt."""
    raw = json.dumps({"error": {"message": json.dumps(asked.body)}}).encode()
    return b"HTTP/1.1 400 X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(raw) + raw


def _hangs(_: object) -> None:
    """Never answers."""


FAULTS: dict[str, Callable[[Any], Any]] = {
    "echoes in an error": lambda r: _echo,
    "fails with text": lambda r: r.http(500, {"error": marked("server error")}),
    "limits with text": lambda r: r.http(429, {"error": marked("rate limit")}),
    "refuses with text": lambda r: r.chat(None, message={"role": "assistant", "content": None, "refusal": CANARY}),
    "prose": lambda r: r.chat(marked("prose")),
    "bad JSON": lambda r: r.chat('{"title": "' + CANARY),
    "truncated": lambda r: r.chat('{"title": "' + CANARY, finish="length"),
    "wrong types": lambda r: r.chat(
        json.dumps({"title": [CANARY], "categoryNames": CANARY, "safetySignal": CANARY, "scopeDrift": CANARY})
    ),
    "hangs": lambda r: _hangs,
    "resets": lambda r: b"X-Breaks: 1",
    "answers": lambda r: r.chat(
        json.dumps(
            {
                "title": marked("found title"),
                "categoryNames": [marked("category"), CANARY],
                "sourceIds": ["c1"],
                "taskConcluded": True,
                "handoffSummary": marked("summary"),
                "safetySignal": "none",
                "sentiment": 0.0,
                "frustrationTarget": "none",
                "wantsHuman": False,
                "scopeDrift": "none",
            }
        )
    ),
}


def _told(error: BaseException | None) -> str:
    told: list[str] = []
    while error is not None:
        told.append(f"{error!r} {error} {getattr(error, '__notes__', '')}")
        error = error.__cause__ or error.__context__
    return " ".join(told)


async def _no_wait(seconds: float) -> None:
    """Retries at once."""


@pytest.mark.parametrize("fault", FAULTS)
async def test_no_text_reaches_logs_exceptions_spans_sinks_or_verdicts(
    fault: str,
    server: Any,
    replies: Any,
    make_afterturn: Any,
    logged: io.StringIO,
    exporter: InMemorySpanExporter,
    receiver: Receiver,
    tmp_path: Path,
) -> None:
    forget()
    exporter.clear()
    server.says(FAULTS[fault](replies))
    raised: list[BaseException] = []

    class Watched:
        """Keeps what the judge raises, as a host that asks judges itself would see it."""

        def __init__(self, judge: Any) -> None:
            self._judge = judge
            self.name, self.location = judge.name, judge.location

        async def ask(self, call: Any) -> Answer:
            try:
                return await self._judge.ask(call)
            except Exception as error:
                raised.append(error)
                raise

        async def aclose(self) -> None:
            await self._judge.aclose()

    model = ModelJudge("openai:m", base_url=server.base_url, api_key="k")
    judge = Trace(Deadline(Retry(model, wait_s=0, sleep=_no_wait), seconds=0.5 if fault == "hangs" else 20))
    registry = CollectorRegistry()
    queue = Queued(OTelSink(), drain_s=30)
    at = make_afterturn(Watched(judge), sinks=[LogSink(), queue, PrometheusSink(registry=registry)])
    result = await at.classify_async(TURN, store=True)
    await at.classify_async(replace(TURN, id="t-2"))
    queue.close()

    assert CANARY in json.dumps(server.bodies)  # else nothing was at stake
    assert CANARY not in logged.getvalue()
    assert CANARY not in " ".join(map(_told, raised))
    assert exporter.get_finished_spans()
    assert not [span.name for span in exporter.get_finished_spans() if CANARY in span.to_json()]
    assert CANARY not in repr(result.verdicts)
    assert len(result.verdicts) == 6
    assert (len(receiver.events), queue.dropped) == (12, 0)
    assert CANARY.encode() not in b"".join(receiver.bodies)
    assert CANARY.encode() not in generate_latest(registry)
    assert b"afterturn_verdicts_total{" in generate_latest(registry)
    assert CANARY not in _table(tmp_path / "test.db", "judgements")


def _table(database: Path, table: str) -> str:
    with sqlite3.connect(database) as connection:
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()
    connection.close()
    assert rows
    return repr(rows)


async def test_a_bug_with_text_in_its_message_is_logged_without_it(make_afterturn: Any, logged: io.StringIO) -> None:
    at = make_afterturn(ScriptedJudge(ValueError(marked("bug"))))
    result = await at.classify_async(TURN)
    assert {verdict.reason for verdict in result.verdicts} == {"provider_error", "short_reply"}
    assert "ValueError" in logged.getvalue()
    assert CANARY not in logged.getvalue()


def test_the_turn_has_the_canary_in_every_text_field() -> None:
    assert CANARY in TURN.messages[1].text
    marked = {
        field.name for field in fields(Message) if any(CANARY in repr(getattr(m, field.name)) for m in TURN.messages)
    }
    assert marked == {"text", "name", "reasoning", "extra", "tool_calls"}
