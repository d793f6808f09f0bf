"""Asks the second pass about texts of `afterturn guard`, and scores them; the static answer stands where it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from afterturn import failopen

if TYPE_CHECKING:
    from afterturn.config import Config
    from afterturn.guard import Guard, GuardResult
    from afterturn.judging import Judging
    from afterturn.verdicts import Verdict

Layer = Literal["static", "second_pass"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """Is a text that the guard has checked.

    Attributes:
        id: Its id.
        text: The text.
        result: What the static guard found.
        score: How likely it is an attack, 0 to 100; None where nobody asked for scores.
        layer: Who gave the score.
        failed: Code of the error where the second pass failed.
    """

    id: object
    text: str
    result: GuardResult
    score: int | None = None
    layer: Layer = "static"
    failed: str | None = None


def scored(
    rows: Iterable[Checked | str], config: Config, guard: Guard, tenant: str, *, at_once: int
) -> Iterator[Checked | str]:
    """Asks the second pass about each text and gives the rows in their order.

    Args:
        rows: The checked texts; messages about bad lines pass through.
        config: The configuration, with the judge.
        guard: The guard that checked them.
        tenant: The tenant whose judge is asked.
        at_once: How many are asked at the same time.
    """
    from afterturn.guarding import Guards
    from afterturn.judging import Judging

    config = config.model_copy(update={"injection_second_pass": True})
    judging = Judging(config, guards=Guards(config, guard))
    rest = iter(rows)
    with asyncio.Runner() as runner:
        try:
            while some := list(islice(rest, at_once)):
                yield from runner.run(_ask(judging, some, tenant))
        finally:
            runner.run(judging.aclose())


async def _ask(judging: Judging, rows: Iterable[Checked | str], tenant: str) -> list[Checked | str]:
    async def asked(row: Checked | str) -> Checked | str:
        return row if isinstance(row, str) else await _scored(judging, row, tenant)

    return await asyncio.gather(*map(asked, rows))


async def _scored(judging: Judging, row: Checked, tenant: str) -> Checked:
    from afterturn.turns import Agent, Message, Turn

    turn = Turn(
        messages=(Message(role="user", text=row.text),), agent=Agent("guard"), tenant=tenant, session="guard", id="text"
    )
    judgement = await failopen.acall("cli.second_pass", lambda: judging.second_pass(turn), lambda _: None)
    verdict = judgement.verdict if judgement else None
    if verdict is None or verdict.status == "error":
        return replace(row, score=row.result.confidence, failed=(verdict and verdict.reason) or "failed")
    if verdict.status == "skipped":
        return replace(row, score=row.result.confidence)
    return replace(row, score=max(_score(verdict), row.result.confidence), layer="second_pass")


def _score(verdict: Verdict) -> int:
    """Turns a verdict and how sure it is into how likely the text is an attack."""
    if verdict.confidence is None:
        return 100 if verdict.status == "finding" else 50 if verdict.reason == "unsure" else 0
    return verdict.confidence if verdict.status == "finding" else 100 - verdict.confidence
