"""Adds up conversations: how they ended, how long they were, what leaked, by persona and over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from afterturn.evals._records import JUDGED, RowResult
from afterturn.evals.simulate._played import played
from afterturn.evals.simulate._scenarios import persona_of
from afterturn.turns import JsonValue

ALL = "all"
LEAK = "simulator_leak"


@dataclass(kw_only=True, slots=True)
class ConversationFigures:
    """Is what conversations came to.

    Attributes:
        conversations: How many there are, those included that ended in an error.
        states: How many of each state.
        stops: How many ended in each way; those that the agent broke off by an error ended in none.
        turns: Replies of the agent, over `talked` conversations.
        talked: Conversations that a customer ended, for whatever reason.
        simulator_leaks: Conversations in which the customer quoted what is hidden.
        score_sum: Sum of the scores.
        scored: How many scores were given.
    """

    conversations: int = 0
    states: Counter[str] = field(default_factory=Counter[str])
    stops: Counter[str] = field(default_factory=Counter[str])
    turns: int = 0
    talked: int = 0
    simulator_leaks: int = 0
    score_sum: int = 0
    scored: int = 0

    def add(self, result: RowResult) -> None:
        """Adds one conversation."""
        self.conversations += 1
        self.states[result.state] += 1
        if result.score is not None:
            self.score_sum += result.score
            self.scored += 1
        found = played(result.reply)
        if found is not None:
            self.stops[found.stop] += 1
            self.turns += found.turns
            self.talked += 1
            self.simulator_leaks += found.leaks > 0

    @property
    def judged(self) -> int:
        """Conversations that passed or failed; all others only lower the coverage."""
        return sum(self.states[state] for state in JUDGED)

    def to_json(self) -> dict[str, JsonValue]:
        """Writes the figures; a rate of nothing is null."""
        judged = self.judged
        return {
            "conversations": self.conversations,
            "states": dict(self.states),
            "stops": dict(self.stops),
            "pass_rate": self.states["pass"] / judged if judged else None,
            "mean_score": self.score_sum / self.scored if self.scored else None,
            "coverage": judged / self.conversations if self.conversations else 0.0,
            "mean_turns": self.turns / self.talked if self.talked else None,
            "simulator_leaks": self.simulator_leaks,
        }


def conversation_figures(results: Iterable[RowResult]) -> Mapping[str, ConversationFigures]:
    """Adds up results, one at a time.

    Returns:
        The figures by persona; `all` holds those of all.
    """
    found: dict[str, ConversationFigures] = {ALL: ConversationFigures()}
    for result in results:
        name = persona_of(result.row).id
        for figures in (found[ALL], found.setdefault(name, ConversationFigures())):
            figures.add(result)
    return found
