"""Helps to test what uses judges, and judges themselves: a judge that follows a script, and a check of the contract."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, get_args

from afterturn import failopen
from afterturn.calls import Answer, Call, Judge, Location, Question
from afterturn.errors import JudgeError, UsageError
from afterturn.turns import JsonValue, Message, Reply, Turn
from afterturn.verdicts import ConfidenceSource


@dataclass(frozen=True, slots=True)
class Hang:
    """Is the step of a script at which the judge never answers; only cancellation ends it."""


HANG: Final = Hang()

Step = Answer | Mapping[str, JsonValue] | BaseException | Hang
"""What a scripted judge does with a call: answers (an `Answer`, or just the values), raises, or hangs."""

Script = Step | list[Step] | tuple[Step, ...] | Callable[[Call], Step]

CANARY = "zebra-quartz-41"
"""Stands in every text of `sample_call()`, so that a check can look for it where no text may be."""


class ScriptedJudge:
    """Answers from a script and keeps the calls that it was asked.

    Args:
        script: One step for every call; or steps in turn, the last one repeated; or a function of the call.
        name: The judge's name.
        location: Where it claims to be.

    Example:
        >>> judge = ScriptedJudge({"title": "A refund"})
        >>> asyncio.run(judge.ask(sample_call())).values["title"]
        'A refund'
    """

    def __init__(self, script: Script, *, name: str = "scripted", location: Location = "local") -> None:
        self._name = name
        self._location: Location = location
        self._step = _stepper(script)
        self.calls: list[Call] = []
        self.closed = False

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    @property
    def location(self) -> Location:
        """The place it was given."""
        return self._location

    async def ask(self, call: Call) -> Answer:
        """Does what the script says next.

        Raises:
            BaseException: What the script holds, as it is: an error that is no `JudgeError` breaks the contract on
                purpose.
        """
        if self.closed:
            raise UsageError("the scripted judge is closed; make a new one")
        self.calls.append(call)
        step = self._step(call)
        if isinstance(step, BaseException):
            raise step
        if isinstance(step, Hang):
            await asyncio.Event().wait()
        return step if isinstance(step, Answer) else Answer(values=_values(step))

    async def aclose(self) -> None:
        """Closes it; asking after it is an error."""
        self.closed = True


async def check_judge(judge: Judge, *, call: Call | None = None) -> None:
    """Checks that a judge keeps the contract: asks one call, cancels a second, closes twice.

    Args:
        judge: An open judge. It is closed afterwards.
        call: What to ask; `sample_call()` by default.

    Raises:
        AssertionError: The contract is broken; the message lists how.
    """
    asked = call or sample_call()
    faults = [
        *_faults_of_name(judge),
        *await _faults_of_asking(judge, asked),
        *await _faults_of_cancelling(judge, asked),
    ]
    await judge.aclose()
    await judge.aclose()
    assert not faults, f"the judge breaks its contract: {'; '.join(faults)}"


def sample_call(*questions: Question) -> Call:
    """A small call about a short made-up turn, with a nullable title and a yes/no field unless questions are given."""
    message = Message(role="user", text=f"Where is my order {CANARY}? It is late.")
    reply = f"Your order {CANARY} left the warehouse today."
    turn = Turn(
        messages=(message, Message(role="assistant", text=reply)),
        session="s-1",
        id="t-1",
        reply=Reply(text=reply, raw=reply),
    )
    return Call(view="exchange", turn=turn, questions=questions or (_QUESTION,), plan="0123456789abcdef")


_QUESTION = Question(
    classifier="sample",
    version="1",
    fields={
        "title": {"anyOf": [{"type": "string", "maxLength": 80}, {"type": "null"}]},
        "late": {"type": "boolean"},
    },
    instructions='- "title": what the exchange is about, in a few words, or null.\n- "late": is something late?',
)


def _stepper(script: Script) -> Callable[[Call], Step]:
    if callable(script):
        return script
    steps = list(script) if isinstance(script, list | tuple) else [script]
    if not steps:
        raise UsageError("a script has at least one step")
    return lambda _: steps.pop(0) if len(steps) > 1 else steps[0]


def _values(step: Answer | Mapping[str, JsonValue] | Hang) -> Mapping[str, JsonValue]:
    assert not isinstance(step, Answer | Hang)
    return step


def _faults_of_name(judge: Judge) -> list[str]:
    faults: list[str] = []
    if not judge.name or judge.name != judge.name.strip() or "://" in judge.name:
        faults.append("name is a short name without address")
    if judge.location not in get_args(Location):
        faults.append("location is local or remote")
    return faults


async def _faults_of_asking(judge: Judge, call: Call) -> list[str]:
    try:
        answer = await judge.ask(call)
    except JudgeError as error:
        told = " ".join(map(str, (error, error.hint, error.__cause__, error.__context__)))
        return ["an error holds text of the conversation"] if CANARY in told else []
    except BaseException as error:  # that is what is being checked
        if not failopen.swallows(error):
            raise
        return [f"ask raises only JudgeError, not {type(error).__name__}"]
    return _faults_of_answer(answer, call)


def _faults_of_answer(answer: Answer, call: Call) -> list[str]:
    faults: list[str] = []
    fields = {name for question in call.questions for name in question.fields}
    try:
        json.dumps(dict(answer.values), allow_nan=False)
    except (TypeError, ValueError):
        faults.append("values are JSON without NaN")
    if not set(answer.confidence) <= fields:
        faults.append("confidence is of fields that were asked")
    for confidence in answer.confidence.values():
        if not 0 <= confidence.percent <= 100 or confidence.source not in get_args(ConfidenceSource):
            faults.append("confidence is an integer from 0 to 100 with its source")
    temperature = answer.params.temperature
    if temperature is not None and not math.isfinite(temperature):
        faults.append("temperature is a number")
    if not answer.no_head <= {question.classifier for question in call.questions}:
        faults.append("no_head names classifiers that were asked")
    return faults


async def _faults_of_cancelling(judge: Judge, call: Call) -> list[str]:
    task = asyncio.ensure_future(judge.ask(call))
    await asyncio.sleep(0)  # lets it start
    task.cancel()
    (result,) = await asyncio.gather(task, return_exceptions=True)
    if isinstance(result, Answer | JudgeError | asyncio.CancelledError):
        return []
    return [f"a cancelled ask ends as cancelled, not with {type(result).__name__}"]
