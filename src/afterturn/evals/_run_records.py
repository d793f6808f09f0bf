"""Holds the records of a whole run: what it was started with, and its figures.

No mean stands alone: each carries the share of the planned results that it is of, so that a dying system does not look
better than a healthy one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from afterturn.evals._records import PASS_SCORE, State
from afterturn.turns import JsonObject, JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class RubricRef:
    """Is a rubric as a run used it: its name, the hash of its text, and the file of a custom one."""

    name: str
    digest: str
    path: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunHeader:
    """Is what a run was started with; the first line of its file. It holds no key and no header.

    Attributes:
        run: The run's id.
        started_at: When it began.
        version: Afterturn's version.
        target: What names the agent under test.
        options: The target's options (`model`, `tools`, …).
        dataset: Path of the dataset.
        dataset_format: Its format (`afterturn`, `inspect`, …).
        rows: Rows in it, lines that are none included.
        bad_lines: Lines of it that are no row; each is skipped, and lowers the coverage.
        rubrics: The rubrics.
        judge: Name of the judge, or None.
        assertions: The assertions for all rows, as they were given.
        threshold: The score from which a row passes.
        repeat: How often each row is run.
        concurrency: Rows at once.
        max_cost_usd: The cost cap, or None.
        deadline_s: Seconds that an agent has for a row.
        setup: Hash of all that decides what a row's result is (target, rubrics, judge, assertions, threshold).
        command: The command line that goes on with it, where another command than `eval run` began it.
    """

    run: str
    started_at: datetime
    version: str
    target: str
    options: JsonObject = field(default_factory=dict[str, JsonValue])
    dataset: str
    dataset_format: str = "afterturn"
    rows: int
    bad_lines: int = 0
    rubrics: tuple[RubricRef, ...] = ()
    judge: str | None = None
    assertions: tuple[str, ...] = ()
    threshold: int = PASS_SCORE
    repeat: int = 1
    concurrency: int = 5
    max_cost_usd: float | None = None
    deadline_s: float = 120.0
    setup: str = ""
    command: tuple[str, ...] = ()

    @property
    def planned(self) -> int:
        """How many results a whole run has."""
        return self.rows * self.repeat


@dataclass(frozen=True, kw_only=True, slots=True)
class Mean:
    """Is a mean and what stands behind it: `coverage` is the share of the planned results that it is of.

    An assertion's is the share of those planned results that should have it: rows that do not declare it are left out,
    rows of which nobody knows (no reply, not done) are not.

    `mean` is None where nothing was measured.
    """

    mean: float | None
    count: int
    coverage: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Is how far the repeats of a row agree.

    Attributes:
        rows: Rows with at least two judged repeats.
        unanimous: Share of them whose repeats all came to the same state; None without rows.
        pairwise: Mean share of agreeing pairs of repeats; None without rows.
    """

    rows: int
    unanimous: float | None
    pairwise: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """Is what a run cost: the known part, and how many calls nobody knows the price of."""

    known_usd: float = 0.0
    unknown: int = 0

    @property
    def usd(self) -> float | None:
        """The whole cost, or None where a part of it is unknown."""
        return None if self.unknown else self.known_usd


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSummary:
    """Is the figures of a run. Errors and skips are in no mean; they lower the coverage beside it.

    Attributes:
        planned: Results that a whole run has.
        states: How many results there are of each state, all five of them.
        reasons: How many there are of each `state:reason`.
        score: The mean score over scored rows, with its coverage.
        pass_rate: The mean of passes over judged rows (0 to 1), with its coverage.
        rubrics: The mean by rubric.
        assertions: The share that held, by assertion, over the rows that declare it; so is its coverage.
        agent_cost: What the agent cost.
        judge_cost: What the judges cost.
        latency_ms: The mean latency of the agent over rows with a reply.
        agreement: Of the repeats; None where each row ran once.
        stop: Why the run stopped before its end (`cost_cap`, `unknown_price`, `interrupted`, …), or None.
    """

    planned: int
    states: Mapping[State, int]
    reasons: Mapping[str, int]
    score: Mean
    pass_rate: Mean
    rubrics: Mapping[str, Mean]
    assertions: Mapping[str, Mean]
    agent_cost: Cost = Cost()
    judge_cost: Cost = Cost()
    latency_ms: Mean
    agreement: Agreement | None = None
    stop: str | None = None

    @property
    def done(self) -> int:
        """Results that are there."""
        return sum(self.states.values())

    @property
    def cost_usd(self) -> float | None:
        """What agent and judges cost together; None where a part of it is unknown."""
        agent, judge = self.agent_cost.usd, self.judge_cost.usd
        return None if agent is None or judge is None else agent + judge
