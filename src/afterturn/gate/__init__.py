"""What decides before an agent ships: the red-team pack and the gate. The only place that fails closed."""

from __future__ import annotations

from afterturn.gate._closed import closed
from afterturn.gate._config import Criterion, FiguresConfig, GateConfig, RunFileConfig, gate_schema, load_gate
from afterturn.gate._named import named_files
from afterturn.gate._override import Records, check_records, record
from afterturn.gate._report import EXIT_CODES, Finding, Override, Report
from afterturn.gate._write import headline, junit, markdown, write
from afterturn.gate.promote import decide

__all__ = [
    "EXIT_CODES",
    "Criterion",
    "FiguresConfig",
    "Finding",
    "GateConfig",
    "Override",
    "Records",
    "Report",
    "RunFileConfig",
    "check_records",
    "closed",
    "decide",
    "gate_schema",
    "headline",
    "junit",
    "load_gate",
    "markdown",
    "named_files",
    "record",
    "write",
]
