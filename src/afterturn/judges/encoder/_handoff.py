"""Writes the handoff for the parent agent out of sentences that were said: what the customer gave, what was settled.

Extractive, in the conversation's language. An answer that means nothing alone ("Ben") keeps the question it answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from afterturn.judges.encoder._conclusion import has_cue
from afterturn.judges.encoder._conversation import Conversation
from afterturn.judges.encoder._sources import statements
from afterturn.language import QUESTION_MARKS, sentences, tokens, weight
from afterturn.smalltalk import is_small_talk

_MAX_SENTENCES = 4
_MAX_FROM_REPLY = 2
_MAX_SENTENCE_CHARS = 280
_BARE_WORDS = 4


def write_handoff(conversation: Conversation, *, concluded: bool, limit: int) -> str | None:
    """Picks two to four sentences; fewer where no more was said, None where nothing was collected or settled.

    Args:
        conversation: What was said.
        concluded: Whether the reply ends the task; its statement then belongs into the handoff.
        limit: Most characters.
    """
    given = _given(conversation)
    settled = _settled(conversation) if concluded else []
    if not given and not settled:
        return None
    room = _MAX_SENTENCES - len(settled)
    kept = sorted(sorted(given, key=lambda item: (-item[1], item[0]))[:room])
    text = ""
    for sentence in [*(sentence for _, _, sentence in kept), *settled]:
        longer = f"{text} {_ended(sentence)}".strip()
        if len(longer) > limit:
            break
        text = longer
    return text or None


def _given(conversation: Conversation) -> list[tuple[int, float, str]]:
    """Lists what the customer said with content, as (place, worth, sentence)."""
    found: list[tuple[int, float, str]] = []
    question = ""
    for by_customer, text in conversation.spoken:
        if not by_customer:
            question = next((s for s in reversed(sentences(text)) if s[-1:] in QUESTION_MARKS), "")
            continue
        for sentence in [part for part in sentences(text) if not is_small_talk(part)]:
            found.append((len(found), _worth(sentence, bool(question)), _in_context(question, sentence)))
            question = ""
    return found


def _in_context(question: str, answer: str) -> str:
    """Puts the agent's question before a bare answer: `May I have your name: Ben`."""
    if not question or len(tokens(answer)) > _BARE_WORDS:
        return answer
    return f"{question.rstrip(QUESTION_MARKS + ' ')}: {answer}"


def _worth(sentence: str, answers: bool) -> float:
    """Weighs a sentence: content words, and more for numbers and for what was asked for."""
    numbers = sum(token.folded[0].isdigit() for token in tokens(sentence))
    return min(weight(sentence), 8.0) + 2.0 * min(numbers, 3) + 3.0 * answers


def _settled(conversation: Conversation) -> list[str]:
    """Picks what the reply reports: sentences with a cue of a result first, in their order."""
    stated = statements(conversation.reply)
    ranked: Sequence[tuple[bool, int]] = sorted((not has_cue(text, "done"), place) for place, text in enumerate(stated))
    return [stated[place] for place in sorted(place for _, place in ranked[:_MAX_FROM_REPLY])]


def _ended(sentence: str) -> str:
    short = sentence
    if len(sentence) > _MAX_SENTENCE_CHARS:
        short = sentence[:_MAX_SENTENCE_CHARS].rsplit(" ", 1)[0] + " …"
    return short if short[-1:] in ".!?。！？؟…" else f"{short}."
