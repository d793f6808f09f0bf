"""Advises what to do with an unhappy customer: hand off, or keep helping (SPEC C4).

The loop detector reads the messages themselves: the customer asks again, asks for a person, the agent repeats itself.
Sentiment and attribution come from the classifier `ai_frustration`; where it failed, these older triggers stand alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from afterturn.language import asks_for_human, may_hold, stems
from afterturn.outcomes import Judgement, Outcome
from afterturn.smalltalk import is_small_talk
from afterturn.turns import Turn

Advice = Literal["hand_off", "keep_helping"]
Reason = Literal["wants_human", "ai_frustration", "loop", "sentiment_crater", "sentiment_below", "situation"]

SENTIMENT_BELOW = -0.4
CRATER = 0.8
CALM_TURNS = 2
_SAME_QUESTION = 0.6
_SAME_REPLY = 0.85
_LEAST_WORDS = 2
_ROUNDING = 1e-9  # three fifths of five are three, also where the processor says a little more
_RECENT_MESSAGES = 12  # of each side; asking again after an hour is no loop, and a long session costs no more
_READ_CHARACTERS = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Signals:
    """Is what the messages themselves show, without a judge.

    Attributes:
        wants_human: The customer asks for a person.
        reask: The customer asks again what was asked before.
        agent_repeats: The agent says again what it said before.
    """

    wants_human: bool = False
    reask: bool = False
    agent_repeats: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Mood:
    """Is the state of a session: the advice that stands, and what it rests on.

    Attributes:
        advice: What to do; None while nobody is unhappy.
        reason: Why.
        sentiment: Sentiment of the latest turn that had one, -1 to 1.
        best: The best sentiment so far.
        calm: Turns in a row without a sign of unhappiness; after `CALM_TURNS` the advice is withdrawn.
    """

    advice: Advice | None = None
    reason: Reason | None = None
    sentiment: float | None = None
    best: float | None = None
    calm: int = 0


NO_MOOD = Mood()


def signals(turn: Turn) -> Signals:
    """Reads the signals out of a turn's messages."""
    asked, answered = _recent(turn, "user"), _recent(turn, "assistant")
    latest = asked[-1] if asked else ""
    return Signals(
        wants_human=asks_for_human(latest),
        reask=_says_again(asked, _SAME_QUESTION),
        agent_repeats=_says_again(answered, _SAME_REPLY) and not is_small_talk(latest),  # greetings are greeted back
    )


def advise(
    before: Mood,
    seen: Signals,
    *,
    target: str | None,
    sentiment: float | None,
    human: bool = False,
    sentiment_below: float = SENTIMENT_BELOW,
) -> Mood:
    """Gives the mood after a turn.

    A request for a person is always granted. Where something is wrong (a loop, a sentiment below the trigger or far
    below its best), the attribution decides whom it concerns: the agent is handed off, the situation is helped with;
    without an attribution the trigger alone hands off. Unhappiness without a trigger only keeps helping. Advice to hand
    off stands until the customer was calm for `CALM_TURNS` turns, so that it does not flap.

    Args:
        before: The mood before the turn.
        seen: What the messages show.
        target: `ai`, `situation`, `none`, or `unsure`, which means the situation; None where the classifier gave no
            answer.
        sentiment: Sentiment of the latest message, or None.
        human: Whether the classifier, too, read a request for a person.
        sentiment_below: The trigger.
    """
    best = max((value for value in (before.best, sentiment) if value is not None), default=None)
    after = replace(before, sentiment=before.sentiment if sentiment is None else sentiment, best=best)
    found = _found(_trigger(before, seen, sentiment, sentiment_below), target, wants=human or seen.wants_human)
    if found is None:
        calm = before.calm + 1
        over = before.advice is None or calm >= CALM_TURNS or before.advice == "keep_helping"
        return replace(after, calm=calm, advice=None if over else before.advice, reason=None if over else before.reason)
    advice, reason = found
    if before.advice == "hand_off" and advice == "keep_helping":
        return replace(after, calm=0)  # it stands: somebody is on the way
    return replace(after, advice=advice, reason=reason, calm=0)


def mood_after(before: Mood, turn: Turn, judgement: Judgement, sentiment_below: float = SENTIMENT_BELOW) -> Mood:
    """Gives the mood after a turn.

    Args:
        before: The mood before it.
        turn: The turn.
        judgement: The judgement of `ai_frustration` about it, whatever it is.
        sentiment_below: A sentiment below this is a trigger for advice.
    """
    outcome = judgement.outcome or Outcome()
    target = "unsure" if judgement.verdict.reason == "unsure" else outcome.frustration
    return advise(
        before,
        signals(turn),
        target=target,
        sentiment=outcome.sentiment,
        human=bool(outcome.wants_human),
        sentiment_below=sentiment_below,
    )


def _found(trigger: Reason | None, target: str | None, *, wants: bool) -> tuple[Advice, Reason] | None:
    if wants:
        return "hand_off", "wants_human"
    if target == "situation" or (target == "unsure" and trigger):
        return "keep_helping", "situation"
    if target == "ai":
        return ("hand_off" if trigger else "keep_helping"), "ai_frustration"
    if trigger is None:
        return None
    return ("hand_off" if target is None else "keep_helping"), trigger


def _trigger(before: Mood, seen: Signals, sentiment: float | None, sentiment_below: float) -> Reason | None:
    """Says what is wrong, by the triggers that were there before any attribution."""
    if seen.reask or seen.agent_repeats:
        return "loop"
    if (
        sentiment is not None
        and before.best is not None
        and round(before.best - sentiment, 6) >= CRATER
        and sentiment < 0
    ):
        return "sentiment_crater"
    return "sentiment_below" if sentiment is not None and sentiment < sentiment_below else None


def _recent(turn: Turn, role: str) -> list[str]:
    """Gives the latest texts of one side, of a long one its beginning and its end."""
    texts = [message.text.strip() for message in turn.messages if message.role == role and message.text.strip()]
    half = _READ_CHARACTERS // 2
    recent = texts[-_RECENT_MESSAGES:]
    return [text if len(text) <= _READ_CHARACTERS else f"{text[:half]}\n{text[-half:]}" for text in recent]


def _says_again(texts: Sequence[str], least: float) -> bool:
    """Says whether the last message says what one before it said: the share of word stems that they have in common."""
    if len(texts) < 2:
        return False
    latest, said = texts[-1], stems(texts[-1])
    alike = any(_alike(latest, said, earlier, least) for earlier in texts[:-1])
    return alike and not is_small_talk(latest)


def _alike(text: str, said: frozenset[str], other: str, least: float) -> bool:
    if len(said) < _LEAST_WORDS:
        return text.casefold() == other.casefold()
    if not may_hold(other, said, math.ceil(least * len(said) - _ROUNDING)):
        return False
    once = stems(other)
    if len(once) < _LEAST_WORDS:
        return text.casefold() == other.casefold()
    return len(said & once) / len(said | once) >= least
