"""Judges around judges: deadline, one retry, trace, cost, cascade; and the residency rule: which may be asked."""

from __future__ import annotations

from afterturn.judges.wrap.cascade import Agreement, Cascade
from afterturn.judges.wrap.cost import Cost, Price, Spend
from afterturn.judges.wrap.deadline import Deadline
from afterturn.judges.wrap.residency import Residency, allows
from afterturn.judges.wrap.retry import Retry
from afterturn.judges.wrap.trace import Trace

__all__ = ["Agreement", "Cascade", "Cost", "Deadline", "Price", "Residency", "Retry", "Spend", "Trace", "allows"]
