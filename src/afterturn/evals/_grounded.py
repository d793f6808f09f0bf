"""Scores groundedness by the local encoder: no LLM, no text leaves the machine.

A logistic model over `_ground_features`, fitted on labelled replies by `training/grounding/fit.py`. Its limits: it does
not see that a reply turns a passage's meaning around, nor whether "the passages do not say" is true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from afterturn.evals._encoder_grader import EncoderGrader, Found
from afterturn.evals._encoder_scores import on_scale
from afterturn.evals._evidence import clip, neutral
from afterturn.evals._ground_features import GroundFeatures, measure
from afterturn.evals._ground_weights import BIAS, CUT, WEIGHTS
from afterturn.evals._records import Reply, Row
from afterturn.evals._rubric import Rubric
from afterturn.evals.assertions._seen import passages_of, seen
from afterturn.judges.encoder._load import shared_encoder
from afterturn.language import QUESTION_MARKS, content_tokens, plain, sentences
from afterturn.smalltalk import is_small_talk

MOST_UNSUPPORTED = 5
STATES_NOTHING = 0.95
"""The probability for a reply without a statement: greetings, questions back, offers of help."""
NO_PASSAGE = 0.05
"""The probability for statements where no passage was found."""

_UNSUPPORTED_CHARACTERS = 150


@dataclass(frozen=True, kw_only=True, slots=True)
class Grounding:
    """Is how far a reply rests on its passages.

    Attributes:
        probability: How probable it is that all of it does.
        unsupported: The sentences that probably do not, the worst first.
    """

    probability: float
    unsupported: tuple[str, ...] = ()

    @property
    def grounded(self) -> bool:
        """Whether the reply is grounded."""
        return self.probability >= CUT


class GroundingGrader:
    """Says how far replies rest on their passages.

    Args:
        encoder: Gives the encoder, when it is first needed.
    """

    def __init__(self, encoder: Callable[[], Any] = shared_encoder) -> None:
        self._encoder = encoder

    def look(self, row: Row, reply: Reply) -> Found:
        """Applies the rubric `groundedness`.

        Raises:
            JudgeError: The encoder is not there.
        """
        passages = [passage.text for passage in passages_of(row, reply) or ()]
        found = self.grounding(seen(row, reply).text, passages)
        count = len(found.unsupported)
        named = f" {count} of its sentences probably do not." if count else ""
        return Found(
            score=on_scale(found.probability, CUT),
            reasoning=f"The local encoder: {found.probability:.0%} that the reply rests on its passages.{named}",
            extra={"unsupported": [neutral(clip(text, _UNSUPPORTED_CHARACTERS)) for text in found.unsupported]},
        )

    def grounding(self, reply: str, passages: Sequence[str]) -> Grounding:
        """Says how far a reply rests on passages.

        Args:
            reply: The reply as the customer sees it.
            passages: The texts of the passages; none where nothing was found.
        """
        texts = [text for text in passages if text.strip()]
        if not states_something(reply):
            return Grounding(probability=STATES_NOTHING)
        if not texts:
            stated = [sentence for sentence in sentences(plain(reply)) if _states(sentence)]
            return Grounding(probability=NO_PASSAGE, unsupported=tuple(stated[:MOST_UNSUPPORTED]))
        found = measure(reply, texts, self._encoder())
        chance = probability(found.whole)
        if chance >= CUT:
            return Grounding(probability=chance)
        weak = [(probability(one), sentence) for sentence, one in found.sentences if _states(sentence)]
        named = [sentence for odds, sentence in sorted(weak, key=lambda pair: pair[0]) if odds < CUT]
        return Grounding(probability=chance, unsupported=tuple(named[:MOST_UNSUPPORTED]))


def make(rubric: Rubric) -> EncoderGrader:
    """Makes the grader for a rubric."""
    return EncoderGrader(rubric, GroundingGrader().look, load=shared_encoder)


def probability(features: GroundFeatures) -> float:
    """Gives the probability that a text rests on the passages."""
    score = BIAS + sum(WEIGHTS[name] * value for name, value in features.by_name().items())
    return 1 / (1 + math.exp(-max(-30.0, min(score, 30.0))))


def states_something(reply: str) -> bool:
    """Says whether any sentence of a reply states something."""
    return any(map(_states, sentences(plain(reply))))


def _states(sentence: str) -> bool:
    """Says whether a sentence states something: no question, no small talk, and a word that carries a topic."""
    if sentence.rstrip()[-1:] in QUESTION_MARKS or not content_tokens(sentence):
        return False
    return not is_small_talk(sentence)
