"""Has the turns of conversations judged as live turns are, and adds up what is found about the customers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import TYPE_CHECKING

from afterturn.classifiers import AI_FRUSTRATION
from afterturn.mood import NO_MOOD, mood_after
from afterturn.outcomes import Judgement
from afterturn.turns import JsonValue, Turn

if TYPE_CHECKING:
    from afterturn.classification import Classification
    from afterturn.embedded import Afterturn

AT_ONCE = 4


@dataclass(kw_only=True, slots=True)
class Classified:
    """Is what was found about the turns of conversations.

    Attributes:
        conversations: How many there are.
        turns: How many turns they have.
        frustration: Turns by whom an unhappy customer is unhappy with (`ai`, `situation`), `none`, or `unknown`.
        concluded: Conversations in whose last turn the agent's part was over; only sub-agents are asked.
        asked_concluded: Conversations for which that was asked and answered.
        advice: Conversations by the advice that stood after any of their turns (`hand_off`, `keep_helping`).
        statuses: Verdicts by `classifier:status`.
    """

    conversations: int = 0
    turns: int = 0
    frustration: Counter[str] = field(default_factory=Counter[str])
    concluded: int = 0
    asked_concluded: int = 0
    advice: Counter[str] = field(default_factory=Counter[str])
    statuses: Counter[str] = field(default_factory=Counter[str])

    def to_json(self) -> dict[str, JsonValue]:
        """Writes the figures."""
        return {
            "conversations": self.conversations,
            "turns": self.turns,
            "frustration": dict(self.frustration),
            "concluded": self.concluded,
            "asked_concluded": self.asked_concluded,
            "advice": dict(self.advice),
            "verdicts": dict(sorted(self.statuses.items())),
        }


async def classify_transcripts(at: Afterturn, turns: Iterable[Turn]) -> Classified:
    """Judges turns, conversation by conversation; nothing is stored.

    Args:
        at: Who judges; its configuration names judge and classifiers.
        turns: The turns, those of a conversation one after another (`transcripts`).
    """
    found = Classified()
    for _, group in groupby(turns, key=lambda turn: turn.session):
        await _add(found, at, group)
    return found


async def _add(found: Classified, at: Afterturn, turns: Iterator[Turn]) -> None:
    mood, advised, last = NO_MOOD, set[str](), None
    async for turn, line in _judged(at, turns):
        found.turns += 1
        found.statuses.update(f"{verdict.classifier}:{verdict.status}" for verdict in line.verdicts)
        verdict = next((one for one in line.verdicts if one.classifier == AI_FRUSTRATION.name), None)
        if verdict is not None:
            outcome = line.outcomes.get(AI_FRUSTRATION.name)
            found.frustration[(outcome.frustration if outcome else None) or "unknown"] += 1
            mood = mood_after(mood, turn, Judgement(verdict=verdict, outcome=outcome))
            advised |= {mood.advice} if mood.advice else set()
        last = line
    if last is not None:
        found.conversations += 1
        found.advice.update(advised)
        found.asked_concluded += last.task_concluded is not None
        found.concluded += last.task_concluded is True


async def _judged(at: Afterturn, turns: Iterator[Turn]) -> AsyncIterator[tuple[Turn, Classification]]:
    """Judges a few turns at a time and gives them in order."""
    while group := list(islice(turns, AT_ONCE)):
        lines = await asyncio.gather(*(at.classify_async(turn) for turn in group))
        for turn, line in zip(group, lines, strict=True):
            yield turn, line
