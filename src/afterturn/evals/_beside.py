"""Holds what happened beside the agent while it replied: what that cost, and whether it broke."""

from __future__ import annotations

from dataclasses import dataclass

from afterturn.evals._faults import Fault


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """Is what is known of others that took part in a reply, such as a simulated customer.

    Attributes:
        cost_usd: What they cost, counted with the judges; None is unknown.
        fault: What broke of them: then the reply says nothing of the agent, and the row is a `judge_error`.
    """

    cost_usd: float | None = 0.0
    fault: Fault | None = None
