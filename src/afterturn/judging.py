"""Chooses who judges a turn, and has it judged: the tenant's judge within its residency rule (SPEC B1)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextvars import Context
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from weakref import WeakKeyDictionary

from afterturn import failopen
from afterturn._stamp import Clock
from afterturn.calls import Answer, Call, Judge, Location, Planned
from afterturn.classifiers import (
    BLOCKED_TOPICS,
    BUILT_IN,
    INJECTION,
    Classifier,
    message_of,
    project,
    second_pass,
    topic_opinion,
)
from afterturn.config import Config
from afterturn.early import Early, EarlyPasses, outcome_of
from afterturn.errors import (
    ConfigError,
    JudgeError,
    JudgeMissingError,
    JudgeTimeoutError,
    ProviderError,
    RateLimitedError,
    UsageError,
)
from afterturn.guard import Topic
from afterturn.guarding import Guards
from afterturn.judges import Residency, allows, open_judge
from afterturn.outcomes import Judgement
from afterturn.run import Plan, judge_planned, plan, refuse_twins
from afterturn.turns import Turn

MAX_PLANS = 256

_OUTAGES: dict[str, type[JudgeError]] = {
    kind.code: kind for kind in (RateLimitedError, JudgeTimeoutError, ProviderError)
}  # what may have passed by the next attempt

OpenJudge = Callable[[str], Judge]


class Judging:
    """Plans and judges turns as a configuration says.

    Args:
        config: The configuration.
        classifiers: The host's own classifiers, beside the built-in ones that the configuration enables.
        open_judge: Opens a judge by name; given in tests.
        clock: Gives the time of verdicts; given in tests.
        guards: The tenants' guards, for the second pass; made of the configuration by default.
        instead: Classifiers that take the place of others of their name; a replay brings them.

    Raises:
        ConfigError: An enabled classifier does not exist.
        UsageError: Two classifiers have the same name.
    """

    def __init__(
        self,
        config: Config,
        *,
        classifiers: Sequence[Classifier] = (),
        open_judge: OpenJudge | None = None,
        clock: Clock | None = None,
        guards: Guards | None = None,
        instead: Sequence[Classifier] = (),
    ) -> None:
        self._config = config
        self._topics = _Topics(config, guards)
        self._classifiers = _replaced((*_enabled(config, guards, self._topics), *classifiers), instead)
        refuse_twins(self._classifiers)  # now, and not at a turn that could not be stored then
        self._open = open_judge or _opener(config)
        self._clock = clock
        self._plans: dict[tuple[str, str], Plan] = {}  # of turns that this process stored and will judge in a moment
        self._early = EarlyPasses()
        self._judges: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Judge]] = WeakKeyDictionary()

    def plan(self, turn: Turn) -> tuple[Plan, str]:
        """Plans a turn.

        Returns:
            The plan, and the name of the judge as its verdicts will record it.
        """
        judge = self._fresh(turn)
        planned = plan(turn, self._asked(turn), blocked=self._blocked(turn, judge))
        self._plans[turn.tenant, turn.id] = planned
        while len(self._plans) > MAX_PLANS:
            self._plans.pop(next(iter(self._plans)))
        return planned, judge.name

    async def judge(self, turn: Turn, attempt: int = 1) -> tuple[Judgement, ...]:
        """Judges a turn: exactly one judgement a classifier, whatever happens."""
        judge = self._judge(turn)
        planned = self._plans.pop((turn.tenant, turn.id), None)
        if planned is None or planned.turn != turn:  # a duplicate id may have been planned with other words
            planned = plan(turn, self._asked(turn), blocked=self._blocked(turn, judge))
        ask = partial(judge_planned, judge=judge, attempt=attempt, clock=self._clock)
        early = self._early.take(turn, lambda: message_of(project(turn, "message")))
        if early is None:
            return await ask(planned)
        rest, known = await asyncio.gather(ask(planned.without(INJECTION)), outcome_of(early))
        own = (known,) if known else await ask(planned.only(INJECTION))
        by_name = {one.verdict.classifier: one for one in (*rest, *own)}
        return tuple(by_name[classifier.name] for classifier in planned.classifiers)

    async def judge_some(self, turn: Turn, names: Collection[str], attempt: int = 1) -> tuple[Judgement, ...]:
        """Judges some questions of a turn as they would be judged with all others: one judgement each.

        Raises:
            JudgeError: The judge is out for now and attempts are left.
        """
        judge = self._judge(turn)
        planned = _some(plan(turn, self._asked(turn), blocked=self._blocked(turn, judge)), names)
        judgements = await judge_planned(planned, judge, attempt=attempt, clock=self._clock)
        if attempt < self._config.max_attempts:
            _refuse_outage(judgements)
        return judgements

    def judge_name(self, turn: Turn) -> str:
        """Names the judge of a turn, as its planned questions record it."""
        return self._judge(turn).name

    def begin_second_pass(self, turn: Turn) -> Early | None:
        """Begins the second pass over the message of a turn that has no reply yet; None where the switch is off.

        Whoever judges the turn later in this process takes this answer and asks no second time. Nothing that goes
        wrong in it is raised: the task's result is None then.

        Args:
            turn: The turn so far, ending with the message.
        """
        if not self._config.injection_second_pass:
            return None
        asked = failopen.acall("judging.second_pass", partial(self.second_pass, turn), _none)
        task = asyncio.create_task(asked, context=Context())  # no judge sees the context of the host's request
        self._early.keep(turn, message_of(project(turn, "message")), task)
        return task

    async def second_pass(self, turn: Turn) -> Judgement:
        """Judges the message of a turn by the second pass alone.

        Raises:
            UsageError: The switch `injection_second_pass` is off.
        """
        own = [classifier for classifier in self._classifiers if classifier.name == INJECTION]
        if not own:
            raise UsageError("the second pass is off; set `injection_second_pass`")
        judge = self._judge(turn)
        planned = plan(turn, own, blocked=self._blocked(turn, judge))
        (judgement,) = await judge_planned(planned, judge, clock=self._clock)
        return judgement

    async def judge_planned_rows(
        self, turn: Turn, planned: Sequence[Planned], attempt: int = 1
    ) -> tuple[Judgement, ...]:
        """Judges a stored turn: a planned question that is not enabled any more is skipped as `not_enabled`.

        Raises:
            JudgeError: The judge is out for now (`rate_limited`, `timeout`, `provider_error`) and attempts are left, so
                the turn is worth another one. The last attempt gives its errors as judgements.
        """
        from afterturn.store import skipped  # here: classifying alone needs no database

        judgements = await self.judge(turn, attempt)
        if attempt < self._config.max_attempts:
            _refuse_outage(judgements)
        answered = {(one.verdict.classifier, one.verdict.version) for one in judgements}
        gone = [replace(row, skip="not_enabled") for row in planned if (row.classifier, row.version) not in answered]
        now = self._clock() if self._clock else datetime.now(UTC)
        return (*judgements, *(Judgement(verdict=skipped(turn, row, now)) for row in gone))

    async def aclose(self) -> None:
        """Closes the judges that were opened in the running loop."""
        await self._early.end()
        for judge in self._judges.pop(asyncio.get_running_loop(), {}).values():
            await judge.aclose()

    def _asked(self, turn: Turn) -> tuple[Classifier, ...]:
        """The classifiers of a turn: blocked topics are no question where the tenant's policy has none."""
        if self._topics.of(turn.tenant):
            return self._classifiers
        return tuple(one for one in self._classifiers if one is not self._topics.classifier)

    def _judge(self, turn: Turn) -> Judge:
        """The judge of a turn, opened once a loop: clients of HTTP libraries belong to the loop that made them."""
        name = self._name(turn)
        pool = self._judges.setdefault(asyncio.get_running_loop(), {})
        if name not in pool:
            pool[name] = self._fresh(turn)
        return pool[name]

    def _fresh(self, turn: Turn) -> Judge:
        name = self._name(turn)
        try:
            return self._open(name)
        except ConfigError as error:
            return MissingJudge(name, str(error))

    def _name(self, turn: Turn) -> str:
        return self._config.judge_for(turn.tenant, turn.agent.model)

    def _blocked(self, turn: Turn, judge: Judge) -> str | None:
        rule = Residency(local_only=self._config.residency_for(turn.tenant) == "local")
        return None if allows(rule, judge) else "residency"


class MissingJudge:
    """Stands for a judge that does not exist here: every question errs with `judge_missing`."""

    def __init__(self, name: str, hint: str) -> None:
        self.name = name
        self._hint = hint

    @property
    def location(self) -> Location:
        """`local`: nothing is sent anywhere, and the error must show."""
        return "local"

    async def ask(self, call: Call) -> Answer:
        """Raises JudgeMissingError, always."""
        raise JudgeMissingError(self._hint)

    async def aclose(self) -> None:
        """Has nothing to close."""


def _none(_: BaseException) -> None:
    """Stands for a second pass that failed; `outcome_of` and the worker ask again."""


def _refuse_outage(judgements: Sequence[Judgement]) -> None:
    for one in judgements:
        outage = _OUTAGES.get(one.verdict.reason or "") if one.verdict.status == "error" else None
        if outage is not None:
            raise outage("another attempt follows", transient=True)


class _Topics:
    """Is the topics that the tenants' policies block, and the question about them; None where no policy has any."""

    def __init__(self, config: Config, guards: Guards | None) -> None:
        policies = [config.guard_policy, *(own.guard_policy for own in config.tenants.values())]
        self._guards = guards or (Guards(config) if any(policies) else None)
        every = self._guards.topics() if self._guards else ()
        self.classifier = topic_opinion(self.of, every) if every else None

    def of(self, tenant: str) -> Sequence[Topic]:
        """Gives the topics of a tenant."""
        return self._guards.of(tenant).policy.topics if self._guards else ()


def _enabled(config: Config, guards: Guards | None, topics: _Topics) -> tuple[Classifier, ...]:
    names = config.classifiers
    by_name: dict[str, Classifier | None] = {classifier.name: classifier for classifier in BUILT_IN}
    by_name[BLOCKED_TOPICS] = topics.classifier
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise ConfigError(f"classifiers: {', '.join(unknown)} unknown; there are {', '.join(by_name)}")
    enabled = tuple(one for name in dict.fromkeys(names) if (one := by_name[name]) is not None)
    if not config.injection_second_pass:
        return enabled
    guards = guards or Guards(config)

    def flagged(turn: Turn) -> bool:
        return guards.of(turn.tenant).check(message_of(turn)).flagged

    return (*enabled, second_pass(flagged, long_chars=config.injection_long_chars))


def _some(planned: Plan, names: Collection[str]) -> Plan:
    """Gives the plan of some questions: their calls with all questions of these, since company may change answers."""
    return replace(
        planned,
        calls=tuple(call for call in planned.calls if any(one.classifier in names for one in call.questions)),
        classifiers=tuple(one for one in planned.classifiers if one.name in names),
    )


def _replaced(classifiers: Sequence[Classifier], instead: Sequence[Classifier]) -> tuple[Classifier, ...]:
    """Puts classifiers in the place of those of their name; what has no such place comes last."""
    by_name = {one.name: one for one in instead}
    kept = [by_name.pop(one.name, one) for one in classifiers]
    return (*kept, *by_name.values())


def _opener(config: Config) -> OpenJudge:
    return partial(open_judge, deadline_s=config.deadline_s)
