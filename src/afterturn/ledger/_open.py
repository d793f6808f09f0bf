"""Opens the sinks that the configuration names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from afterturn.config import SinkName
from afterturn.ledger._queued import queued
from afterturn.ledger._sinks import Sink
from afterturn.ledger.logs import LogSink
from afterturn.ledger.otel import OTelSink
from afterturn.ledger.prometheus import PrometheusSink

_OPENERS: Final[Mapping[SinkName, Callable[[Mapping[str, str]], Sink]]] = {
    "log": lambda names: LogSink(event_names=names),
    "otel": lambda names: OTelSink(event_names=names),
    "prometheus": lambda names: PrometheusSink(event_names=names),
}


def open_sinks(chosen: Iterable[SinkName], event_names: Mapping[str, str]) -> tuple[Sink, ...]:
    """Opens sinks by name; what waits for a network gets a queue.

    Raises:
        ConfigError: A sink's extra is not installed.
    """
    return tuple(queued(_OPENERS[name](event_names)) for name in dict.fromkeys(chosen))
