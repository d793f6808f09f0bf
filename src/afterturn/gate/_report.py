"""Holds what a gate decides: each criterion with its figures, and the verdict that follows from all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from afterturn.turns import JsonValue

Status = Literal["met", "missed", "inconclusive"]
Verdict = Literal["promoted", "refused", "unreadable", "inconclusive"]

EXIT_CODES: Mapping[Verdict, int] = {"promoted": 0, "refused": 1, "unreadable": 2, "inconclusive": 3}


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Is what became of one criterion.

    Attributes:
        name: The criterion's name.
        status: met, missed or inconclusive.
        reason: Why it is not met, as a code; None where it is.
        told: The figures and the demand in words, and what to do.
        value: The figure; None where there is none.
        demanded: What was demanded, in words.
        coverage: Share of the planned results in the figure.
        low: Lower end of its interval.
        high: Upper end.
        baseline: The baseline's figure.
        unreadable: Whether a file could not be used at all.
    """

    name: str
    status: Status
    reason: str | None = None
    told: str = ""
    value: float | None = None
    demanded: str = ""
    coverage: float | None = None
    low: float | None = None
    high: float | None = None
    baseline: float | None = None
    unreadable: bool = False

    def to_json(self) -> dict[str, JsonValue]:
        """Writes it."""
        names = (
            "name", "status", "reason", "told", "value", "demanded", "coverage", "low", "high", "baseline"
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, kw_only=True, slots=True)
class Override:
    """Is a person's decision to promote in spite of the gate."""

    by: str
    reason: str
    record: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """Is what a gate decided. Nothing in it is promoted unless every single criterion is met.

    Attributes:
        name: What was to be promoted.
        config: Hash of the configuration's text (16 hex digits).
        at: When it was decided.
        demands: How many criteria the configuration has.
        findings: What became of them.
        fault: Why the gate itself did not come to its end (`crashed`, `timeout`, `unfinished`), or None.
        told: The fault in words.
        override: The override, or None.
    """

    name: str
    config: str
    at: datetime
    demands: int
    findings: tuple[Finding, ...] = ()
    fault: str | None = None
    told: str = ""
    override: Override | None = None

    @property
    def verdict(self) -> Verdict:
        """What follows, an override left aside."""
        if self.fault is not None:
            return "inconclusive"
        if any(finding.status == "missed" for finding in self.findings):
            return "refused"
        if any(finding.unreadable for finding in self.findings):
            return "unreadable"
        whole = self.demands > 0 and len(self.findings) == self.demands
        return "promoted" if whole and all(finding.status == "met" for finding in self.findings) else "inconclusive"

    @property
    def passes(self) -> bool:
        """Whether the agent may ship: the gate was passed, or overridden by name."""
        return self.verdict == "promoted" or self.override is not None

    @property
    def exit_code(self) -> int:
        """The exit code of the contract."""
        return 0 if self.passes else EXIT_CODES[self.verdict]

    def to_json(self) -> dict[str, JsonValue]:
        """Writes it."""
        override = self.override
        return {
            "name": self.name,
            "verdict": self.verdict,
            "promoted": self.passes,
            "exit_code": self.exit_code,
            "fault": self.fault,
            "told": self.told,
            "config": self.config,
            "at": self.at.isoformat(),
            "criteria": [finding.to_json() for finding in self.findings],
            "override": None
            if override is None
            else {
                "by": override.by,
                "reason": override.reason,
                "record": override.record,
                "at": override.at.isoformat(),
            },
        }
