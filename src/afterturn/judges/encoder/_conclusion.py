"""Tells whether a reply ends a sub-agent's part: it reports a result, against asking, offering or failing."""

from __future__ import annotations

from dataclasses import dataclass

from afterturn.judges.encoder._inputs import exchange
from afterturn.judges.encoder._model import Embedder
from afterturn.judges.encoder._spoken import speaks
from afterturn.judges.encoder._tables import table
from afterturn.language import Phrase, plain, tokens
from afterturn.smalltalk import is_small_talk


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """Is whether the task is over, with the probability that this is right; `unsure` near the cut."""

    concluded: bool
    probability: float
    unsure: bool
    by_rule: bool = False


def conclude(customer: str, reply: str, embedder: Embedder) -> Conclusion:
    """Judges the last reply of a sub-agent.

    Args:
        customer: The customer's last message before it; empty where there is none.
        reply: The agent's texts of the latest exchange.
        embedder: Gives the vectors and the head.
    """
    text = plain(reply)
    if is_small_talk(text):
        return Conclusion(concluded=False, probability=0.8, unsure=True, by_rule=True)
    if has_cue(text, "fail") and not has_cue(text, "done"):
        return Conclusion(concluded=False, probability=0.8, unsure=False, by_rule=True)
    (read,) = embedder.vectors([exchange(customer, text)])
    (*_, found) = embedder.heads.chances("concluded", read.pooled)  # the end of the reply says it
    unsure = found.unsure or not speaks("concluded", text)
    return Conclusion(concluded=found.label == "yes", probability=found.sure, unsure=unsure)


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
