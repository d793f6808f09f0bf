"""Counts a comparison: for each design the rates with exact intervals, tokens and seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from statistics import fmean, median
from typing import Any

from afterturn.calibration import Interval, clopper_pearson
from afterturn.designs._records import Comparison, DesignName, TurnFound


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """Is how often something happened, with the exact 95 % interval."""

    hits: int
    of: int

    @property
    def interval(self) -> Interval:
        """The rate and its bounds."""
        return clopper_pearson(self.hits, self.of)

    def to_json(self) -> dict[str, Any]:
        """Gives the rate as JSON."""
        rate, low, high = self.interval
        return {"hits": self.hits, "of": self.of, "rate": rate, "low": low, "high": high}


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignFigures:
    """Is what one design came to.

    Attributes:
        planned: Turns planned.
        measured: Turns measured; all figures are of these.
        voluntary: Turns in which the model called the reporting tool by itself; None where the design does not ask.
        caught_up: Turns with a forced generation.
        reported: Turns with a report in the end that fits its schema.
        leaked: Turns in which a call stands in the customer's text.
        lost: Turns in which the customer got no answer.
        two_questions: Turns in which the customer is asked two questions or more.
        skipped_fields: Form fields that were given and not recorded in that turn.
        calls: Model calls a turn, mean.
        input_tokens: Tokens in a turn, mean; None where a reply did not say.
        cached_tokens: Those of them that came from the server's cache.
        output_tokens: Tokens out a turn, mean.
        answer_seconds: Until the customer had the answer, median.
        seconds: Until the report was there, too, median.
    """

    planned: int
    measured: int
    voluntary: Rate | None
    caught_up: Rate
    reported: Rate
    leaked: Rate
    lost: Rate
    two_questions: Rate
    skipped_fields: Rate
    calls: float | None
    input_tokens: float | None
    cached_tokens: float | None
    output_tokens: float | None
    answer_seconds: float | None
    seconds: float | None

    @property
    def coverage(self) -> float:
        """The share of the planned turns that were measured."""
        return self.measured / self.planned if self.planned else 0.0

    def to_json(self) -> dict[str, Any]:
        """Gives the figures as JSON."""
        wire = asdict(self)
        for name in wire:
            value = getattr(self, name)
            if isinstance(value, Rate):
                wire[name] = value.to_json()
        return {**wire, "coverage": self.coverage}


def figures(comparison: Comparison) -> dict[DesignName, DesignFigures]:
    """Counts what each design came to."""
    return {
        design: _figures([turn for turn in comparison.turns if turn.design == design], planned)
        for design, planned in comparison.planned.items()
    }


def comparison_to_json(comparison: Comparison, written_at: datetime | None) -> dict[str, Any]:
    """Gives a comparison as JSON that the gate can read.

    Args:
        comparison: The comparison.
        written_at: The time, with its zone; None while it goes on, so that no gate takes a part for the whole.
    """
    return {
        "written_at": written_at.isoformat() if written_at else None,
        "command": "compare-designs",
        "model": comparison.model,
        "settings": dict(comparison.settings),
        "catch_up": comparison.catch_up,
        "left_out": list(comparison.left_out),
        "designs": {name: one.to_json() for name, one in figures(comparison).items()},
        "turns": comparison.turns_to_json(),
    }


def _figures(turns: Sequence[TurnFound], planned: int) -> DesignFigures:
    measured = [turn for turn in turns if turn.error is None]
    asked = [turn.called for turn in measured if turn.called is not None]
    return DesignFigures(
        planned=planned,
        measured=len(measured),
        voluntary=Rate(hits=sum(asked), of=len(asked)) if asked else None,
        caught_up=_rate(measured, lambda turn: turn.caught_up),
        reported=_rate(measured, lambda turn: turn.reported),
        leaked=_rate(measured, lambda turn: bool(turn.leaked)),
        lost=_rate(measured, lambda turn: turn.lost),
        two_questions=_rate(measured, lambda turn: turn.questions > 1),
        skipped_fields=Rate(
            hits=sum(len(turn.skipped) for turn in measured), of=sum(len(turn.given) for turn in measured)
        ),
        calls=_mean([turn.calls for turn in measured]),
        input_tokens=_mean([turn.tokens.input for turn in measured]),
        cached_tokens=_mean([turn.tokens.cached for turn in measured]),
        output_tokens=_mean([turn.tokens.output for turn in measured]),
        answer_seconds=median(turn.answer_seconds for turn in measured) if measured else None,
        seconds=median(turn.seconds for turn in measured) if measured else None,
    )


def _rate(turns: Sequence[TurnFound], holds: Callable[[TurnFound], bool]) -> Rate:
    return Rate(hits=sum(map(holds, turns)), of=len(turns))


def _mean(values: Sequence[int | None]) -> float | None:
    """The mean; None where one is unknown, since the rest would pass for all."""
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None
