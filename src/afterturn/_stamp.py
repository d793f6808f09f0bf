"""Makes the judgements of one judging: what all its verdicts have in common, and the call each one came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from afterturn.calls import Answer, Call, Confidence
from afterturn.classifiers import Classifier, Reading
from afterturn.outcomes import Judgement, Outcome
from afterturn.turns import Turn
from afterturn.verdicts import JudgeParams, Status, Usage, Verdict

Clock = Callable[[], datetime]

MOST_TOKENS = 10**12


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """Is a call and what came of it: an answer, or the code of the error.

    Attributes:
        call: The call.
        answer: The answer, or None.
        error: Code of the error, or None.
        latency_ms: Wall time of the call in milliseconds.
    """

    call: Call
    answer: Answer | None = None
    error: str | None = None
    latency_ms: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Stamp:
    """Is what all verdicts of one judging have in common, and makes them."""

    turn: Turn
    judge: str
    attempt: int
    clock: Clock

    def reading(
        self, classifier: Classifier, found: Reading, *, asked: Asked | None = None, dropped: int = 0
    ) -> Judgement:
        """Makes the judgement of what a classifier read."""
        return self.judgement(
            classifier,
            found.status,
            asked=asked,
            label=found.label,
            confidence=found.confidence,
            reason="unsure" if found.unsure else None,
            dropped=dropped,
            outcome=found.outcome,
        )

    def judgement(
        self,
        classifier: Classifier,
        status: Status,
        *,
        asked: Asked | None = None,
        label: str | None = None,
        confidence: Confidence | None = None,
        reason: str | None = None,
        dropped: int = 0,
        outcome: Outcome | None = None,
    ) -> Judgement:
        """Makes a judgement of a classifier about the turn."""
        answer = asked.answer if asked else None
        verdict = Verdict(
            tenant=self.turn.tenant,
            agent=self.turn.agent.id,
            session=self.turn.session,
            turn=self.turn.id,
            classifier=classifier.name,
            version=classifier.version,
            plan=asked.call.plan if asked else "",
            metric=classifier.metric,
            status=status,
            label=label,
            confidence=confidence.percent if confidence else None,
            confidence_source=confidence.source if confidence else None,
            reason=reason,
            judge=self.judge,
            latency_ms=round(asked.latency_ms, 3) if asked else 0.0,
            attempt=self.attempt,
            dropped=dropped,
            params=answer.params if answer else JudgeParams(),
            usage=_counted(answer.usage) if answer else Usage(),
            created_at=self.clock(),
        )
        return Judgement(verdict=verdict, outcome=outcome)


def _counted(usage: Usage) -> Usage:
    """Leaves out what no token count can be: a provider may send anything, and a database takes 64 bits."""
    tokens = (usage.input_tokens, usage.output_tokens)
    read, written = (count if count is not None and 0 <= count <= MOST_TOKENS else None for count in tokens)
    return Usage(input_tokens=read, output_tokens=written)
