"""Says what an agent under test looks like to the runner."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from afterturn.evals._records import Reply, Row
from afterturn.turns import JsonObject


@runtime_checkable
class Target(Protocol):
    """Is an agent under test: it is asked rows and gives replies.

    It may raise anything; the runner makes an `agent_error` of it, with the `code` of an `AgentError`. `rate_limited`
    is waited for and asked again. The runner measures the latency and sets the deadline.
    """

    @property
    def name(self) -> str:
        """What names it in the run, in resume keys and in the price table; no key, no password."""
        ...

    @property
    def options(self) -> JsonObject:
        """What else decides its replies (model, tools, steps); stored with the run, so no key either."""
        ...

    @property
    def free(self) -> bool:
        """Whether asking it costs nothing for sure (a recorded file, a model on this machine)."""
        ...

    async def ask(self, row: Row) -> Reply:
        """Lets the agent answer a row.

        Raises:
            AgentError: With the code of what went wrong.
        """
        ...

    async def aclose(self) -> None:
        """Frees what it holds."""
        ...
