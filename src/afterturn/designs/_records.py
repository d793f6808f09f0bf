"""Holds what one turn of a design came to, and a whole comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

DesignName = Literal["optional", "obligation", "protocol", "forced", "answer_first"]
DESIGNS: tuple[DesignName, ...] = ("optional", "obligation", "protocol", "forced", "answer_first")

CatchUp = Literal["named", "required", "schema"]
"""How the one forced generation is asked for: the tool by name, any tool, or the tool's schema as the answer's form."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    """Are tokens of some model calls; None where a reply did not say.

    Attributes:
        input: Of the prompts, those from a cache included.
        cached: Those of the prompts that came from a cache.
        output: Of the answers.
    """

    input: int | None = 0
    cached: int | None = 0
    output: int | None = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            input=_sum(self.input, other.input),
            cached=_sum(self.cached, other.cached),
            output=_sum(self.output, other.output),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnFound:
    """Is one turn under one design.

    Attributes:
        design: The design.
        repeat: Which repeat, from 1.
        conversation: Name of the conversation.
        turn: Which turn of it, from 1.
        error: Code of what kept it from being measured, or None. Such a turn is in no figure but the coverage.
        text: What the model wrote for the customer, before any filter.
        called: Whether it called the reporting tool by itself; None where the design has none, or forces it.
        caught_up: Whether a forced generation followed.
        reported: Whether there is a report in the end that fits its schema.
        leaked: Names of the tools whose calls stand in the text.
        questions: How many questions the customer is asked.
        given: Form fields that the customer gave in this turn.
        skipped: Those of them that no call recorded by the end of the turn.
        calls: Model calls, the report's included.
        answer_seconds: Until the customer had the answer.
        seconds: Until the report was there, too.
        tokens: Tokens of all calls.
    """

    design: DesignName
    repeat: int
    conversation: str
    turn: int
    error: str | None = None
    text: str = ""
    called: bool | None = None
    caught_up: bool = False
    reported: bool = False
    leaked: tuple[str, ...] = ()
    questions: int = 0
    given: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    calls: int = 0
    answer_seconds: float = 0.0
    seconds: float = 0.0
    tokens: Tokens = field(default_factory=Tokens)

    @property
    def lost(self) -> bool:
        """Whether the customer got no answer."""
        return not self.text.strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Is all that was measured.

    Attributes:
        model: Name of the model.
        settings: Everything that was set.
        catch_up: How the forced generation was asked for; None where no design needs one.
        planned: Turns planned of each design.
        turns: The turns, in the order in which they ended.
        left_out: Designs that cannot be had at this server, since it does not enforce tool calls.
    """

    model: str
    settings: Mapping[str, Any]
    catch_up: CatchUp | None
    planned: Mapping[DesignName, int]
    turns: tuple[TurnFound, ...] = ()
    left_out: tuple[DesignName, ...] = ()

    def turns_to_json(self) -> list[dict[str, Any]]:
        """Gives the turns as JSON."""
        return [{**asdict(turn), "lost": turn.lost} for turn in self.turns]


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
