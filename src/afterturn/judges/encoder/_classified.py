"""Reads a call's turn by the trained heads: drift, injection, frustration, sentiment, a wish for a person, safety."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from afterturn.judges.encoder._conversation import Conversation
from afterturn.judges.encoder._inputs import said
from afterturn.judges.encoder._model import Embedder
from afterturn.judges.encoder._spoken import speaks
from afterturn.judges.encoder._task_heads import Chances
from afterturn.language import QUESTION_MARKS, asks_for_human, plain, sentences
from afterturn.smalltalk import is_small_talk

_LEAST_SAID, _LEAST_ASKED = 0.3, 0.9


def drift(instructions: str, reply: str, reader: Embedder) -> Chances:
    """Reads whether any part of the reply leaves the scope of the instructions."""
    scope, answer = reader.vectors([instructions, reply])
    found = _worst(reader.heads.chances("scope", answer.pooled, scope.pooled.mean(axis=0)))
    return in_its_language(found, "scope", reply)


def injection(message: str, reader: Embedder) -> tuple[Chances, str]:
    """Reads whether any part of a message is an attack, and of which kind that part is."""
    (read,) = reader.vectors([message])
    found = reader.heads.chances("injection", read.pooled)
    at = int(np.argmax([one.finding for one in found]))
    kinds = reader.heads.chances("injection_kind", read.pooled[at : at + 1])[0]
    return in_its_language(found[at], "injection", message), max(kinds.by_label, key=kinds.by_label.__getitem__)


def frustration(conversation: Conversation, reader: Embedder) -> Chances:
    """Reads whom an unhappy customer is unhappy with, from the latest message and the agent's words before it."""
    last = max((at for at, (customer, _) in enumerate(conversation.spoken) if customer), default=-1)
    return _of_text("frustration", said(conversation.spoken[max(0, last - 1) : last + 1]), reader)


def sentiment(conversation: Conversation, reader: Embedder) -> tuple[float, Chances]:
    """Reads how the customer feels in the latest message, -1 to 1."""
    found = _of_text("sentiment", _latest(conversation), reader)
    return round(found.by_label["positive"] - found.by_label["negative"], 3), found


def wants_human(conversation: Conversation, reader: Embedder) -> tuple[bool, Chances, bool]:
    """Reads whether the customer asks for a person; the last value says whether a phrase of the table decided."""
    latest = _latest(conversation)
    found = _of_text("wants_human", latest, reader)
    by_phrase = asks_for_human(latest)
    return by_phrase or found.label == "yes", found, by_phrase


def small_talk(conversation: Conversation, reader: Embedder) -> float:
    """Reads how sure it is that nobody spoke of any matter: the odds of the likeliest message and reply to hold one.

    Customer and agent are two witnesses, as in `afterturn.smalltalk`: neither may sound like a matter, least of
    all a question beyond the phrases of small talk.
    """
    asks = any(_asks(text) for customer, text in conversation.spoken if customer)
    said = _least("small_talk", [text for customer, text in conversation.spoken if customer], reader)
    replied = _least("small_talk_reply", [text for customer, text in conversation.spoken if not customer], reader)
    if said < (_LEAST_ASKED if asks else _LEAST_SAID):
        return 0.0
    return said * replied / (said * replied + (1 - said) * (1 - replied) or 1.0)


def _asks(text: str) -> bool:
    return any(
        sentence.rstrip()[-1:] in QUESTION_MARKS and not is_small_talk(sentence) for sentence in sentences(plain(text))
    )


def _least(task: str, texts: Sequence[str], reader: Embedder) -> float:
    """Gives the least probability that a text is small talk; in the middle where there is none."""
    read = reader.vectors(texts)
    return min((one.finding for text in read for one in reader.heads.chances(task, text.pooled)), default=0.5)


def safety(conversation: Conversation, reader: Embedder) -> Chances:
    """Reads the safety signal of the customer's latest message."""
    return _of_text("safety", _latest(conversation), reader)


def _latest(conversation: Conversation) -> str:
    return "\n".join(conversation.latest)


def _of_text(task: str, text: str, reader: Embedder) -> Chances:
    (read,) = reader.vectors([text])
    return in_its_language(_worst(reader.heads.chances(task, read.pooled)), task, text)


def in_its_language(found: Chances, task: str, text: str) -> Chances:
    """Marks what a head says of a text in a language that it was not measured in, or not found good enough in."""
    return found if speaks(task, text) else replace(found, foreign=True)


def _worst(found: Sequence[Chances]) -> Chances:
    """Takes the part of a long text in which a finding is most probable: one bad sentence is enough."""
    return max(found, key=lambda one: one.finding)
