"""Holds what a regression run sees and finds: the facts of a turn, the checks of it, the report of all models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

CheckState = Literal["pass", "fail", "error"]
CHECK_STATES: tuple[CheckState, ...] = ("pass", "fail", "error")


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """Is what one turn came to.

    Attributes:
        shown: What the customer saw, as it streamed.
        stored: The reply as it was stored.
        sources: The passages that the reply rests on: (alias, `cited` or `attributed`).
        title: The title that this turn's classification gave, or None.
        categories: Its categories; None where it gave none.
        verdicts: For each classifier, the statuses of its verdicts with their reasons.
        events: How often each event stands in the timeline of this turn.
        judge_calls: How often the judge was asked about this turn.
        seconds: How long the customer waited for the whole answer.
        error: Code of what kept the turn from being answered, or None.
    """

    shown: str = ""
    stored: str = ""
    sources: tuple[tuple[str, str], ...] = ()
    title: str | None = None
    categories: tuple[str, ...] | None = None
    verdicts: Mapping[str, Sequence[tuple[str, str | None]]] = field(
        default_factory=dict[str, Sequence[tuple[str, "str | None"]]]
    )
    events: Mapping[str, int] = field(default_factory=dict[str, int])
    judge_calls: int = 0
    seconds: float | None = None
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Gives the facts as JSON."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """Is one thing that must hold, and whether it does.

    Attributes:
        suite: Name of the suite.
        turn: Which turn of it, from 1.
        name: Name of the check.
        state: pass, fail, or error: where nobody could say. An error is never a pass.
        reason: Code of the reason of a fail or an error.
        told: What was found, in a few words.
    """

    suite: str
    turn: int
    name: str
    state: CheckState
    reason: str | None = None
    told: str = ""

    @property
    def key(self) -> tuple[str, int, str]:
        """What the check is the same as in another model's report."""
        return self.suite, self.turn, self.name


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelReport:
    """Is one model's checks and the turns they are about, in order."""

    model: str
    judge: str
    checks: tuple[Check, ...]
    turns: tuple[tuple[str, int, Seen], ...]

    def count(self, suite: str | None = None) -> dict[str, int]:
        """Counts the checks by state, and those that did not pass; of one suite, or of all."""
        states = Counter(check.state for check in self.checks if suite in (None, check.suite))
        return {
            "planned": states.total(),
            "passed": states["pass"],
            "failed": states["fail"],
            "errors": states["error"],
            "not_passed": states["fail"] + states["error"],
        }

    def to_json(self) -> dict[str, Any]:
        """Gives the report as JSON."""
        suites = dict.fromkeys(check.suite for check in self.checks)
        return {
            "model": self.model,
            "judge": self.judge,
            **self.count(),
            "suites": {suite: self.count(suite) for suite in suites},
            "checks": [asdict(check) for check in self.checks],
            "turns": [{"suite": suite, "turn": turn, **seen.to_json()} for suite, turn, seen in self.turns],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class RegressReport:
    """Is what several models came to on the same suites."""

    suites: tuple[str, ...]
    models: tuple[ModelReport, ...]

    def count(self) -> dict[str, int]:
        """Counts the checks of all models by state."""
        total: Counter[str] = Counter()
        for model in self.models:
            total.update(model.count())
        return dict(total)

    @property
    def exit_code(self) -> int:
        """0 all passed; 1 some check failed; 3 none failed, but some could not be made."""
        counts = self.count()
        if counts.get("failed"):
            return 1
        return 0 if counts.get("passed") and not counts.get("errors") else 3

    def to_json(self, written_at: datetime) -> dict[str, Any]:
        """Gives the report as JSON that the gate can read.

        Args:
            written_at: The time, with its zone.
        """
        return {
            "written_at": written_at.isoformat(),
            "command": "regress",
            "suites": list(self.suites),
            **self.count(),
            "models": [model.to_json() for model in self.models],
        }
