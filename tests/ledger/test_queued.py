from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from structlog.testing import capture_logs

from afterturn import failopen
from afterturn.ledger import LogSink, OTelSink, Queued, Sink, dropped, open_sinks, queued
from afterturn.verdicts import Verdict

MakeVerdict = Callable[..., Verdict]


class _Kept:
    """Keeps what it gets; waits at the gate before."""

    name = "kept"

    def __init__(self) -> None:
        self.turns: list[str] = []
        self.batches: list[int] = []
        self.gate = threading.Event()
        self.reached = threading.Event()
        self.closed = 0
        self.raises = False

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        self.reached.set()
        self.gate.wait()
        if self.raises:
            raise RuntimeError("CANARY")
        self.turns += [verdict.turn for verdict in verdicts]
        self.batches.append(len(verdicts))

    def close(self) -> None:
        self.closed += 1


def test_all_that_was_queued_arrives_in_order_before_the_sink_is_closed(verdict: MakeVerdict) -> None:
    sink = _Kept()
    sink.gate.set()
    queue = Queued(sink, batch=7)
    for start in range(0, 100, 10):
        queue.publish([verdict(turn=f"t-{number}") for number in range(start, start + 10)])
    queue.close()
    assert sink.turns == [f"t-{number}" for number in range(100)]
    assert (max(sink.batches) <= 7, sink.closed, queue.dropped) == (True, 1, 0)


def test_a_sink_that_hangs_holds_up_nobody_and_what_it_misses_is_counted_and_told(verdict: MakeVerdict) -> None:
    sink = _Kept()
    queue = Queued(sink, capacity=5, batch=1, drain_s=0.01)
    before = dropped["kept"]
    with capture_logs() as lines:
        queue.publish([verdict()])
        sink.reached.wait()
        for _ in range(4):
            queue.publish([verdict(), verdict()])  # returns, though the sink stands still
        assert (queue.waiting, queue.dropped) == (5, 3)
        queue.close()
    assert (queue.waiting, queue.dropped, dropped["kept"] - before) == (0, 9, 9)  # the one in its hands included
    assert [(line["event"], line["sink"], line["dropped"], line["at"]) for line in lines] == [
        ("afterturn.ledger_dropped", "kept", "1", "full"),
        ("afterturn.ledger_dropped", "kept", "9", "close"),
    ]
    assert sink.closed == 0
    sink.gate.set()


def test_a_sink_that_breaks_costs_its_batch_and_the_next_is_tried(verdict: MakeVerdict) -> None:
    sink = _Kept()
    sink.raises = True
    queue = Queued(sink, drain_s=30)
    before = failopen.counts["ledger.kept"]
    with capture_logs() as lines:
        queue.publish([verdict(), verdict()])
        sink.reached.wait()
        queue.publish([verdict()])
        sink.gate.set()
        queue.close()
    assert (queue.dropped, failopen.counts["ledger.kept"] - before) == (3, 2)
    assert "CANARY" not in repr(lines)


def test_a_closed_queue_opens_again(verdict: MakeVerdict) -> None:
    sink = _Kept()
    sink.gate.set()
    queue = Queued(sink)
    for turn in ("t-1", "t-2"):
        queue.publish([verdict(turn=turn)])
        queue.close()
    assert sink.turns == ["t-1", "t-2"]


def test_only_a_sink_that_may_have_to_wait_gets_a_queue() -> None:
    log, kept = LogSink(), _Kept()
    assert queued(log) is log
    assert isinstance(queued(kept), Queued)
    queue = Queued(kept)
    assert queued(queue) is queue
    assert isinstance(queue, Sink)


def test_sinks_are_opened_by_the_names_of_the_configuration() -> None:
    sinks = open_sinks(("otel", "log", "prometheus", "log"), {})
    assert [(sink.name, type(sink).__name__) for sink in sinks] == [
        ("otel", "Queued"),
        ("log", "LogSink"),
        ("prometheus", "PrometheusSink"),
    ]
    assert OTelSink.name == "otel"
