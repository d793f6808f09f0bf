"""Takes verdicts to where operators look: the log now, further sinks beside it."""

from afterturn.ledger._sinks import Sink, publish
from afterturn.ledger.logs import LogSink

__all__ = ["LogSink", "Sink", "publish"]
