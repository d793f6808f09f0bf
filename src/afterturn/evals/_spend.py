"""Keeps a run under its cost cap: what was spent, and what the rows under way may still cost."""

from __future__ import annotations

from afterturn.evals._records import RowResult


class Spend:
    """Counts the cost of agent and judges against a cap.

    A row is begun only while what was spent, and what the rows under way and this one cost at the mean so far, stays
    under the cap. A call that failed tells no cost; it is taken to have cost the mean.

    Args:
        cap_usd: The cap, or None.
    """

    def __init__(self, cap_usd: float | None) -> None:
        self._cap_usd = cap_usd
        self._rows = 0
        self._unknown = False
        self.spent_usd = 0.0

    @property
    def capped(self) -> bool:
        """Whether there is a cap."""
        return self._cap_usd is not None

    @property
    def told(self) -> str:
        """What was spent, in words: a price that nobody knows is not 0."""
        known = f"${self.spent_usd:.4f}"
        if not self._unknown:
            return known
        return f"at least {known}" if self.spent_usd else "cost unknown"

    def add(self, result: RowResult) -> None:
        """Counts a finished row."""
        cost = _known(result)
        told = result.reply is None or result.agent_cost_usd is not None
        self._unknown = self._unknown or not told or any(score.cost_usd is None for score in result.scores)
        failed = result.state in ("agent_error", "judge_error")
        self.spent_usd += max(cost, self._mean) if failed else cost
        self._rows += result.state != "skipped"

    def stop(self, running: int) -> str | None:
        """Gives the reason why no further row may begin now, or None.

        Args:
            running: Rows under way.
        """
        if self._cap_usd is None:
            return None
        if self._unknown:
            return "unknown_price"
        ahead = (running + 1) * self._mean
        return "cost_cap" if self.spent_usd + ahead > self._cap_usd or self.spent_usd >= self._cap_usd > 0 else None

    @property
    def _mean(self) -> float:
        return self.spent_usd / self._rows if self._rows else 0.0


def _known(result: RowResult) -> float:
    return (result.agent_cost_usd or 0.0) + (result.judge_cost_usd or 0.0)
