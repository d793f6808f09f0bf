"""Puts the parts of a simulation together: it is an eval run whose rows are conversations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from afterturn.calls import Judge
from afterturn.errors import UsageError
from afterturn.evals._prices import Prices
from afterturn.evals._row import Setup
from afterturn.evals._rubric import Rubric, load_rubric
from afterturn.evals._run import Parts
from afterturn.evals._run_records import RunHeader
from afterturn.evals.simulate._conversation import MAX_TURNS, Conversations
from afterturn.evals.simulate._grading import RUBRIC, ConversationGrader
from afterturn.evals.simulate._model import ModelCustomer
from afterturn.evals.simulate._played import beside
from afterturn.evals.targets import Target


@dataclass(frozen=True, kw_only=True)
class SimulationParts(Parts):
    """Are the live parts of a simulation; `open_parts` makes them.

    Attributes:
        model: The model that plays the personas, or None; the target closes it.
        max_turns: Replies of the agent, at most.
    """

    model: ModelCustomer | None = None
    max_turns: int = MAX_TURNS

    def setup(self, header: RunHeader) -> Setup:
        """What every conversation goes through.

        Raises:
            UsageError: A rubric has no judge, an assertion has no meaning, or a cap has no prices to go by.
        """
        if header.max_cost_usd is not None and self.model is not None and not self.model.priced:
            raise UsageError(f"a cost cap needs the price of {self.model.name}; give a price table: --prices FILE")
        setup = super().setup(header)
        # The agent's deadline holds for a turn (see Conversations); this one is for all turns of both sides.
        return replace(
            setup,
            graders=tuple(ConversationGrader(grader) for grader in setup.graders),
            deadline_s=header.deadline_s * (2 * self.max_turns + 2),
            beside=beside,
        )


def open_parts(
    agent: Target,
    *,
    simulator: Judge | None = None,
    judge: Judge | None = None,
    rubrics: Iterable[Rubric] = (),
    assertions: Iterable[str] = (),
    prices: Prices | None = None,
    max_turns: int = MAX_TURNS,
    deadline_s: float = 120.0,
) -> SimulationParts:
    """Puts the parts of a simulation together.

    Args:
        agent: The agent under test.
        simulator: The model that plays the personas; None: their scripts do.
        judge: Who grades the conversations; None: assertions alone.
        rubrics: The rubrics; by default the one for conversations, where there is a judge.
        assertions: What must hold of every conversation, as it is written.
        prices: What models cost.
        max_turns: Replies of the agent, at most.
        deadline_s: Seconds that the agent has for a turn.
    """
    table = prices or Prices({})
    model = None if simulator is None else ModelCustomer(simulator, prices=table)
    chosen = tuple(rubrics) or ((load_rubric(RUBRIC),) if judge is not None else ())
    return SimulationParts(
        target=Conversations(agent, model=model, max_turns=max_turns, deadline_s=deadline_s, prices=table),
        rubrics=chosen,
        judge=judge,
        assertions=tuple(assertions),
        prices=table,
        model=model,
        max_turns=max_turns,
    )
