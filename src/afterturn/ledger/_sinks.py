"""Publishes verdicts to sinks; a sink that breaks costs its own lines and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from afterturn import failopen
from afterturn.verdicts import Verdict


@runtime_checkable
class Sink(Protocol):
    """Takes verdicts to one place. Verdicts hold no text, so a sink cannot leak any."""

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
