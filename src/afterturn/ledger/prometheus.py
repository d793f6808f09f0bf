"""Counts verdicts for Prometheus; never by session or turn, so the number of series stays small."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from afterturn import failopen
from afterturn.errors import ConfigError
from afterturn.ledger import _names as names
from afterturn.ledger._bounded import VERDICT_LABELS, BoundedLabels
from afterturn.ledger._queued import dropped
from afterturn.verdicts import Verdict

if TYPE_CHECKING:
    from wsgiref.simple_server import WSGIServer

    from prometheus_client import CollectorRegistry, Counter, Histogram
    from prometheus_client.metrics_core import CounterMetricFamily

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)

_OWN_NAMES: Mapping[str, str] = MappingProxyType({})


class PrometheusSink:
    """Counts verdicts in a Prometheus registry (extra `[otel]`).

    - `afterturn_verdicts_total` by tenant, classifier, status, label and reason;
    - `afterturn_judge_latency_seconds` by classifier: a histogram over the verdicts that a call gave;
    - `afterturn_ledger_dropped_total` by sink, `afterturn_failed_open_total` by place: what went wrong unnoticed.

    Labels and reasons are codes of closed sets. A classifier that invents codes, or a platform of very many tenants,
    ends in the series `other`.

    Args:
        event_names: The host's names for the metrics, by Afterturn's (without `_total`).
        registry: Where the metrics are registered; the client's default, which a host's `/metrics` shows.

    Raises:
        ConfigError: The extra is missing, or a name is none that Prometheus takes.
    """

    name = "prometheus"
    immediate = True

    def __init__(
        self, *, event_names: Mapping[str, str] = _OWN_NAMES, registry: CollectorRegistry | None = None
    ) -> None:
        try:
            from prometheus_client import REGISTRY
        except ImportError:
            raise ConfigError("sink prometheus: its package is missing; pip install 'afterturn[otel]'") from None
        own = (names.VERDICTS, names.LATENCY, names.DROPPED, names.FAILED_OPEN)
        told = names.metrics(own, event_names)
        self._metrics = _registered(registry if registry is not None else REGISTRY, told)

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        """Counts verdicts."""
        for verdict in verdicts:
            self._metrics.count(verdict)


def serve_metrics(port: int) -> MetricsServer:
    """Shows the metrics of the default registry on 127.0.0.1, from a thread; port 0 is any that is free.

    Raises:
        ConfigError: The extra is missing, or the port is taken.
    """
    try:
        from prometheus_client import start_http_server
    except ImportError:
        raise ConfigError("metrics_port: its package is missing; pip install 'afterturn[otel]'") from None
    try:
        server, thread = start_http_server(port, addr="127.0.0.1")
    except OSError as error:
        raise ConfigError(f"metrics_port: {port}: {error.strerror}; give another port") from None
    return MetricsServer(port=server.server_port, _server=server, _thread=thread)


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricsServer:
    """Is a running server of metrics.

    Attributes:
        port: Where it listens.
    """

    port: int
    _server: WSGIServer
    _thread: threading.Thread

    def close(self) -> None:
        """Stops it."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Metrics:
    """Are the metrics in one registry."""

    def __init__(self, registry: CollectorRegistry, told: Mapping[str, str]) -> None:
        from prometheus_client import Counter, Histogram

        self._verdicts: Counter = Counter(told[names.VERDICTS], "Verdicts stored.", VERDICT_LABELS, registry=registry)
        self._latency: Histogram = Histogram(
            told[names.LATENCY],
            "Seconds of the judge call that gave a verdict.",
            ("classifier",),
            registry=registry,
            buckets=SECONDS,
        )
        registry.register(_Losses(told))  # pyright: ignore[reportArgumentType]  # a collector is what has collect()
        self._labels = BoundedLabels()

    def count(self, verdict: Verdict) -> None:
        values = self._labels.of(verdict.tenant, verdict.classifier, verdict.status, verdict.label, verdict.reason)
        self._verdicts.labels(*values).inc()
        if verdict.latency_ms > 0:
            self._latency.labels(classifier=verdict.classifier).observe(verdict.latency_ms / 1000)


class _Losses:
    """Shows the process's own counts of what was dropped and what failed open."""

    def __init__(self, told: Mapping[str, str]) -> None:
        self._told = told

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Gives the counts as they are now."""
        from prometheus_client.metrics_core import CounterMetricFamily

        shown = (
            (names.DROPPED, "Verdicts that a sink did not get.", "sink", dropped),
            (names.FAILED_OPEN, "Failures that were passed over.", "place", failopen.counts),
        )
        for name, meaning, label, counts in shown:
            family = CounterMetricFamily(self._told[name], meaning, labels=(label,))
            for key, count in tuple(counts.items()):
                family.add_metric((key,), count)
            yield family

    def describe(self) -> Iterator[CounterMetricFamily]:
        """Names the metrics, for the registry to see doubles."""
        return self.collect()


_made: WeakKeyDictionary[CollectorRegistry, dict[str, _Metrics]] = WeakKeyDictionary()
_making = threading.Lock()


def _registered(registry: CollectorRegistry, told: Mapping[str, str]) -> _Metrics:
    """Gives the metrics of a registry: a second sink on it counts in the same ones, since a name is registered once."""
    with _making:
        known = _made.setdefault(registry, {})
        key = " ".join(told.values())
        if key not in known:
            known[key] = _Metrics(registry, told)
        return known[key]
