"""Has the suites with each model, through everything that a live turn goes through: guard, filter, store, judge."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from afterturn import failopen
from afterturn.calls import Answer, Call, Judge, Location
from afterturn.classification import classification
from afterturn.config import Config
from afterturn.embedded import Afterturn
from afterturn.errors import StoreError, UsageError
from afterturn.judges import open_judge
from afterturn.judging import OpenJudge
from afterturn.outcomes import Judgement
from afterturn.regress._checks import CONVERSATION, SOURCES, checked
from afterturn.regress._models import Answering, ModelAnswers
from afterturn.regress._records import ModelReport, RegressReport, Seen
from afterturn.regress._suites import Suite, SuiteTurn
from afterturn.turns import Agent, Message, Reply, Turn

MAX_TOKENS = 1_000
DEADLINE_S = 300.0

Told = Callable[[str, str, int, int], object]
"""Is told of each turn before it: model, suite, which turn, of how many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Are the settings of a run.

    Attributes:
        judge: Who classifies; each model itself by default (SPEC B1).
        max_tokens: Most tokens of one answer.
        deadline_s: Seconds for one answer, and for one classification.
        open_judge: Opens a judge by name; given in tests.
        told: Is told of each turn before it.
        kept: Is handed what each model came to, as soon as it is through.
    """

    judge: str | None = None
    max_tokens: int = MAX_TOKENS
    deadline_s: float = DEADLINE_S
    open_judge: OpenJudge | None = None
    told: Told = field(default=lambda model, suite, turn, of: None)
    kept: Callable[[ModelReport], object] = field(default=lambda report: None)


async def regress(models: Sequence[str], suites: Sequence[Suite], settings: Settings | None = None) -> RegressReport:
    """Runs suites on models, one after another.

    Args:
        models: The models, as `provider:model`.
        suites: The suites.
        settings: Judge, limits, and who is told.

    Returns:
        A check for each that was planned, whatever happened.

    Raises:
        UsageError: There is no model, or one stands twice, or a name is of another form.
    """
    settings = settings or Settings()
    if not models or len(set(models)) < len(models):
        raise UsageError("name at least one model, and each once: --models openai:a,openai:b")
    answering = {
        name: ModelAnswers(name, max_tokens=settings.max_tokens, timeout_s=settings.deadline_s) for name in models
    }
    reports: list[ModelReport] = []
    for name, answers in answering.items():
        reports.append(await _model(name, answers, suites, settings))
        settings.kept(reports[-1])
    return RegressReport(suites=tuple(suite.name for suite in suites), models=tuple(reports))


async def _model(name: str, answers: Answering, suites: Sequence[Suite], settings: Settings) -> ModelReport:
    counting = _Counting(settings.open_judge or partial(open_judge, deadline_s=settings.deadline_s))
    turns: list[tuple[str, int, Seen]] = []
    with tempfile.TemporaryDirectory(prefix="afterturn-regress-") as folder:
        config = Config(
            db=str(Path(folder) / "turns.db"),
            judge=settings.judge or name,
            classifiers=(CONVERSATION, SOURCES),
            max_attempts=1,
            sinks=(),
        )
        async with Afterturn(config=config, open_judge=counting.open) as at:
            for suite in suites:
                one = _Session(at, suite, name, answers, counting, settings)
                turns += [(suite.name, number, await one.turn(number)) for number in range(1, len(suite.turns) + 1)]
        await answers.aclose()
    by_name = {suite.name: suite for suite in suites}
    checks = tuple(
        checked(suite, number, check, argument, seen, by_name[suite].categories)
        for suite, number, seen in turns
        for check, argument in by_name[suite].turns[number - 1].checks.items()
    )
    return ModelReport(model=name, judge=settings.judge or name, checks=checks, turns=tuple(turns))


class _Session:
    """Is one suite with one model."""

    def __init__(
        self, at: Afterturn, suite: Suite, model: str, answers: Answering, counting: _Counting, settings: Settings
    ) -> None:
        self._at = at
        self._suite = suite
        self._model = model
        self._answers = answers
        self._counting = counting
        self._settings = settings
        self._agent = Agent(suite.agent, instructions=suite.instructions, categories=suite.categories)

    async def turn(self, number: int) -> Seen:
        """Has one turn; where anything breaks, the facts say so and nothing else."""
        self._settings.told(self._model, self._suite.name, number, len(self._suite.turns))
        asked = self._suite.turns[number - 1]
        return await failopen.acall(
            "regress.turn", partial(self._turn, asked, number), lambda error: Seen(error=_code(error))
        )

    async def _turn(self, asked: SuiteTurn, number: int) -> Seen:
        opening = (Message(role="assistant", text=self._suite.opening),) if self._suite.opening else ()
        history = opening if number == 1 else None
        before = self._counting.calls
        live = self._at.turn(agent=self._agent, session=self._suite.name, message=asked.message, history=history)
        shown: list[str] = []
        started = time.perf_counter()
        async with live as turn, asyncio.timeout(self._settings.deadline_s):
            handed = turn.passages(asked.passages).prompt() if asked.passages is not None else ""
            system = "\n\n".join(part for part in (self._suite.instructions, handed) if part)
            async for text in turn.stream(self._answers.stream(system, turn.messages)):
                shown.append(text)
        seconds = time.perf_counter() - started
        await turn.verdicts()
        stored = self._at.store.turn("default", turn.id)
        if stored is None:
            raise StoreError("the turn was not stored; see the log")
        if stored.reply is None or not stored.reply.text.strip():
            return Seen(error="no_answer")
        judgements = await self._at.judgements("default", turn.id)
        seen = self._seen(stored, stored.reply, judgements)
        judge_calls = self._counting.calls - before
        return replace(seen, shown="".join(shown), seconds=round(seconds, 3), judge_calls=judge_calls)

    def _seen(self, stored: Turn, reply: Reply, judgements: Sequence[Judgement]) -> Seen:
        found = classification(stored, judgements)
        verdicts: dict[str, list[tuple[str, str | None]]] = {}
        for one in judgements:
            verdicts.setdefault(one.verdict.classifier, []).append((one.verdict.status, one.verdict.reason))
        timeline = (event for event in self._at.timeline(self._suite.name) if event.turn == stored.id)
        return Seen(
            stored=reply.text,
            sources=tuple((source.alias, source.how) for source in found.sources),
            title=found.title,
            categories=found.categories,
            verdicts=verdicts,
            events=dict(Counter(event.name for event in timeline)),
        )


class _Counting:
    """Counts how often any judge is asked."""

    def __init__(self, opener: OpenJudge) -> None:
        self._opener = opener
        self.calls = 0

    def open(self, name: str) -> Judge:
        """Opens a judge that counts."""
        return _Counted(self._opener(name), self)


class _Counted:
    def __init__(self, judge: Judge, counting: _Counting) -> None:
        self._judge = judge
        self._counting = counting

    @property
    def name(self) -> str:
        return self._judge.name

    @property
    def location(self) -> Location:
        return self._judge.location

    async def ask(self, call: Call) -> Answer:
        self._counting.calls += 1
        return await self._judge.ask(call)

    async def aclose(self) -> None:
        await self._judge.aclose()


def _code(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    code = getattr(error, "code", None)
    return code if isinstance(code, str) else "broke"
