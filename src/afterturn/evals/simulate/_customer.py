"""Says what a simulated customer looks like to a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from afterturn.evals.simulate._moves import End
from afterturn.evals.simulate._persona import Persona
from afterturn.verdicts import Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """Is what customer and agent said to each other in one turn, as the customer saw it."""

    customer: str
    agent: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """Is what a customer knows when it is its turn.

    Attributes:
        persona: Who it is.
        exchanges: What was said so far.
        left: How many messages it may still write, this one included; 0 where it can only say how it ended.
    """

    persona: Persona
    exchanges: tuple[Exchange, ...] = ()
    left: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """Is what a customer does next.

    Attributes:
        text: Its message; empty where it only ends the conversation.
        end: How the conversation ends for it, or None where it goes on.
        usage: Tokens that it took to think of it.
        cost_usd: What that cost; None is unknown.
    """

    text: str
    end: End | None = None
    usage: Usage = Usage(input_tokens=0, output_tokens=0)
    cost_usd: float | None = 0.0


class Customer(Protocol):
    """Plays the customer of one conversation."""

    async def next(self, scene: Scene) -> Said | None:
        """Says what it does next; None where it has nothing more to say.

        Raises:
            JudgeError: The model that plays it gave no usable answer.
        """
        ...
