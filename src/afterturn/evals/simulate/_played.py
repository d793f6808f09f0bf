"""Holds what is known of a conversation beside what was said: how it ended, what the customer cost, whether it broke.

It stands under `simulation` in the `extra` of the reply, so that a run's file is enough to report on it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

from afterturn.evals._beside import Beside
from afterturn.evals._faults import Fault
from afterturn.evals._records import Reply
from afterturn.evals.simulate._stops import Stop
from afterturn.turns import JsonValue

KEY = "simulation"


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """Is how a conversation went.

    Attributes:
        persona: Id of the persona.
        player: Who played it: `script`, or the name of a model.
        stop: Why the conversation ended.
        turns: Replies of the agent.
        leaks: Messages in which the customer quoted what is hidden.
        input_tokens: Tokens that the customer's model read; None is unknown.
        output_tokens: Tokens that it wrote; None is unknown.
        cost_usd: What it cost; None is unknown.
        fault: Code of what broke the customer, or None.
        message: What the error said.
    """

    persona: str
    player: str
    stop: Stop
    turns: int
    leaks: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = 0.0
    fault: str | None = None
    message: str = ""

    def to_json(self) -> dict[str, JsonValue]:
        """Writes it."""
        return asdict(self)


def played(reply: Reply | None) -> Played | None:
    """Reads how a conversation went; None where the reply is of none."""
    told = None if reply is None else reply.extra.get(KEY)
    if not isinstance(told, dict):
        return None
    try:
        return Played(**cast(dict[str, Any], told))
    except TypeError:
        return None


def beside(reply: Reply) -> Beside:
    """Tells the runner what the customer cost, and whether it broke: then nothing is said of the agent."""
    found = played(reply)
    if found is None:
        return Beside()
    fault = None if found.fault is None else Fault(code=found.fault, message=found.message)
    return Beside(cost_usd=found.cost_usd, fault=fault)
