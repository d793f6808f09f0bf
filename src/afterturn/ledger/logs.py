"""Logs every verdict as one structured line under its metric's name, and every failure with a line of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from afterturn import errors
from afterturn._logging import logger
from afterturn.ledger._names import LOG_IMPORTED
from afterturn.verdicts import Verdict

FAILED: Final = "agent.judgement.failed"
"""The event of the ERROR line that stands beside the verdict of a failure."""

LOGGER: Final = "afterturn.ledger"

_LABEL_NAMES = MappingProxyType({"injection_classifier": "category", "ai_frustration": "target"})
_OWN_NAMES: Mapping[str, str] = MappingProxyType({})
_CLASSES = {kind.code: kind.__name__ for kind in errors.JudgeError.__subclasses__()}


class LogSink:
    """Logs verdicts through structlog where the host configured it, else through the standard library.

    The host's own configuration decides what becomes of the lines; nothing is configured here. Without structlog
    configured, its default would print to the host's standard output, so the lines go to `logging` as JSON instead.

    Args:
        event_names: The host's names for metrics and for `agent.judgement.failed`, by Afterturn's name.
    """

    name = "log"
    immediate = True

    def __init__(self, *, event_names: Mapping[str, str] = _OWN_NAMES) -> None:
        self._names = event_names

    def publish(self, verdicts: Sequence[Verdict]) -> None:
        """Logs one info line a verdict, and an error line before it where the verdict is an error."""
        log = logger(LOGGER)
        for verdict in verdicts:
            if verdict.status == "error":
                log.error(self._name(FAILED), **_failure(verdict))
            log.info(self._name(verdict.metric), **line(verdict))

    def _name(self, name: str) -> str:
        return self._names.get(name, name)


def log_import(counts: Mapping[str, int], *, whole: bool, event_names: Mapping[str, str] = _OWN_NAMES) -> None:
    """Logs one line at the end of an import: what became of the lines of its files, which is stored nowhere.

    Args:
        counts: How many of each kind.
        whole: Whether all files were read to their end.
        event_names: The host's names, by Afterturn's.
    """
    log = logger(LOGGER)
    name = event_names.get(LOG_IMPORTED, LOG_IMPORTED)
    (log.info if whole else log.warning)(name, **counts, whole=whole)


def line(verdict: Verdict) -> dict[str, object]:
    """Gives the fields of a verdict's log line (SPEC C6): ids, enums and numbers.

    The label stands under the name that operators know it by: `category` of an injection, `target` of a frustration.
    """
    return {
        "verdict": verdict.status,
        "confidence": verdict.confidence,
        _LABEL_NAMES.get(verdict.classifier, "label"): verdict.label,
        "reason": verdict.reason,
        **_ids(verdict),
        "latency_ms": verdict.latency_ms,
        "attempt": verdict.attempt,
    }


def _failure(verdict: Verdict) -> dict[str, object]:
    """Gives the fields of the ERROR line of SPEC B7: class and code, no text."""
    return {"error": _CLASSES.get(verdict.reason or ""), "code": verdict.reason, **_ids(verdict)}


def _ids(verdict: Verdict) -> dict[str, object]:
    return {
        "tenant": verdict.tenant,
        "agent": verdict.agent,
        "session": verdict.session,
        "turn": verdict.turn,
        "classifier": verdict.classifier,
        "version": verdict.version,
        "judge": verdict.judge,
    }
