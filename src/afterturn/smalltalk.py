"""Tells small talk from content: a message is small talk if phrases of small talk cover ALL of it.

A little grammar on top of the phrase table: greetings, thanks, goodbyes, notes taken and cries for help without a
subject, in any order, with fillers and a name between them. One uncovered word makes the message content, so that
"thanks, and how do I return it?" keeps its question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from afterturn.language import QUESTION_MARKS, Phrase, Token, is_cjk, phrases, probability, tokens

__all__ = ["is_small_talk", "small_talk_certainty", "small_talk_prefix", "uncovered"]

_WEAK = frozenset({"filler", "name_intro"})
_NAMES_AFTER = frozenset({"greeting", "thanks", "goodbye", "name_intro", "ack"})
_MAX_TOKENS = 60
_MAX_CHARACTERS = 300  # of a message; a longer one holds a matter
_MAX_EXCUSE_WORDS = 7
_PLAIN_INTRO_WORDS = 3  # "my name is" takes a name in small letters, "I am" does not: "I am stuck" is content
_MAX_NAME_WORDS = 2
_MAX_NAME_CHARS = 4
_LEAST_SAID, _LEAST_REPLIED, _LEAST_BOTH = 0.5, 0.3, 0.8  # least probabilities: of either side's words, of both
_OPENERS = frozenset({"greeting", "thanks", "goodbye", "ack", "wellbeing"})
_CLAUSE = re.compile(r"[.!?,;:\n。！？，；、؟،…]+")


def is_small_talk(text: str) -> bool:
    """Says whether a message has no content of its own; an empty one, or one of emoji alone, has none.

    Example:
        >>> is_small_talk("Bonjour Julie, merci beaucoup !"), is_small_talk("Merci, et le remboursement ?")
        (True, False)
    """
    return _is_small_talk(text, text, _cut(text))


def small_talk_certainty(customer: Sequence[str], agent: Sequence[str]) -> float:
    """Says how sure it is that a conversation holds no matter at all: nothing to name, no category.

    The phrases decide where they cover every message. What they leave over (slang, dialect, misspelt words) is weighed
    by two small models of character n-grams (training/smalltalk), as two witnesses: the odds of the least likely rest
    of the customer's messages times the odds of the least likely reply of the agent. Neither may read like a matter,
    and in doubt it is one.

    Args:
        customer: What the customer wrote.
        agent: What the agent replied.

    Returns:
        0 where there is a matter, 1 where phrases cover all that the customer wrote, else the probability of both.

    Example:
        >>> small_talk_certainty(["heyyy anyone home??"], ["Hello! I am here. How can I help you?"]) > 0
        True
        >>> small_talk_certainty(["hi", "refund?"], ["Which order is it about?"])
        0.0
    """
    if any(len(text) > _MAX_CHARACTERS for text in customer):
        return 0.0
    said = 1.0
    covered = True
    for text in sorted(customer, key=len, reverse=True):  # the longest first: it is the likeliest to hold a matter
        rest = uncovered(text)
        if rest:
            covered, said = False, min(said, probability("smalltalk.bin", rest))
            if said < _LEAST_SAID:
                return 0.0
    if covered:
        return 1.0
    replies = [rest for text in agent if (rest := uncovered(text))]
    replied = min((probability("smalltalk-replies.bin", rest) for rest in replies), default=1.0)
    both = said * replied / (said * replied + (1 - said) * (1 - replied) or 1.0)
    return both if replied >= _LEAST_REPLIED and both >= _LEAST_BOTH else 0.0


def uncovered(text: str) -> str:
    """Gives what phrases of small talk leave over of a message: its other clauses, without such phrases before them.

    Example:
        >>> uncovered("Hi there! thanks, my order is late. Bye")
        'my order is late'
    """
    words = _cut(text)
    if _is_small_talk(text, text, words):
        return ""
    rests: list[str] = []
    for start, end, own in _clauses(text, words):
        if own.folded and not _is_small_talk(text, text[start:end], own):
            rests.append(text[_prefix_end(own, _OPENERS) or start : end].strip() or text[start:end])
    return " ".join(rests) or text


def small_talk_prefix(text: str, *, kinds: frozenset[str]) -> int:
    """Gives the offset after the phrases of these kinds that a text starts with; 0 where it starts with none."""
    return _prefix_end(_cut(text), kinds)


class _Words(NamedTuple):
    """Is the words of a text or of a clause: as they are compared, and where they stand in the text."""

    folded: list[str]
    places: list[Token]

    def part(self, start: int, end: int) -> _Words:
        return _Words(self.folded[start:end], self.places[start:end])


def _cut(text: str) -> _Words:
    places = tokens(text)
    return _Words([word.folded for word in places], places)


def _is_small_talk(text: str, clause: str, words: _Words) -> bool:
    """Says whether a clause of a text, or the whole of it, has no content; the words have their places in the text."""
    if not words.folded:
        return True
    if len(words.folded) > _MAX_TOKENS:
        return False
    return _covered(text, words) or _asks_to_wait(clause, words)


def _clauses(text: str, words: _Words) -> Iterator[tuple[int, int, _Words]]:
    """Cuts a text into clauses, each with its place, blanks around it left out, and its words."""
    ends = [match.span() for match in _CLAUSE.finditer(text)]
    start, position = 0, 0
    for end, following in (*ends, (len(text), len(text))):
        clause = text[start:end]
        until = position
        while until < len(words.places) and words.places[until].start < end:
            until += 1
        stripped = start + len(clause) - len(clause.lstrip())
        yield stripped, max(start + len(clause.rstrip()), stripped), words.part(position, until)
        start, position = following, until


def _prefix_end(words: _Words, kinds: frozenset[str]) -> int:
    """Gives the offset after the phrases of these kinds that the words start with; 0 where they start with none."""
    position = 0
    while position < len(words.folded):
        length = max((n for kind, n in _matches(words.folded, position) if kind in kinds), default=0)
        if not length:
            break
        position += length
    return words.places[position - 1].end if position else 0


def _covered(text: str, words: _Words) -> bool:
    """Searches a way through all words; a state is (position, a strong phrase was seen, a name may follow)."""
    goal = len(words.folded)
    spaced = text.isascii()  # no honorific follows a name there
    seen: set[tuple[int, bool, bool]] = set()
    todo = [(0, False, False)]
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        position, strong, name_may_follow = state
        if position == goal:
            if strong:
                return True
            continue
        for kind, length in _matches(words.folded, position):
            todo.append((position + length, strong or kind not in _WEAK, kind in _NAMES_AFTER or kind == "filler"))
            if kind == "name_intro" and length >= _PLAIN_INTRO_WORDS and position + length + 1 == goal:
                todo.append((goal, strong, False))
        if name_may_follow or not spaced:
            ends = _name_ends(text, words, position, name_may_follow)
            todo += [(end, strong, False) for end in ends]
    return False


def _asks_to_wait(text: str, words: _Words) -> bool:
    """Says whether a short message asks to wait and excuses itself ("one moment, the doorbell")."""
    length = max((n for kind, n in _matches(words.folded, 0) if kind == "hold"), default=0)
    if not length or len(words.folded) - length > _MAX_EXCUSE_WORDS:
        return False
    return not any(char.isdigit() or char in QUESTION_MARKS for char in text)


def _matches(folded: list[str], position: int) -> list[tuple[str, int]]:
    """Lists the phrases that start here, as (kind, number of tokens), short ones first."""
    found: list[tuple[str, int]] = []
    for phrase, kinds in _starting_with().get(folded[position], ()) if position < len(folded) else ():
        if folded[position : position + len(phrase)] == phrase:
            found += kinds
    return found


def _name_ends(text: str, words: _Words, position: int, name_may_follow: bool) -> list[int]:
    """Lists the positions after a name that may start here: capitalised words, or short ones before an honorific."""
    ends: list[int] = []
    honorifics = phrases("smalltalk.txt")["honorific"]
    for length in range(1, _MAX_NAME_CHARS + 1):
        if position + length < len(words.folded) and _honorific_at(words.folded, position + length, honorifics):
            ends.append(position + length)
    if name_may_follow:
        for length in range(1, _MAX_NAME_WORDS + 1):
            at = position + length
            if at > len(words.places) or not _looks_like_name(text, words.places[at - 1]):
                break
            ends.append(position + length)
    return ends


def _honorific_at(folded: list[str], position: int, honorifics: frozenset[Phrase]) -> bool:
    return is_cjk(folded[position]) and any(
        tuple(folded[position : position + length]) in honorifics for length in (1, 2)
    )


def _looks_like_name(text: str, word: Token) -> bool:
    written = text[word.start : word.end]
    return written[0].isupper() and not written.isupper() and written.replace("'", "").replace("’", "").isalpha()


@lru_cache(maxsize=1)
def _starting_with() -> Mapping[str, tuple[tuple[list[str], list[tuple[str, int]]], ...]]:
    """Gives the phrases, and their kinds with their lengths, by their first word, short ones first.

    Most words start none.
    """
    kinds: dict[Phrase, list[tuple[str, int]]] = {}
    for kind, found in phrases("smalltalk.txt").items():
        if kind != "honorific":
            for phrase in found:
                kinds.setdefault(phrase, []).append((kind, len(phrase)))
    by_first: dict[str, list[tuple[list[str], list[tuple[str, int]]]]] = {}
    for phrase in sorted(kinds, key=len):
        by_first.setdefault(phrase[0], []).append(([*phrase], kinds[phrase]))
    return {first: tuple(found) for first, found in by_first.items()}
