"""Sends every verdict as OpenTelemetry's event of an evaluation result, through the logs API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from afterturn.errors import ConfigError, OutputError
from afterturn.ledger import _names as names
from afterturn.verdicts import Verdict

if TYPE_CHECKING:
    from opentelemetry._logs import LoggerProvider

_OWN_NAMES: Mapping[str, str] = MappingProxyType({})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class OTelSink:
    """Sends verdicts as `gen_ai.evaluation.result` events: name, score, label, error, ids; never an explanation.

    Where the host has set up a logger provider, the events go through it, and its processors see to the rest. Without
    one they go to the collector that the standard `OTEL_EXPORTER_OTLP_…` variables name, over HTTP, a request a batch
    (extra `[otel]`). No global state is set in either case.

    Args:
        event_names: The host's names, by Afterturn's: `gen_ai.evaluation.result` renames the event, a metric's name
            (`agent.safety.verdict`) renames the evaluation.
        provider: The provider to use, in place of what is found.

    Raises:
        ConfigError: There is neither a provider nor the extra (at the first verdict).
    """

    name = "otel"

    def __init__(self, *, event_names: Mapping[str, str] = _OWN_NAMES, provider: LoggerProvider | None = None) -> None:
        self._names = event_names
        self._provider = provider
        self._own: _Exporting | None = None

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        """Sends one event a verdict.

        Raises:
            OutputError: The collector did not take them.
        """
        from opentelemetry._logs import LogRecord, SeverityNumber

        logger = self._found().get_logger(names.OTEL_SCOPE)
        event = self._names.get(names.EVALUATION_RESULT, names.EVALUATION_RESULT)
        for verdict in verdicts:
            logger.emit(
                LogRecord(
                    timestamp=(verdict.created_at - _EPOCH) // _MICROSECOND * 1000,
                    severity_number=SeverityNumber.INFO,
                    severity_text="INFO",
                    event_name=event,
                    attributes=attributes(verdict, self._names),
                )
            )
        if self._own is not None:
            self._own.send()

    def close(self) -> None:
        """Closes the connection to the collector, where it is this sink's own."""
        if self._own is not None:
            self._own.close()
            self._own = None

    def _found(self) -> LoggerProvider:
        if self._provider is not None:
            return self._provider
        if self._own is None:
            from opentelemetry._logs import get_logger_provider

            found = get_logger_provider()
            if type(found).__name__ not in ("ProxyLoggerProvider", "NoOpLoggerProvider"):
                return found  # the host's; asked for each time, since it may be set up after this sink
            self._own = _Exporting()
        return self._own.provider


def attributes(verdict: Verdict, event_names: Mapping[str, str] = _OWN_NAMES) -> dict[str, str | int | float]:
    """Gives the attributes of a verdict's event.

    The score is the confidence (0 to 100) and its label the verdict's own, or its status where it has none; a question
    that was skipped or failed has neither. The response is named by the turn's id.
    """
    judged = verdict.status in ("finding", "no_finding")
    found = {
        names.EVALUATION_NAME: event_names.get(verdict.metric, verdict.classifier),
        names.SCORE_VALUE: float(verdict.confidence) if judged and verdict.confidence is not None else None,
        names.SCORE_LABEL: (verdict.label or verdict.status) if judged else None,
        names.ERROR_TYPE: verdict.reason if verdict.status == "error" else None,
        names.RESPONSE_ID: verdict.turn,
        names.TENANT: verdict.tenant,
        names.AGENT: verdict.agent,
        names.SESSION: verdict.session,
        names.CLASSIFIER: verdict.classifier,
        names.VERSION: verdict.version,
        names.PLAN: verdict.plan or None,
        names.STATUS: verdict.status,
        names.REASON: verdict.reason,
        names.CONFIDENCE_SOURCE: verdict.confidence_source,
        names.ATTEMPT: verdict.attempt,
        names.JUDGE: verdict.judge,
        names.LATENCY_MS: verdict.latency_ms,
    }
    return {key: value for key, value in found.items() if value is not None}


class _Exporting:
    """Is a provider of this sink's own, with an exporter that says whether the collector took a batch.

    The SDK's batch processor has a queue of its own that drops without saying how much, so batches are made here.
    """

    def __init__(self) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
            from opentelemetry.sdk._logs import LoggerProvider
            from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
            from opentelemetry.sdk.resources import Resource
        except ImportError:
            raise ConfigError("sink otel: its packages are missing; pip install 'afterturn[otel]'") from None
        self._collector = OTLPLogExporter()
        self._made = InMemoryLogRecordExporter()
        resource = Resource.create()  # with OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
        if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
            resource = resource.merge(Resource({"service.name": names.OTEL_SERVICE}))
        self._provider = LoggerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_log_record_processor(SimpleLogRecordProcessor(self._made))

    @property
    def provider(self) -> LoggerProvider:
        """Where to emit."""
        return self._provider

    def send(self) -> None:
        """Sends what was emitted since the last time, in one request.

        Raises:
            OutputError: The collector did not take it.
        """
        made = self._made.get_finished_logs()
        self._made.clear()
        if made and self._collector.export(made).name != "SUCCESS":
            raise OutputError(f"the OpenTelemetry collector took none of {len(made)} verdicts; see its log and address")

    def close(self) -> None:
        """Closes the connection."""
        self._provider.shutdown()
        self._collector.shutdown()
