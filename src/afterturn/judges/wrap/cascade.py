"""Asks the local encoder first, and a model only about what the encoder is unsure of or has no head for.

Where the model fails, the encoder's answer stands: a cascade never knows less than its first step. On a random share of
calls, the shadow sample, the model is asked everything, so that it is known how often the two agree where the encoder
was sure; what the encoder said counts all the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from afterturn import failopen
from afterturn.calls import Answer, Call, Judge, Location, Question

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """Counts what a cascade did.

    Attributes:
        questions: Questions that it was asked.
        escalated: Questions that the model was asked because the encoder was unsure or has no head.
        failed: Questions that were to be escalated, and the model gave no answer.
        compared: Fields of the shadow sample of which the encoder was sure.
        agreed: Those in which the model gave the same value.
    """

    questions: int = 0
    escalated: int = 0
    failed: int = 0
    compared: int = 0
    agreed: int = 0


class Cascade:
    """Is two judges in a row.

    Args:
        first: The encoder.
        second: The model for what the first one passes on.
        shadow: The share of calls in which the model is asked everything, 0 to 1.
        draw: Gives a random number from 0 to 1; given in tests.

    Attributes:
        agreement: What was counted since the start.
    """

    def __init__(
        self, first: Judge, second: Judge, *, shadow: float = 0.0, draw: Callable[[], float] = random.random
    ) -> None:
        self._first = first
        self._second = second
        self._shadow = shadow
        self._draw = draw
        self.agreement = Agreement()

    @property
    def name(self) -> str:
        """Both names: a verdict must not look like that of one of them."""
        return f"cascade:{self._second.name}"

    @property
    def location(self) -> Location:
        """`remote` where the second judge is: text may go there."""
        return self._second.location

    async def ask(self, call: Call) -> Answer:
        """Answers a call.

        Raises:
            JudgeError: The first judge failed, and so did the second.
        """
        answer = await failopen.acall("judges.cascade.first", lambda: self._first.ask(call), lambda _: None)
        if answer is None:
            return await self._second.ask(call)
        open_questions = tuple(question for question in call.questions if _passed_on(question, answer))
        in_shadow = self._shadow > 0 and self._draw() < self._shadow
        asked = call.questions if in_shadow else open_questions
        found = None
        if asked:
            part = replace(call, questions=asked)
            found = await failopen.acall("judges.cascade.second", lambda: self._second.ask(part), lambda _: None)
        self._count(call, open_questions, answer, found if in_shadow else None, failed=bool(asked) and found is None)
        return answer if found is None else _joined(answer, found, open_questions)

    async def aclose(self) -> None:
        """Closes both judges."""
        await self._first.aclose()
        await self._second.aclose()

    def _count(
        self, call: Call, passed_on: tuple[Question, ...], answer: Answer, shadow: Answer | None, *, failed: bool
    ) -> None:
        compared = agreed = 0
        if shadow is not None:
            sure = [q for q in call.questions if q not in passed_on]
            fields = [field for q in sure for field in q.fields if field in answer.values and field in shadow.values]
            compared = len(fields)
            agreed = sum(answer.values[field] == shadow.values[field] for field in fields)
        before = self.agreement
        self.agreement = Agreement(
            questions=before.questions + len(call.questions),
            escalated=before.escalated + len(passed_on),
            failed=before.failed + (len(passed_on) if failed else 0),
            compared=before.compared + compared,
            agreed=before.agreed + agreed,
        )


def _passed_on(question: Question, answer: Answer) -> bool:
    return question.classifier in answer.no_head or not answer.unsure.isdisjoint(question.fields)


def _joined(answer: Answer, found: Answer, questions: tuple[Question, ...]) -> Answer:
    """Puts the second answer in the place of the first in the questions that were passed on."""
    fields = {field for question in questions for field in question.fields}
    answered = frozenset(question.classifier for question in questions) - found.no_head
    return Answer(
        values=_replaced(answer.values, found.values, fields),
        confidence=_replaced(answer.confidence, found.confidence, fields),
        unsure=(answer.unsure - fields) | (found.unsure & fields),
        no_head=answer.no_head - answered,
        usage=found.usage,
        params=found.params,
    )


def _replaced(values: Mapping[str, T], others: Mapping[str, T], fields: set[str]) -> dict[str, T]:
    kept = {name: value for name, value in values.items() if name not in fields}
    return kept | {name: value for name, value in others.items() if name in fields}
