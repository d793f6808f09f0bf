"""Shows Prometheus what the database holds: the verdicts of every process, also of those that have no port."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from afterturn import failopen
from afterturn.errors import ConfigError
from afterturn.ledger import _names as names
from afterturn.ledger._bounded import VERDICT_LABELS, BoundedLabels

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

    from afterturn.calibration import Series

QUICK_S: Final = 0.25
"""Reading that costs fewer CPU seconds is done at each scrape."""

PAUSES: Final = 20
"""Reading that costs more is done again after so many times what it cost: it takes a twentieth of a core at most."""

PLACE: Final = "ledger.stored"

_OWN_NAMES: Mapping[str, str] = MappingProxyType({})


class Counts(Protocol):
    """Is what is asked of a store."""

    def totals(self) -> Iterable[tuple[Series, int]]:
        """Gives how many live verdicts are stored of each series."""
        ...

    def open_questions(self) -> int:
        """Counts the questions that nobody has answered yet."""
        ...


class _Read(NamedTuple):
    verdicts: Mapping[tuple[str, str, str, str, str], int]
    open_questions: int


class StoredVerdicts:
    """Is a collector that reads a store's counts at each scrape; no verdict, no turn and no session is read.

    - `afterturn_stored_verdicts` by tenant, classifier, status, label and reason: a gauge of all verdicts of live
      traffic that the database has ever counted, whichever process stored them;
    - `afterturn_open_questions`: a gauge of the questions that wait for an answer;
    - `afterturn_stored_scrapes_failed_total`: how often they could not be read. Then neither gauge is shown.

    It never raises and keeps no turn waiting: reading does not lock the database. Where the database is so large that
    reading costs more than `QUICK_S`, the last counts are shown for `PAUSES` times as long as that.

    Args:
        store: The store.
        event_names: The host's names for the metrics, by Afterturn's (without `_total`).
        clock: Gives seconds that never go back.
        cpu: Gives the CPU seconds of the thread: what reading costs, however busy the machine is.

    Raises:
        ConfigError: A name is none that Prometheus takes.
    """

    def __init__(
        self,
        store: Counts,
        *,
        event_names: Mapping[str, str] = _OWN_NAMES,
        clock: Callable[[], float] = time.monotonic,
        cpu: Callable[[], float] = time.thread_time,
    ) -> None:
        self._told = names.metrics((names.STORED, names.OPEN, names.SCRAPES_FAILED), event_names)
        self._store = store
        self._clock = clock
        self._cpu = cpu
        self._labels = BoundedLabels()
        self._reading = threading.Lock()
        self._last: _Read | None = None
        self._due_s = 0.0
        self._failed = 0

    def collect(self) -> Iterator[Metric]:
        """Gives the counts as they are now, or were a moment ago."""
        with self._reading:
            read = failopen.call(PLACE, self._read, self._missed)
        return self._families(read)

    def describe(self) -> Iterator[Metric]:
        """Names the metrics, for the registry to see doubles; reads nothing."""
        return self._families(_Read({}, 0))

    def _read(self) -> _Read:
        if self._last is not None and self._clock() < self._due_s:
            return self._last
        started_s = self._cpu()
        counts: Counter[tuple[str, str, str, str, str]] = Counter()
        for series, count in self._store.totals():
            labels = self._labels.of(series.tenant, series.classifier, series.status, series.label, series.reason)
            counts[labels] += count
        self._last = _Read(counts, self._store.open_questions())
        cost_s = self._cpu() - started_s
        self._due_s = self._clock() + (PAUSES * cost_s if cost_s > QUICK_S else 0.0)
        return self._last

    def _missed(self, _: BaseException) -> None:
        self._failed += 1

    def _families(self, read: _Read | None) -> Iterator[Metric]:
        from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

        if read is not None:
            stored = GaugeMetricFamily(
                self._told[names.STORED], "Verdicts in the database, of all processes.", labels=VERDICT_LABELS
            )
            for labels, count in read.verdicts.items():
                stored.add_metric(labels, count)
            yield stored
            yield GaugeMetricFamily(
                self._told[names.OPEN], "Questions in the database that wait for an answer.", value=read.open_questions
            )
        yield CounterMetricFamily(
            self._told[names.SCRAPES_FAILED], "Scrapes at which the database could not be read.", value=self._failed
        )


@contextmanager
def stored_verdicts(
    store: Counts, *, event_names: Mapping[str, str] = _OWN_NAMES, registry: CollectorRegistry | None = None
) -> Generator[StoredVerdicts]:
    """Shows a store's counts in a registry (the client's default) as long as the context lasts.

    Raises:
        ConfigError: The extra is missing, or a name is none that Prometheus takes, or is taken.
    """
    try:
        from prometheus_client import REGISTRY
    except ImportError:
        raise ConfigError("metrics_port: its package is missing; pip install 'afterturn[otel]'") from None
    collector: Any = StoredVerdicts(store, event_names=event_names)
    wanted = registry if registry is not None else REGISTRY
    try:
        wanted.register(collector)
    except ValueError:
        raise ConfigError("the stored verdicts of a database are shown already; one collector a process") from None
    try:
        yield collector
    finally:
        wanted.unregister(collector)
