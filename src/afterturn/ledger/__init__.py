"""Takes verdicts to where operators look: the log, OpenTelemetry, Prometheus, and whatever a host brings."""

from afterturn.ledger._open import open_sinks
from afterturn.ledger._queued import Queued, dropped, queued
from afterturn.ledger._sinks import Sink, close, publish
from afterturn.ledger.logs import LogSink, log_import
from afterturn.ledger.otel import OTelSink
from afterturn.ledger.prometheus import MetricsServer, PrometheusSink, serve_metrics
from afterturn.ledger.stored import StoredVerdicts, stored_verdicts

__all__ = [
    "LogSink",
    "MetricsServer",
    "OTelSink",
    "PrometheusSink",
    "Queued",
    "Sink",
    "StoredVerdicts",
    "close",
    "dropped",
    "log_import",
    "open_sinks",
    "publish",
    "queued",
    "serve_metrics",
    "stored_verdicts",
]
