"""Tells whether a reply ends a sub-agent's part: it reports a result, against asking, offering or failing.

Cues in the reply (`cues.txt`, many languages), a question at its end, and nearness to a few sentences that report a
result or keep a task open; a logistic model fitted on task dialogues (`packages/encoder/fit`) weighs them. The encoder
reads English: in other languages the cues decide alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afterturn.judges.encoder._model import Embedder
from afterturn.judges.encoder._tables import table
from afterturn.judges.encoder._weights import CONCLUSION, CONCLUSION_BY_CUES, probabilities
from afterturn.language import QUESTION_MARKS, Phrase, looks_english, plain, sentences, tokens
from afterturn.smalltalk import is_small_talk

Numbers = NDArray[np.float64]

_CUES = ("done", "ask", "fail", "open")
CUE_FEATURES = len(_CUES) + 3
"""How many of the features need no vectors; they come first."""

_DONE = (
    "Your booking has been confirmed.",
    "Your report has been submitted, we will contact you.",
    "I have everything I need and have passed it on to my colleague.",
    "Your appointment is scheduled.",
    "Your current balance is 250.",
    "Here is the information that you asked for.",
    "The change has been made.",
)
_OPEN = (
    "What is your name?",
    "Which day would you like?",
    "Shall I book it for you?",
    "Could you give me your account number, please?",
    "I am sorry, that is not available.",
    "I found an option for you, do you want it?",
    "I did not understand you.",
    "Hello, how can I help?",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """Is whether the task is over, with the probability that this is right; `unsure` near the cut."""

    concluded: bool
    probability: float
    unsure: bool
    by_rule: bool = False


def conclude(reply: str, embedder: Embedder) -> Conclusion:
    """Judges the last reply of a sub-agent.

    Args:
        reply: The agent's texts of the latest exchange.
        embedder: Gives the vectors.
    """
    text = plain(reply)
    if is_small_talk(text):
        return Conclusion(concluded=False, probability=0.8, unsure=True, by_rule=True)
    measured = features(text, embedder)[None, :]
    english = looks_english(text)
    model = CONCLUSION if english else CONCLUSION_BY_CUES
    chance = float(probabilities(measured if english else measured[:, :CUE_FEATURES], model)[0])
    concluded = chance >= model.cut
    return Conclusion(
        concluded=concluded, probability=chance if concluded else 1 - chance, unsure=model.unsure(chance, model.cut)
    )


def features(text: str, embedder: Embedder) -> Numbers:
    """Measures a reply; see `_CUES` for the first columns."""
    parts = [sentence for sentence in sentences(text) if not is_small_talk(sentence)] or [text]
    cues = [float(any(has_cue(part, cue) for part in parts)) for cue in _CUES]
    asks_last = float(_is_question(parts[-1]))
    asks = float(any(_is_question(part) for part in parts))
    stated = [part for part in parts if not _is_question(part)] or parts
    *vectors, whole = embedder.vectors([*_DONE, *_OPEN, text])
    near = np.stack([vector.mean for vector in vectors]) @ whole.windows[-1]
    done, still_open = near[: len(_DONE)].max(), near[len(_DONE) :].max()
    done_late = float(has_cue(stated[-1], "done"))
    return np.array([*cues, asks_last, asks, done_late, float(done), float(still_open)], dtype=np.float64)


def _is_question(sentence: str) -> bool:
    return sentence.rstrip(" \"'”’»)")[-1:] in tuple(QUESTION_MARKS)


def has_cue(sentence: str, cue: str) -> bool:
    """Says whether a phrase of the section stands anywhere in a sentence."""
    words: Phrase = tuple(token.folded for token in tokens(sentence))
    known = table("cues.txt")[cue]
    longest = max(map(len, known))
    return any(
        words[start : start + length] in known
        for start in range(len(words))
        for length in range(1, min(longest, len(words) - start) + 1)
    )
