"""Parts of simulations for tests: a cast in a file, and conversations had in one call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from eval_parts import FunctionTarget

from afterturn.evals import Prices, Row, RowResult, new_header, run_rows
from afterturn.evals.simulate import Cast, ModelCustomer, Persona, Played, open_cast, open_parts, played, read_persona
from afterturn.evals.simulate._conversation import Conversations
from afterturn.testing import Script, ScriptedJudge

GOAL = "Get the whole amount back on the credit card before the end of the month."
ANN = read_persona({"id": "ann", "goal": GOAL, "facts": {"order": "4711"}, "patience": 4})


def goes_on(message: str) -> dict[str, Any]:
    return {"status": "goes_on", "message": message}


def cast_of(folder: Path, *scenarios: Any, personas: Sequence[Persona] = (), simulated: bool = False) -> Cast:
    path = folder / "scenarios.jsonl"
    path.write_text("".join(json.dumps(scenario) + "\n" for scenario in scenarios), encoding="utf-8")
    return open_cast(path, personas, simulated=simulated)


def simulated(
    cast: Cast,
    agent: Callable[[Row], Any],
    *,
    simulator: Any = None,
    judge: Any = None,
    target: dict[str, Any] | None = None,
    sleeps: list[float] | None = None,
    max_turns: int = 12,
    deadline_s: float = 120.0,
    **given: Any,
) -> list[RowResult]:
    """Has the conversations of a cast; waits are noted and not waited for."""
    noted = sleeps if sleeps is not None else []

    async def sleep(seconds: float) -> None:
        noted.append(seconds)

    async def had() -> list[RowResult]:
        parts = open_parts(
            FunctionTarget(agent, **(target or {})),
            simulator=None if simulator is None else ScriptedJudge(simulator),
            judge=None if judge is None else ScriptedJudge(judge),
            max_turns=max_turns,
            deadline_s=deadline_s,
            **given,
        )
        conversations = parts.target
        assert isinstance(conversations, Conversations)
        conversations._sleep = sleep  # pyright: ignore[reportPrivateUsage]
        results: list[RowResult] = []
        header = new_header(parts, cast, deadline_s=deadline_s)
        await run_rows(parts.setup(header), cast.rows(), take=results.append, concurrency=1)
        await parts.close()
        return results

    return asyncio.run(had())


def model_of(script: Script) -> ModelCustomer:
    return ModelCustomer(ScriptedJudge(script), prices=Prices({}))


def how(result: RowResult) -> Played:
    found = played(result.reply)
    assert found is not None
    return found


def said(result: RowResult) -> list[str]:
    assert result.reply is not None
    return [message.text for message in result.reply.messages]
