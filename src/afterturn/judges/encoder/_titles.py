"""Makes a title out of the customer's own words: the clause that says what the conversation is about.

Extractive, so the title is in the conversation's language and holds nothing that nobody said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from afterturn.judges.encoder._model import Embedder
from afterturn.judges.encoder._tables import table
from afterturn.language import QUESTION_MARKS, Phrase, Token, plain, sentences, tokens, weight, without_markers
from afterturn.smalltalk import is_small_talk, small_talk_prefix

MAX_TITLE_CHARS = 80
_ENOUGH_WORDS = 3.0
_MAX_CANDIDATES = 24
_CURRENT = 0.35
_CENTRAL = 0.6
_FADING = 0.1
_MAX_PREFIX_WORDS = 8
_OPENING = frozenset({"greeting", "wellbeing", "opener"})
_AMBIGUOUS_OPENINGS = frozenset(
    {"morning", "evening", "tag", "dag", "buenas", "later", "test", "help", "hulp", "早", "pa"}
)
_PIECE = re.compile(r"[,;:–—，、；：!?.！？。]+\s*|\s-\s")
_QUOTES = re.compile(r"[\"“”„«»「」『』]|(?<!\w)['‘’‚]|['‘’](?!\w)")
_EDGE = " \t.,;:!?…-–—_*#>|/\\~`。，、；：！？؟،؛¡¿"
_CLAUSE = re.compile(r"(?<=[,;:–—，、；،؛])\s*|\s+(?=[-–—(])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Title:
    """Is a title, or none, with the probability (0 to 1) that this is right."""

    text: str | None
    probability: float


def make_title(
    latest: Sequence[str], earlier: Sequence[str], reply: str, embedder: Embedder, *, answering: bool = False
) -> Title:
    """Picks and cleans the clause of the customer's messages that is most central to the conversation.

    Args:
        latest: The customer's messages of the latest exchange.
        earlier: The customer's messages before it, oldest first.
        reply: The agent's reply; it weighs in which clause is central, and gives no words.
        embedder: Gives the vectors.
        answering: Whether the latest message answers a question of the agent: then what the customer wanted was said
            before, and the latest is a detail of it.
    """
    if all(is_small_talk(plain(message)) for message in (*earlier, *latest)):
        return Title(text=None, probability=0.97)
    newest, before = (0.0, _CURRENT) if answering else (_CURRENT, 0.0)
    candidates = _candidates(latest, bonus=newest) + _candidates(earlier, bonus=before, fading=_FADING * answering)
    if not candidates:
        return Title(text=None, probability=0.6)
    best = max(_scored(candidates[:_MAX_CANDIDATES], reply, embedder))[2]
    words = weight(best)
    return Title(text=best, probability=min(0.95, 0.6 + 0.1 * words))


def clean_title(text: str) -> str:
    """Makes a clause a title: no quotes, no edges, at most 80 characters, first letter upper-case; '' if none is left.

    Example:
        >>> clean_title("could you please refund my order 4711 [c1]?")
        'Refund my order 4711'
    """
    bare = _QUOTES.sub("", " ".join(without_markers(plain(text)).split())).strip(_EDGE)
    bare = _without_end(_without_start(bare)).strip(_EDGE)
    if len(bare) > MAX_TITLE_CHARS:
        bare = _shortened(bare).strip(_EDGE)
    return bare[:1].upper() + bare[1:] if len(bare[:1].upper()) == 1 else bare


def _candidates(messages: Sequence[str], bonus: float, fading: float = 0.0) -> list[tuple[float, str]]:
    """Lists the possible titles of messages with what speaks for them so far.

    Where the agent asks and the customer answers, what is wanted was said first: the bonus fades with each message.
    """
    found: list[tuple[float, str]] = []
    for at, message in enumerate(messages):
        for place, sentence in enumerate(sentences(plain(message))):
            title = "" if is_small_talk(sentence) else clean_title(sentence)
            words = weight(title)
            if words:
                informative = 0.6 * min(words, _ENOUGH_WORDS) / _ENOUGH_WORDS
                asks = 0.55 if _asks(sentence) else 0.0
                found.append((bonus - fading * min(at, 3) + informative + asks - 0.05 * min(place, 5), title))
    return found


def _scored(candidates: Sequence[tuple[float, str]], reply: str, embedder: Embedder) -> list[tuple[float, int, str]]:
    """Adds how near each candidate is to all that was said; the earlier of two equals wins."""
    titles = [title for _, title in candidates]
    whole = "\n".join([*titles, plain(reply)])
    *vectors, centre = embedder.vectors([*titles, whole])
    return [
        (said + _CENTRAL * float(vector.mean @ centre.mean), -index, title)
        for index, ((said, title), vector) in enumerate(zip(candidates, vectors, strict=True))
    ]


def _without_start(text: str) -> str:
    """Takes greetings and the formulas of asking off the start, as long as something with content is left."""
    for _ in range(_MAX_PREFIX_WORDS):
        shorter = _one_step(text)
        if shorter == text or not weight(shorter):
            break
        text = shorter
    return text


def _one_step(text: str) -> str:
    piece = _PIECE.search(text)
    if piece and is_small_talk(text[: piece.start()]):
        return text[piece.end() :].lstrip(_EDGE)
    offset = max(_opening(text), _request_end(text))
    return text[offset:].lstrip(_EDGE)


def _opening(text: str) -> int:
    offset = small_talk_prefix(text, kinds=_OPENING)
    return 0 if text[:offset].casefold() in _AMBIGUOUS_OPENINGS else offset


def _asks(sentence: str) -> bool:
    """Says whether a sentence is a question or opens with a formula of asking, after a greeting or not."""
    piece = _PIECE.search(sentence)
    start = piece.end() if piece and is_small_talk(sentence[: piece.start()]) else _opening(sentence)
    return sentence.rstrip()[-1:] in QUESTION_MARKS or bool(_request_end(sentence[start:]))


def _request_end(text: str) -> int:
    """Gives the offset after the longest formula of asking that the text starts with."""
    words = tokens(text[:200])
    known = table("openers.txt")["request"]
    for length in range(min(_MAX_PREFIX_WORDS, len(words)), 0, -1):
        if _phrase(words[:length]) in known:
            return words[length - 1].end
    return 0


def _without_end(text: str) -> str:
    words = tokens(text)
    known = table("openers.txt")["request_end"]
    for length in range(min(_MAX_PREFIX_WORDS, len(words) - 1), 0, -1):
        start = words[-length].start
        if _phrase(words[-length:]) in known and weight(text[:start]):
            return text[:start].rstrip(_EDGE)
    return text


def _shortened(text: str) -> str:
    """Cuts a long clause at a clause border where one is near, else between words, and drops a dangling word."""
    kept = ""
    for clause in _CLAUSE.split(text):
        if len(kept) + len(clause) + 1 > MAX_TITLE_CHARS:
            break
        kept = f"{kept} {clause}" if kept and kept[-1].isascii() else kept + clause
    if weight(kept) >= _ENOUGH_WORDS:
        return kept
    return _at_word_border(text)


def _at_word_border(text: str) -> str:
    words = [word for word in tokens(text[: MAX_TITLE_CHARS + 1]) if word.end <= MAX_TITLE_CHARS]
    if len(text) > MAX_TITLE_CHARS and words and words[-1].end == MAX_TITLE_CHARS and text[MAX_TITLE_CHARS].isalnum():
        words = words[:-1] if len(words) > 1 and text[MAX_TITLE_CHARS].isascii() else words
    dangling = table("openers.txt")["dangling"]
    while len(words) > 2 and _phrase(words[-1:]) in dangling:
        words = words[:-1]
    return text[: words[-1].end] if words else text[:MAX_TITLE_CHARS]


def _phrase(words: Sequence[Token]) -> Phrase:
    return tuple(word.folded for word in words)
