"""Publishes verdicts to sinks; a sink that breaks costs its own lines and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from afterturn import failopen
from afterturn.verdicts import Verdict


@runtime_checkable
class Sink(Protocol):
    """Takes verdicts to one place. Verdicts hold no text, so a sink cannot leak any.

    A sink may have `close()`, which is called at the end, and `immediate = True`, which says that `publish` waits for
    nothing (no network, no disk of its own); any other is given a queue of its own.
    """

    @property
    def name(self) -> str:
        """A short name, for the log line where the sink breaks."""
        ...

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        """Takes verdicts that are stored (or that nobody stores); it is not called twice for one."""
        ...


def publish(verdicts: Sequence[Verdict], sinks: Iterable[Sink]) -> None:
    """Gives verdicts to every sink, failing open for each by itself."""
    if not verdicts:
        return
    for sink in sinks:
        failopen.call(f"ledger.{sink.name}", lambda sink=sink: sink.publish(verdicts), lambda _: None)


def close(sinks: Iterable[Sink]) -> None:
    """Closes the sinks that can be closed, failing open for each by itself; a queue hands on what it holds first."""
    for sink in sinks:
        closing = getattr(sink, "close", None)
        if callable(closing):
            failopen.call(f"ledger.{sink.name}", closing, lambda _: None)
