"""Puts a bounded queue before a sink, so that a slow or broken one never holds up a turn."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Sequence
from typing import Final

from afterturn import failopen
from afterturn.ledger._names import LOG_DROPPED
from afterturn.ledger._sinks import Sink
from afterturn.verdicts import Verdict

dropped: Counter[str] = Counter()
"""How many verdicts each sink did not get since the process started, by the sink's name."""

CAPACITY: Final = 10_000
BATCH: Final = 500


class Queued:
    """Is a sink with a queue and a thread before it.

    `publish` returns at once. Where the queue is full the newest verdicts are dropped; where the sink raises, the batch
    that it had is. Both are counted in `dropped`, here and for the process, and logged: the first of each shortage as
    it happens, the sum at the end. The verdicts in the database miss nothing.

    Args:
        sink: The sink.
        capacity: How many verdicts may wait.
        batch: How many the sink gets at once, at most.
        drain_s: How long `close` waits for the sink to take what still waits.

    Example:
        >>> class Counting:
        ...     name, seen = "counting", 0
        ...     def publish(self, verdicts):
        ...         self.seen += len(verdicts)
        >>> sink = Queued(Counting())
        >>> sink.publish([]), sink.close(), sink.dropped
        (None, None, 0)
    """

    immediate = True

    def __init__(self, sink: Sink, *, capacity: int = CAPACITY, batch: int = BATCH, drain_s: float = 5.0) -> None:
        self._sink = sink
        self._capacity = capacity
        self._batch = batch
        self._drain_s = drain_s
        self._waiting: deque[Verdict] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closing = False
        self._full = False
        self._in_hand = 0
        self.dropped = 0

    @property
    def name(self) -> str:
        """The sink's name."""
        return self._sink.name

    @property
    def waiting(self) -> int:
        """How many verdicts wait."""
        return len(self._waiting)

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        """Queues verdicts, as many as there is room for, and counts the others."""
        with self._changed:
            taken = verdicts[: max(0, self._capacity - len(self._waiting))]
            self._waiting.extend(taken)
            if taken and self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"afterturn-{self.name}", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            short, first = len(verdicts) - len(taken), not self._full
            self._full = short > 0
        if short:
            self._drop(short, tell=first)

    def close(self) -> None:
        """Waits for the sink to take what waits, `drain_s` at most, then closes the sink; a later publish reopens it.

        A sink that hangs is left alone, and what it did not take counts as dropped.
        """
        with self._changed:
            thread, self._closing = self._thread, True
            self._changed.notify_all()
        if thread is not None:
            thread.join(self._drain_s)
        hangs = thread is not None and thread.is_alive()
        with self._changed:
            left = len(self._waiting) + (self._in_hand if hangs else 0)
            self._waiting.clear()
            self._thread, self._closing = None, False
        if left:
            self._drop(left, tell=False)
        if self.dropped:
            failopen.warn(LOG_DROPPED, sink=self.name, dropped=str(self.dropped), at="close")
        if not hangs:
            closing = getattr(self._sink, "close", None)
            if callable(closing):
                closing()

    # --- the thread -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while batch := self._next():
            failopen.call(f"ledger.{self.name}", lambda batch=batch: self._sink.publish(batch), self._failed)

    def _failed(self, _: BaseException) -> None:
        """Counts the batch that the sink refused; the failure has a log line of its own."""
        if self._thread is threading.current_thread():  # else a close counted it already
            self._drop(self._in_hand, tell=False)

    def _next(self) -> list[Verdict]:
        """Takes the next batch; empty where this thread shall end."""
        with self._changed:
            while not self._waiting and self._is_mine():
                self._changed.wait()
            if self._thread is not threading.current_thread():
                return []  # a close gave up on this thread
            self._in_hand = min(self._batch, len(self._waiting))
            return [self._waiting.popleft() for _ in range(self._in_hand)]

    def _is_mine(self) -> bool:
        return not self._closing and self._thread is threading.current_thread()

    def _drop(self, count: int, *, tell: bool) -> None:
        with self._changed:
            self.dropped += count
            dropped[self.name] += count
        if tell:
            failopen.warn(LOG_DROPPED, sink=self.name, dropped=str(self.dropped), at="full")


def queued(sink: Sink) -> Sink:
    """Gives a sink that waits for nothing as it is, any other with a queue before it."""
    return sink if getattr(sink, "immediate", False) else Queued(sink)
