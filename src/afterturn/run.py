"""Plans the questions of a turn, asks them, reads the answers: exactly one judgement a question, whatever happens.

    plan(turn, classifiers)  ->  calls and skips     (pure)
    ask(call, judge)         ->  answer or error code (fails open)
    read(asked, …)           ->  judgements           (pure)

`judge_turn` does all three.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache, partial

from afterturn import failopen
from afterturn._stamp import Asked, Clock, Stamp
from afterturn._validate import checked_field
from afterturn.calls import Answer, Call, Judge, Planned, Question, ViewName
from afterturn.classifiers import Checked, Classifier, Views, project
from afterturn.errors import (
    JudgeError,
    JudgeMissingError,
    ProviderError,
    SchemaViolationError,
    TruncatedError,
    UsageError,
)
from afterturn.outcomes import Judgement
from afterturn.replies import filtered
from afterturn.turns import JsonValue, Turn
from afterturn.verdicts import is_code

PLAN_VERSION = "1"
"""Changed whenever the prompt around the questions, or the way they share a call, may change their answers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Is what will be asked about a turn.

    Attributes:
        turn: The turn with its reply filtered.
        calls: The calls; at most one a view, `exchange` and `exchange+passages` sharing theirs.
        skips: Code of the reason by classifier name, for the questions that are not asked.
        broken: Names of the classifiers that broke while they were planned; each becomes an `error`.
        classifiers: All classifiers, in order; each is in one call, in `skips`, in `broken`, or settled: a question
            without a field on this turn needs no judge.
    """

    turn: Turn
    calls: tuple[Call, ...]
    skips: Mapping[str, str]
    broken: frozenset[str] = frozenset()
    classifiers: tuple[Classifier, ...]

    def rows(self, judge: str) -> tuple[Planned, ...]:
        """The planned judgements, one a classifier, for the judge of that name."""
        plans = {question.classifier: call.plan for call in self.calls for question in call.questions}
        return tuple(
            Planned(
                classifier=classifier.name,
                version=classifier.version,
                metric=classifier.metric,
                judge=judge,
                plan=plans.get(classifier.name, ""),
                skip=self.skips.get(classifier.name),
            )
            for classifier in self.classifiers
        )

    def without(self, name: str) -> Plan:
        """The plan without one classifier that is alone in its call, or in none."""
        return self._part([one for one in self.classifiers if one.name != name])

    def only(self, name: str) -> Plan:
        """The plan of one classifier that is alone in its call, or in none."""
        return self._part([one for one in self.classifiers if one.name == name])

    def _part(self, classifiers: Sequence[Classifier]) -> Plan:
        names = {classifier.name for classifier in classifiers}
        calls = tuple(call for call in self.calls if names.intersection(q.classifier for q in call.questions))
        return replace(self, calls=calls, classifiers=tuple(classifiers))


def plan(turn: Turn, classifiers: Sequence[Classifier], *, blocked: str | None = None) -> Plan:
    """Plans the calls of a turn: skips what needs no answer and fuses the rest by view.

    A classifier that breaks here, or that declares a field which another one of its call has, costs its own question
    and nothing else: a bug in one question must not keep the turn from being stored.

    Args:
        turn: A finished turn; its reply is filtered here if nobody did.
        classifiers: The enabled classifiers; no two of one name.
        blocked: Code of the reason why no judge may see this turn (`residency`), or None.

    Raises:
        UsageError: Two classifiers have the same name.
    """
    refuse_twins(classifiers)
    turn = filtered(turn)
    views = Views(turn)
    skips: dict[str, str] = {}
    broken: set[str] = set()
    asked: dict[ViewName, list[tuple[Classifier, Question]]] = {}
    for classifier in classifiers:
        company = asked.get(_shared(classifier.view), [])
        ids = {"tenant": turn.tenant, "turn": turn.id, "classifier": classifier.name}
        look = partial(_skip_or_question, classifier, views, blocked, company)
        found = failopen.call("run.plan", look, lambda _: None, **ids)
        if found is None:
            broken.add(classifier.name)
        elif isinstance(found, str):
            skips[classifier.name] = found
        elif found.fields:
            asked[_shared(classifier.view)] = [*company, (classifier, found)]
    calls = tuple(_call(views, pairs) for pairs in asked.values())
    return Plan(turn=turn, calls=calls, skips=skips, broken=frozenset(broken), classifiers=tuple(classifiers))


def refuse_twins(classifiers: Sequence[Classifier]) -> None:
    """Refuses classifiers of the same name: nobody could tell their verdicts apart.

    Raises:
        UsageError: Two classifiers have the same name.
    """
    if len({classifier.name for classifier in classifiers}) < len(classifiers):
        raise UsageError("two enabled classifiers have the same name; rename one")


async def ask(call: Call, judge: Judge) -> tuple[Asked, ...]:
    """Asks a judge, failing open: whatever happens, every question of the call is in exactly one result.

    A truncated answer is asked again once, in halves. Cancellation passes through.
    """
    asked = await _ask_once(call, judge)
    if asked.error != TruncatedError.code or len(call.questions) < 2:
        return (asked,)
    middle = (len(call.questions) + 1) // 2
    halves = (call.questions[:middle], call.questions[middle:])
    return tuple([await _ask_once(_part(call, questions), judge) for questions in halves])


def read(asked: Asked, classifier: Classifier, stamp: Stamp) -> Judgement:
    """Reads one classifier's judgement out of an asked call. One bad field errs one question."""
    answer = asked.answer
    if answer is None:
        return stamp.judgement(classifier, "error", asked=asked, reason=asked.error)
    if classifier.name in answer.no_head:
        return stamp.judgement(classifier, "skipped", asked=asked, reason="no_head")
    question = next(q for q in asked.call.questions if q.classifier == classifier.name)

    def reading() -> Judgement:
        checked, dropped = _checked(question, answer)
        return stamp.reading(classifier, classifier.read(checked, asked.call.turn), asked=asked, dropped=dropped)

    return _read_open(reading, classifier, stamp, asked)


def settle(classifier: Classifier, stamp: Stamp) -> Judgement:
    """Reads the judgement of a question that has no field on this turn: the classifier's own rule answers."""

    def reading() -> Judgement:
        seen = project(stamp.turn, classifier.view)
        return stamp.reading(classifier, classifier.read(Checked(values={}), seen))

    return _read_open(reading, classifier, stamp, None)


async def judge_turn(
    turn: Turn,
    classifiers: Sequence[Classifier],
    judge: Judge,
    *,
    blocked: str | None = None,
    attempt: int = 1,
    clock: Clock | None = None,
) -> tuple[Judgement, ...]:
    """Judges a turn: exactly one judgement for each classifier, in their order.

    Args:
        turn: A finished turn.
        classifiers: The enabled classifiers.
        judge: Who answers.
        blocked: Code of the reason why no judge may see this turn, or None.
        attempt: Which attempt at the turn this is, from 1.
        clock: Gives the time for the verdicts; the system's UTC clock by default.

    Returns:
        One judgement a classifier. Errors and skips are judgements, too.
    """
    return await judge_planned(plan(turn, classifiers, blocked=blocked), judge, attempt=attempt, clock=clock)


async def judge_planned(
    planned: Plan, judge: Judge, *, attempt: int = 1, clock: Clock | None = None
) -> tuple[Judgement, ...]:
    """Judges a turn that is planned already, as `judge_turn` does."""
    stamp = Stamp(turn=planned.turn, judge=judge.name, attempt=attempt, clock=clock or _utc_now)
    asking = [ask(call, judge) for call in planned.calls]
    results = [await asking[0]] if len(asking) == 1 else await asyncio.gather(*asking)  # one needs no task of its own
    by_name = {q.classifier: asked for result in results for asked in result for q in asked.call.questions}
    judgements: list[Judgement] = []
    for classifier in planned.classifiers:
        if classifier.name in planned.skips:
            judgements.append(stamp.judgement(classifier, "skipped", reason=planned.skips[classifier.name]))
        elif classifier.name in planned.broken:
            judgements.append(stamp.judgement(classifier, "error", reason=SchemaViolationError.code))
        elif classifier.name in by_name:
            judgements.append(read(by_name[classifier.name], classifier, stamp))
        else:
            judgements.append(settle(classifier, stamp))
    return tuple(judgements)


def _unjudgeable(turn: Turn) -> str | None:
    if turn.reply is None or not turn.reply.text.strip():
        return "no_reply"
    return None if turn.reply.complete else "incomplete"


def _shared(view: ViewName) -> ViewName:
    """The descriptive questions share one call, with or without passages."""
    return "exchange" if view == "exchange+passages" else view


def _skip_or_question(
    classifier: Classifier, views: Views, blocked: str | None, company: Sequence[tuple[Classifier, Question]]
) -> str | Question:
    """Gives the code of the reason why a question is not asked, or the question."""
    seen = views.of(classifier.view)
    unjudgeable = None if classifier.view == "message" else _unjudgeable(views.turn)  # a message needs no reply
    reason = unjudgeable or classifier.skip(seen) or blocked
    if reason:
        if not is_code(reason):
            raise UsageError("the reason of a skip is a lower-case code of at most 40 characters")
        return reason
    question = _question(classifier, seen)
    if any(not question.fields.keys().isdisjoint(other.fields) for _, other in company):
        raise UsageError("two classifiers of one call declare a field of the same name; rename one")
    return question


def _question(classifier: Classifier, seen: Turn) -> Question:
    return Question(
        classifier=classifier.name,
        version=classifier.version,
        fields=classifier.fields(seen),
        instructions=classifier.instructions(seen),
        heads=classifier.heads,
        meanings=classifier.meanings(seen),
    )


def _call(views: Views, pairs: Sequence[tuple[Classifier, Question]]) -> Call:
    asked = {classifier.view for classifier, _ in pairs}
    view: ViewName = "exchange+passages" if "exchange+passages" in asked else pairs[0][0].view
    questions = tuple(question for _, question in pairs)
    return Call(view=view, turn=views.of(view), questions=questions, plan=_plan_hash(view, questions))


def _part(call: Call, questions: tuple[Question, ...]) -> Call:
    return replace(call, questions=questions, plan=_plan_hash(call.view, questions))


def _plan_hash(view: ViewName, questions: Sequence[Question]) -> str:
    return _hash_of(view, tuple((q.classifier, q.version) for q in questions))


@lru_cache(maxsize=1_024)
def _hash_of(view: ViewName, versions: tuple[tuple[str, str], ...]) -> str:
    """Hashes the company of questions; an application has few of them, and every turn asks for some."""
    return hashlib.sha256(json.dumps([PLAN_VERSION, view, *sorted(versions)]).encode()).hexdigest()[:16]


async def _ask_once(call: Call, judge: Judge) -> Asked:
    started = time.perf_counter()
    ids = {"tenant": call.turn.tenant, "agent": call.turn.agent.id, "turn": call.turn.id, "judge": judge.name}

    async def answered() -> Asked:
        try:
            return Asked(call=call, answer=await judge.ask(call))
        except JudgeError as error:  # its verdicts and the ledger's ERROR lines say so; nothing else failed open
            if isinstance(error, JudgeMissingError):
                _tell_once(judge.name, error.hint)
            return Asked(call=call, error=error.code)

    asked = await failopen.acall("run.ask", answered, lambda _: Asked(call=call, error=ProviderError.code), **ids)
    return replace(asked, latency_ms=(time.perf_counter() - started) * 1000)


@lru_cache(maxsize=256)
def _tell_once(judge: str, hint: str) -> None:
    """Logs once a process what to do about a judge that is not there: a verdict has room for the code alone."""
    failopen.warn("afterturn.judge_missing", judge=judge, hint=hint)


def _read_open(
    reading: Callable[[], Judgement], classifier: Classifier, stamp: Stamp, asked: Asked | None
) -> Judgement:
    """Reads, failing open: an answer that cannot be read is an error verdict."""

    def failed(error: BaseException) -> Judgement:
        return stamp.judgement(classifier, "error", asked=asked, reason=SchemaViolationError.code)

    def checked() -> Judgement:
        try:
            return reading()
        except SchemaViolationError as error:  # the judge's fault: its verdict and the ledger's ERROR line say so
            return failed(error)

    ids = {"tenant": stamp.turn.tenant, "turn": stamp.turn.id, "classifier": classifier.name}
    return failopen.call("run.read", checked, failed, **ids)


def _checked(question: Question, answer: Answer) -> tuple[Checked, int]:
    values: dict[str, JsonValue] = {}
    dropped = 0
    for name, schema in question.fields.items():
        if name not in answer.values:
            raise SchemaViolationError(f"the answer lacks the field {name}")
        values[name], lost = checked_field(schema, answer.values[name])
        dropped += lost
    own = {name: answer.confidence[name] for name in question.fields if name in answer.confidence}
    checked = Checked(values=values, confidence=own, unsure=answer.unsure & frozenset(question.fields))
    return checked, dropped


def _utc_now() -> datetime:
    return datetime.now(UTC)
