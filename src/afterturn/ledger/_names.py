"""Holds every string that the sinks tell the outside: names of events, attributes and metrics.

The `gen_ai.` and `error.` names are those of OpenTelemetry's semantic conventions for generative AI (event
`gen_ai.evaluation.result`, in development there); what has no name in them stands in Afterturn's own namespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from afterturn.errors import ConfigError

# --- OpenTelemetry ------------------------------------------------------------------------------------------------

OTEL_SCOPE: Final = "afterturn"
OTEL_SERVICE: Final = "afterturn"
EVALUATION_RESULT: Final = "gen_ai.evaluation.result"

EVALUATION_NAME: Final = "gen_ai.evaluation.name"
SCORE_VALUE: Final = "gen_ai.evaluation.score.value"
SCORE_LABEL: Final = "gen_ai.evaluation.score.label"
RESPONSE_ID: Final = "gen_ai.response.id"
ERROR_TYPE: Final = "error.type"

TENANT: Final = "afterturn.tenant"
AGENT: Final = "afterturn.agent"
SESSION: Final = "afterturn.session"
CLASSIFIER: Final = "afterturn.classifier"
VERSION: Final = "afterturn.classifier.version"
PLAN: Final = "afterturn.plan"
STATUS: Final = "afterturn.verdict.status"
REASON: Final = "afterturn.verdict.reason"
CONFIDENCE_SOURCE: Final = "afterturn.verdict.confidence_source"
ATTEMPT: Final = "afterturn.verdict.attempt"
JUDGE: Final = "afterturn.judge"
LATENCY_MS: Final = "afterturn.judge.latency_ms"

# --- Prometheus (a counter's name gets `_total` from the client) ----------------------------------------------------

VERDICTS: Final = "afterturn_verdicts"
LATENCY: Final = "afterturn_judge_latency_seconds"
DROPPED: Final = "afterturn_ledger_dropped"
FAILED_OPEN: Final = "afterturn_failed_open"
STORED: Final = "afterturn_stored_verdicts"
OPEN: Final = "afterturn_open_questions"
SCRAPES_FAILED: Final = "afterturn_stored_scrapes_failed"

# --- the log --------------------------------------------------------------------------------------------------------

LOG_DROPPED: Final = "afterturn.ledger_dropped"
LOG_IMPORTED: Final = "afterturn.imported"

_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


def metrics(own: Iterable[str], event_names: Mapping[str, str]) -> dict[str, str]:
    """Gives the host's names of metrics, by Afterturn's.

    Raises:
        ConfigError: A name is none that Prometheus takes.
    """
    told = {name: event_names.get(name, name) for name in own}
    for name, wanted in told.items():
        if _METRIC.fullmatch(wanted) is None:
            raise ConfigError(f"event_names: {name}: Prometheus takes letters, digits, _ and : in a metric's name")
    return told
